"""Protocols of candidate sets: one set of possible targets per row."""

from typing import Any, Protocol, runtime_checkable

from disambig.notation import BoolArray, IntArray


@runtime_checkable
class Candidates(Protocol):
    """``s[0], ..., s[n - 1]``: for every sample the set of targets that it may have.

    This is what all kinds of candidates share, and what scikit-learn needs to split them like any
    other ``y``. Solvers and losses read the arrays of the concrete classes.

    Examples
    --------
    >>> from disambig.candidates import Candidates, Intervals
    >>> isinstance(Intervals([0.0, 2.0], [1.0, 2.0]), Candidates)
    True
    """

    def __len__(self) -> int:
        """Number of rows, ``n``."""
        ...

    def __getitem__(self, rows: Any) -> Any:
        """The same kind of candidates for some rows; for an integer, the set of that row."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """``(n, ...)``."""
        ...

    @property
    def informative(self) -> BoolArray:
        """Rows whose set excludes something, shape ``(n,)``."""
        ...

    @property
    def couples_rows(self) -> bool:
        """Whether a constraint over rows restricts the targets, beside the set of each row."""
        ...


@runtime_checkable
class RepeatedSets(Protocol):
    """Candidates that know which of their rows have the same set.

    What depends on the set alone is then computed once per distinct set.
    """

    @property
    def distinct(self) -> tuple[IntArray, IntArray]:
        """The first row of each distinct set, ``(d,)``, and which of them a row has, ``(n,)``."""
        ...
