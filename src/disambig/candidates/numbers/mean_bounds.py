"""Intervals with bounds on the mean of each bag of rows: a constraint over rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Never

import numpy as np

from disambig.candidates.numbers.intervals import Intervals, read_only, row_positions, value_table
from disambig.candidates.numbers.mean_projection import nearest_with_sums
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# Means that miss what intervals allow by so little, relative to the ends, do so by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class MeanBounds:
    """`Intervals` of which the numbers of bag b have a mean from ``bounds[b, 0]`` to ``[b, 1]``.

    The means couple the rows: which numbers a row may have depends on the others of its bag. A part
    of a bag has no known mean, so that rows can be selected only by whole bags, in any order.
    Everything else is that of the intervals, except that the centre of a row that allows every
    number is the middle of the bounds of its bag.

    Parameters
    ----------
    sets : Intervals
        Of plain numbers.
    bounds : array-like (B, 2)
        The smallest and the largest mean of each bag; ``-inf`` and ``inf`` for no bound.
    bags : int array (n,)
        The bag of each row, from 0 to B - 1.
    names : tuple of B names, optional
        Of the bags, for messages; by default their numbers.

    See Also
    --------
    disambig.candidates.bag_means : From names of bags and a mapping.

    Examples
    --------
    >>> sets = Intervals.from_any([(0, 1), (0, 4), 3.0])
    >>> means = MeanBounds(sets, [[1.5, 1.5], [0, 9]], [0, 0, 1])
    >>> means
    MeanBounds(3 rows in 2 bags, ends from 0 to 4)
    >>> means.nearest([0.0, 0.0, 0.0]).ravel()
    array([1., 2., 3.])
    """

    sets: Intervals
    bounds: FloatArray
    bags: IntArray
    names: tuple[Any, ...] | None = None

    couples_rows = True

    def __post_init__(self) -> None:
        if not isinstance(self.sets, Intervals):
            self._refuse_sets(type(self.sets).__name__)
        if not self.sets.flat:
            self._refuse_sets("boxes")
        bounds = np.array(self.bounds, dtype=np.float64)
        bags = np.asarray(self.bags)
        n_bags = len(bounds)
        is_code = bags.dtype.kind in "iu" and bags.shape == (len(self.sets),)
        if bounds.shape != (n_bags, 2) or not is_code or not ((bags >= 0) & (bags < n_bags)).all():
            raise CandidateError(
                f"MeanBounds: expected bounds of shape (bags, 2) and for each of the "
                f"{len(self.sets)} rows the number of its bag; got bounds of shape {bounds.shape} "
                f"and bags {bags!r:.80}. Names of bags are read by bag_means."
            )
        object.__setattr__(self, "bags", read_only(bags.astype(np.intp)))
        if self.names is not None:
            object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "bounds", read_only(self._reachable(bounds)))

    @staticmethod
    def _refuse_sets(got: str) -> Never:
        raise CandidateError(
            f"MeanBounds: means of bags need intervals of plain numbers; got {got}. Give every "
            "row one interval, or leave the means out."
        )

    def _reachable(self, bounds: FloatArray) -> FloatArray:
        """The bounds, moved into what the intervals allow; raises if that is more than rounding."""
        if (self.sizes == 0).any():
            b = int(np.argmax(self.sizes == 0))
            raise CandidateError(
                f"MeanBounds: bag {self.bag_name(b)!r} has no rows. Leave out bags without rows."
            )
        lower, upper = self.lower[:, 0], self.upper[:, 0]
        least, most = (np.bincount(self.bags, ends) / self.sizes for ends in (lower, upper))
        wrong = (
            ~(bounds[:, 0] <= bounds[:, 1]) | (bounds[:, 0] == np.inf) | (bounds[:, 1] == -np.inf)
        )
        if wrong.any():
            self._refuse(bounds, wrong, "expected smallest <= largest, neither of them NaN")
        size = np.where(np.isfinite(bounds), np.abs(bounds), 0.0).max(axis=1)
        slack = _ROUNDING * np.maximum(size, np.abs(self.sets.span).max())
        wrong = (bounds[:, 0] > most + slack) | (bounds[:, 1] < least - slack)
        if wrong.any():
            b = int(wrong.argmax())
            self._refuse(
                bounds,
                wrong,
                f"the intervals of its {self.sizes[b]} rows allow means from {least[b]:.6g} to "
                f"{most[b]:.6g}",
            )
        return np.stack([np.clip(end, least, most) for end in bounds.T], axis=1)

    def _refuse(self, bounds: FloatArray, wrong: BoolArray, why: str) -> Never:
        b = int(wrong.argmax())
        low, high = bounds[b].tolist()
        given = f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"
        raise CandidateError(
            f"means: the mean of bag {self.bag_name(b)!r} is {given}, and {why}. Correct the mean "
            "or the intervals."
        )

    @cached_property
    def sizes(self) -> IntArray:
        """Rows of each bag, ``(B,)``."""
        return np.bincount(self.bags, minlength=len(self.bounds))

    @cached_property
    def sums(self) -> FloatArray:
        """The smallest and the largest sum of each bag, ``(B, 2)``."""
        return self.bounds * self.sizes[:, None]

    def bag_name(self, bag: int) -> Any:
        """The name of a bag for messages; its number if it has none.

        Parameters
        ----------
        bag : int
        """
        return bag if self.names is None else self.names[bag]

    # ------------------------------------------------------------------ array interface

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def shape(self) -> tuple[int, ...]:
        """``(n, 2)``."""
        return self.sets.shape

    @property
    def ndim(self) -> int:
        """2."""
        return self.sets.ndim

    def __getitem__(self, rows: Any) -> Any:
        chosen = row_positions(rows, len(self), "MeanBounds")
        if isinstance(chosen, int):
            return self.sets[chosen]
        taken = np.bincount(self.bags[chosen], minlength=len(self.bounds))
        is_whole = (taken == 0) | (taken == self.sizes)
        if np.unique(chosen).size != chosen.size or not is_whole.all():
            b = int(is_whole.argmin())
            raise CandidateError(
                f"MeanBounds: {taken[b]} of {self.sizes[b]} rows in bag {self.bag_name(b)!r} are "
                "selected, and the mean of a part is not known. Keep bags whole (BagKFold, no "
                "weight of zero in a part), or select rows of the attribute sets."
            )
        kept = np.flatnonzero(taken)
        codes = np.searchsorted(kept, self.bags[chosen])
        names = None if self.names is None else tuple(self.names[b] for b in kept.tolist())
        return MeanBounds(self.sets[chosen], self.bounds[kept], codes, names)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sets)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return self.sets.__array__(dtype, copy)

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled arrays are writeable; the constructor makes them read-only.
        return MeanBounds, (self.sets, self.bounds, self.bags, self.names)

    # Objects with equal contents are equal, so a hash by identity would be wrong.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MeanBounds):
            return NotImplemented
        return (
            self.sets == other.sets
            and np.array_equal(self.bounds, other.bounds)
            and np.array_equal(self.bags, other.bags)
            and self.names == other.names
        )

    def __repr__(self) -> str:
        low, high = self.span[0].tolist()
        return (
            f"MeanBounds({len(self)} rows in {len(self.bounds)} bags, "
            f"ends from {low:g} to {high:g})"
        )

    # ------------------------------------------------------------------ contents of the sets

    @property
    def flat(self) -> bool:
        """True: targets are plain numbers."""
        return True

    @property
    def n_columns(self) -> int:
        """1."""
        return 1

    @property
    def lower(self) -> FloatArray:
        """The lower ends of the intervals, ``(n, 1)``."""
        return self.sets.lower

    @property
    def upper(self) -> FloatArray:
        """The upper ends of the intervals, ``(n, 1)``."""
        return self.sets.upper

    @property
    def informative(self) -> BoolArray:
        """Rows whose interval excludes some number, ``(n,)``; the means are not considered."""
        return self.sets.informative

    @property
    def is_point(self) -> BoolArray:
        """Rows whose interval is a point, ``(n,)``."""
        return self.sets.is_point

    @cached_property
    def span(self) -> FloatArray:
        """Smallest and largest finite end of intervals and means, ``(1, 2)``."""
        known = self.sets.lower, self.sets.upper, self.bounds.reshape(-1, 1)
        ends = np.concatenate(known)
        ends = ends[np.isfinite(ends)]
        return np.array([[ends.min(), ends.max()]]) if ends.size else np.zeros((1, 2))

    @cached_property
    def centers(self) -> FloatArray:
        """Those of the intervals; of rows that allow every number that of the mean, ``(n, 1)``."""
        middles = Intervals(self.bounds[:, 0], self.bounds[:, 1]).centers
        return np.where(np.isnan(self.sets.centers), middles[self.bags], self.sets.centers)

    @property
    def hull(self) -> Intervals:
        """The intervals."""
        return self.sets

    def segments_at(self, values: Any) -> Intervals:
        """The intervals."""
        return self.sets

    def nearest(self, values: Any) -> FloatArray:
        """The numbers of least squared distance that keep intervals and means, ``(n, 1)``."""
        table = value_table(values, len(self), 1, "MeanBounds")[:, 0]
        return self.nearest_column(table)[:, None]

    def nearest_column(
        self, values: FloatArray, curvature: FloatArray | None = None, shift: float = 0.0
    ) -> FloatArray:
        """The same for ``(n,)``, with weights of the squares, and numbers less `shift`.

        Parameters
        ----------
        values : float array (n,)
        curvature : float array (n,), optional
            Positive; None: ones.
        shift : float, default 0
        """
        lower, upper = self.lower[:, 0] - shift, self.upper[:, 0] - shift
        sums = self.sums - shift * self.sizes[:, None]
        return nearest_with_sums(values, lower, upper, self.bags, sums, curvature)

    def distances(self, values: Any) -> FloatArray:
        """The distance of each value to its interval, ``(n, 1)``; means are not considered."""
        return self.sets.distances(values)

    def contains(self, values: Any) -> BoolArray:
        """Whether each value lies in its interval, ``(n,)``; means are not considered."""
        return self.sets.contains(values)

    def within(self, span: Any) -> "MeanBounds":
        """The same means of intervals whose infinite ends are moved to those of `span`."""
        return MeanBounds(self.sets.within(span), self.bounds, self.bags, self.names)

    def inset(self, margin: float) -> "MeanBounds":
        """The same means of intervals whose finite ends are moved inwards by `margin`."""
        return MeanBounds(self.sets.inset(margin), self.bounds, self.bags, self.names)
