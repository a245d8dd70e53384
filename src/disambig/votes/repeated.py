"""The same votes for several independent problems at once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.notation import FloatArray, IntArray
from disambig.votes.protocol import Votes


@dataclass(frozen=True, eq=False)
class RepeatedVotes:
    """A block-diagonal matrix with ``alpha`` in each of `times` blocks: independent problems.

    All problems share one product with `times` as many columns, which costs far less than `times`
    products. Methods that return single entries raise `MissingOracleError`; call them on the votes
    of one problem.

    Parameters
    ----------
    votes : Votes (q, n)
    times : int

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import as_votes
    >>> votes = RepeatedVotes(as_votes([[0.5, 0.5], [0.0, 1.0]]), 2)
    >>> votes @ np.array([1.0, 0.0, 0.0, 1.0])
    array([0.5, 0. , 0.5, 1. ])
    """

    votes: Votes
    times: int

    entries = None
    compressed = None

    @property
    def shape(self) -> tuple[int, int]:
        q, n = self.votes.shape
        return self.times * q, self.times * n

    @property
    def is_nonnegative(self) -> bool:
        return self.votes.is_nonnegative

    @property
    def is_symmetric(self) -> bool:
        return self.votes.is_symmetric

    @property
    def absolute_sums_are_bounds(self) -> bool:
        return self.votes.absolute_sums_are_bounds

    @cached_property
    def T(self) -> "RepeatedVotes":
        transposed = self.votes.T
        return self if transposed is self.votes else RepeatedVotes(transposed, self.times)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        q, n = self.votes.shape
        side_by_side = values.reshape(self.times, n, -1).swapaxes(0, 1).reshape(n, -1)
        product = self.votes @ np.ascontiguousarray(side_by_side)
        blocks = product.reshape(q, self.times, -1).swapaxes(0, 1)
        return blocks.reshape(self.times * q, *values.shape[1:])

    def row_sums(self) -> FloatArray:
        return np.tile(self.votes.row_sums(), self.times)

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        if scales is None:
            return np.tile(self.votes.absolute_row_sums(), self.times)
        return self._each(scales, self.votes.absolute_row_sums)

    def diagonal(self) -> FloatArray:
        q, n = self.votes.shape
        if q != n:
            self._refuse("diagonal")
        return np.tile(self.votes.diagonal(), self.times)

    def split(self) -> tuple["RepeatedVotes", "RepeatedVotes"]:
        positive, negative = self.votes.split()
        return RepeatedVotes(positive, self.times), RepeatedVotes(negative, self.times)

    def scale_rows(self, factors: FloatArray) -> "RepeatedVotes":
        blocks = factors.reshape(self.times, -1)
        if not (blocks == blocks[0]).all():
            self._refuse("scale_rows")
        return RepeatedVotes(self.votes.scale_rows(blocks[0]), self.times)

    def without_own(self) -> "RepeatedVotes | None":
        others = self.votes.without_own()
        return None if others is None else RepeatedVotes(others, self.times)

    def rows(self, start: int, stop: int) -> Any:
        self._refuse("rows")

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        self._refuse("column_entries")

    def links(self, rows: IntArray) -> Any:
        self._refuse("links")

    def strongest(self, limit: int) -> IntArray:
        self._refuse("strongest")

    def _each(self, values: FloatArray, compute: Callable[[FloatArray], FloatArray]) -> FloatArray:
        return np.concatenate([compute(block) for block in values.reshape(self.times, -1)])

    def _refuse(self, name: str) -> NoReturn:
        raise MissingOracleError(
            f"RepeatedVotes: {name}() is not defined for several problems at once. Call it on the "
            "votes of one of them."
        )
