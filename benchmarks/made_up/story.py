"""A story: data that are drawn from a seed, a score, our default, and the alternatives."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Drawn", "Method", "Score", "Story", "mean_squared_error", "share_right"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Data of one seed.

    `X` and `y` are what the user has. A method returns outputs at `queries`, which are compared
    with `truth`. Queries are new inputs; where few labels are given, they are the places of the
    unlabeled rows in X.
    """

    X: Any
    y: Any
    queries: Any
    truth: Any

    @property
    def digest(self) -> str:
        """A short text that changes with the data."""
        text = hashlib.sha256()
        for part in (self.X, self.y, self.queries, self.truth):
            text.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
        return text.hexdigest()[:12]


@dataclass(frozen=True, eq=False)
class Method:
    """A name and a function from data to outputs at the queries.

    `uses_disambig`: outcomes depend on the source of the library. `version` must be increased when
    the function changes. From more than `max_rows` rows the method is left out.
    """

    name: str
    learn: Callable[[Drawn], Any]
    uses_disambig: bool = False
    version: int = 1
    max_rows: int | None = None


@dataclass(frozen=True, eq=False)
class Score:
    """A name, a function of truth and outputs, its direction, and how it is printed."""

    name: str
    of: Callable[[Any, Any], float]
    higher_is_better: bool
    text: Callable[[float], str] = "{:.3f}".format

    @property
    def sign(self) -> int:
        return 1 if self.higher_is_better else -1


@dataclass(frozen=True, eq=False)
class Story:
    """`draw(seed, n)` gives data of n training rows; `ours` is compared with the best of `others`.

    A story that is `apart` has no part in the count of stories in which ours is good enough.
    `target` is a mean score that ours should reach.
    """

    name: str
    draw: Callable[[int, int], Drawn]
    n: int
    score: Score
    ours: Method
    others: tuple[Method, ...]
    apart: bool = False
    target: float | None = None

    def methods(self, n: int) -> tuple[Method, ...]:
        """Ours first, then the others that take n rows."""
        others = (m for m in self.others if m.max_rows is None or n <= m.max_rows)
        return (self.ours, *others)


def mean_squared_error(truth: Any, found: Any) -> float:
    return float(np.mean((np.asarray(found) - truth) ** 2))


def share_right(truth: Any, found: Any) -> float:
    return float(np.mean(np.asarray(found) == truth))
