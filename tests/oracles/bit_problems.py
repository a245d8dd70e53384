"""Small problems with bits, and each of their tags as a problem with two classes."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from disambig.candidates import LabelSets, PartialBits
from disambig.losses import HammingLoss, ZeroOneLoss
from disambig.losses.bits.hamming import BoundHamming
from disambig.notation import AnyArray, FloatArray
from disambig.problem import Problem
from tests.oracles.tiny_problems import WEIGHTINGS, wrapped

__all__ = ["BitProblem", "all_bits", "bit_problems", "sets_of_tag"]


def all_bits(m: int) -> AnyArray:
    """Every output of m bits, ``(2 ** m, m)``."""
    return np.array(list(product([0, 1], repeat=m)), dtype=np.int8)


def sets_of_tag(bits: PartialBits, tag: int) -> LabelSets:
    """One tag as sets of the classes 0 and 1."""
    column = bits.bits[:, tag]
    return LabelSets(np.column_stack([column != 1, column != 0]), np.arange(2))


@dataclass(frozen=True)
class BitProblem:
    """The parts of a problem, and the problem itself."""

    A: FloatArray
    loss: BoundHamming
    bits: PartialBits
    form: str

    @property
    def problem(self) -> Problem:
        return Problem(wrapped(self.A, self.form), self.loss, self.bits)

    def tag(self, t: int) -> Problem:
        """The problem of tag t alone, under the 0-1 loss."""
        sets = sets_of_tag(self.bits, t)
        return Problem(wrapped(self.A, self.form), ZeroOneLoss().bind(sets.classes), sets)


@st.composite
def bit_problems(
    draw: st.DrawFn,
    forms: tuple[str, ...] = ("dense", "sparse", "product"),
    weightings: tuple[str, ...] = tuple(WEIGHTINGS),
) -> BitProblem:
    """Problems with votes of every weighting, signed ones included; tags may have weights."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    bits = rng.integers(-1, 2, size=(n, m)).astype(np.int8)
    weights = None if draw(st.booleans()) else rng.integers(1, 4, size=m)
    A = WEIGHTINGS[draw(st.sampled_from(weightings))](rng, n)
    loss = HammingLoss(weights).bind(np.arange(m))
    return BitProblem(A, loss, PartialBits(bits), draw(st.sampled_from(forms)))
