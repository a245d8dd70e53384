"""Variations of the paper's sine problem, to see when disambiguation is better than averaging."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from disambig.datasets import (
    BinCorruption,
    CensoringCorruption,
    RoundingCorruption,
    SkewedCorruption,
    WidthCorruption,
)
from disambig.datasets.corruptions.protocol import IntervalCorruption
from reproduce.interval.methods import METHODS, Method
from reproduce.interval.problems import sine_problem
from reproduce.interval.selection import Errors, measure

__all__ = ["COMPARED", "VARIATIONS", "Variation", "compare", "find"]


@dataclass(frozen=True, eq=False)
class Variation:
    """A variation of the problem: number of inputs, corruption, and a shift of all numbers."""

    words: str
    n_samples: int
    corruption: IntervalCorruption | None = None
    shift: float = 0.0


_EITHER_SIDE = SkewedCorruption(side="either")
VARIATIONS: tuple[Variation, ...] = (
    Variation("as in the paper, n = 10", 10),
    Variation("the same moved by 3", 10, shift=3.0),
    Variation("truth anywhere in the interval, n = 10", 10, _EITHER_SIDE),
    Variation("as in the paper, n = 30", 30),
    Variation("as in the paper, n = 100", 100),
    Variation("truth anywhere in the interval, n = 30", 30, _EITHER_SIDE),
    Variation("truth anywhere in the interval, n = 100", 100, _EITHER_SIDE),
    Variation("widths from 0 to 4, n = 30", 30, WidthCorruption(4.0)),
    Variation("rounded to multiples of 1, n = 30", 30, RoundingCorruption(1.0)),
    Variation("bins with edges -.5 and .5, n = 30", 30, BinCorruption([-0.5, 0.5])),
    Variation("cut at 0 from below, n = 30", 30, CensoringCorruption(lower=0.0)),
)
COMPARED: dict[str, tuple[str, str, str, str]] = {
    "DF, intercept": ("DF", "risk", "intercept", "optimum"),
    "AC, intercept": ("AC", "risk", "intercept", "closed form"),
    "DF with margin": ("DF", "risk", "intercept", "margin"),
    "DF, no intercept": ("DF", "risk", "as they are", "optimum"),
    "AC, no intercept": ("AC", "risk", "as they are", "closed form"),
    "IL exact, intercept": ("IL", "exact", "intercept", "optimum"),
    "truth, intercept": ("truth", "risk", "intercept", "closed form"),
}


def find(
    found: Sequence[tuple[Method, Errors]], family: str, objective: str, weights: str, end: str
) -> Errors:
    """The errors of the method with this description."""
    (errors,) = (e for m, e in found if m.described == (family, objective, weights, end))
    return errors


def compare(
    variation: Variation, n_seeds: int, seed: int, print_line: Callable[[str], None]
) -> list[Errors]:
    """The errors of the methods of `COMPARED`, in their order."""
    begun = time.process_time()
    problems = [
        sine_problem(
            seed + t,
            variation.n_samples,
            corruption=variation.corruption,
            shift=variation.shift,
        )
        for t in range(n_seeds)
    ]
    errors = []
    for wanted in COMPARED.values():
        (method,) = (m for m in METHODS if m.described == wanted)
        errors.append(measure(method, problems))
    print_line(f"{variation.words}: {time.process_time() - begun:.1f} s CPU")
    return errors
