"""A case: a number, its own source of randomness, and what it did, in words."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


@dataclass
class Case:
    """One generated input. Equal seeds and numbers make equal cases.

    Parameters
    ----------
    seed, number : int
    folder : Path
        For files; emptied by nobody while the cases run.
    """

    seed: int
    number: int
    folder: Path
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(f"{self.seed}/{self.number}")
        self.numpy = np.random.default_rng(self.random.getrandbits(64))
        # How much is wrong: if everything is, the first check refuses it and no other is tried.
        self._oddness = self.random.choice([0.1, 0.3, 1.0])

    def note(self, text: str) -> None:
        """Remember what was generated, for the report of a defect."""
        self.notes.append(text)

    def pick(self, options: Sequence[T]) -> T:
        """One of several values."""
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.random.random() < probability

    def is_odd(self, probability: float) -> bool:
        """True with a probability that is smaller in cases in which little is wrong."""
        return self.chance(probability * self._oddness)

    def rows(self, least: int = 1) -> int:
        """A number of rows: few, or as many as held-out judges need."""
        return self.size(30, 60) if self.chance(0.25) else self.size(least, 30)

    def size(self, least: int, most: int) -> int:
        """An integer, small ones more often."""
        return least + int((most - least + 1) * self.random.random() ** 1.5)

    def option(self, name: str, good: Sequence[Any], odd: Sequence[Any], share: float = 0.2) -> Any:
        """The value of a parameter: usually a good one. Functions make values when needed."""
        value = self.pick(odd) if odd and self.is_odd(share) else self.pick(good)
        value = value() if isinstance(value, Made) else value
        self.note(f"{name}={value!r:.80}")
        return value


@dataclass(frozen=True)
class Made:
    """A value that is made anew for every case."""

    make: Callable[[], Any]

    def __call__(self) -> Any:
        return self.make()


# What somebody may pass for any parameter.
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2.5,
    float("nan"),
    float("inf"),
    10**30,
    "",
    "magic",
    b"bytes",
    1j,
    [],
    (),
    [1, 2],
    ["a", None],
    {"a": 1},
    Made(set),
    Made(object),
    object,
    len,
    Made(lambda: np.zeros(0)),
    Made(lambda: np.array([[1.0, np.nan]])),
    Made(lambda: np.array("text")),
    Made(lambda: np.int64(3)),
    Made(lambda: np.float32(0.5)),
    Made(lambda: iter([1, 2])),
)
