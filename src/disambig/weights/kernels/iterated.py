"""Ridge regression on features that are computed block by block in every product, by iteration.

`FeatureRows` is the matrix of features as an operator; `IteratedRank` gives the votes of the
regression for any ridge, in the memory of X and a few Gram matrices.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import scipy.linalg
from scipy.linalg import solve_triangular

from disambig.exceptions import VotesError
from disambig.memory import free_bytes, require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.iterated import FactoredInverse, IteratedVotes, NormalInverse
from disambig.weights.divided.features import FeatureBlocks
from disambig.weights.divided.rows import DividedRows, is_divided

# Entries of a block: 16 MiB.
_ENTRIES_PER_BLOCK = 2**21
# Sampled rows of the preconditioner for each feature: they take a third to a half of the iterations
# that one row for each feature takes, or that the landmarks themselves take.
_SAMPLE_ROWS_PER_FEATURE = 4
# Largest condition number of the normal equations: beyond, rounding errors outweigh the ridge.
_MAX_CONDITION = 1e12
# Own vote above which the votes of the others are of the size of rounding errors.
_MAX_OWN_VOTE = 1.0 - 1e-10


class FeatureMap(Protocol):
    """``phi(x) = b(x) R^{-1}`` with a triangle R, or ``phi = b`` without one."""

    @property
    def rank(self) -> int:
        """The number of features."""
        ...

    @property
    def triangle(self) -> FloatArray | None:
        """R, ``(r, r)``, upper."""
        ...

    def __call__(self, X: Any) -> FloatArray:
        """phi of the rows of X, ``(q, r)``."""
        ...

    def raw(self, X: Any) -> FloatArray:
        """b of the rows of X, ``(q, r)``."""
        ...

    def squares(self, X: Any) -> FloatArray:
        """Bounds of ``|phi(x)|^2``, ``(q,)``."""
        ...


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Phi of shape (n, r): rows ``phi(x)``; with a center, rows ``(phi(x) - center, 1)``.

    Parameters
    ----------
    feature_map : FeatureMap
    X : (n, d)
    center : float64, (p,), or None
    stored : float64, (n, p), or None
        b of all rows, if it is kept in memory.
    """

    feature_map: FeatureMap
    X: Any
    center: FloatArray | None = None
    stored: FloatArray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape[0], self.feature_map.rank + (self.center is not None)

    def kept(self) -> "FeatureRows":
        """The same features with b of all rows in memory."""
        stored = np.empty((self.X.shape[0], self.feature_map.rank))
        for start, block in self._blocks():
            stored[start : start + block.shape[0]] = block
        return replace(self, stored=stored)

    def centered(self, sample_weight: FloatArray) -> "FeatureRows":
        """The same features minus their weighted mean, and a column of ones."""
        return replace(
            self, center=self.gather((sample_weight / sample_weight.sum())[:, None])[:, 0]
        )

    def at(self, X: Any) -> "FeatureRows":
        """The features of other inputs."""
        return replace(self, X=X, stored=None)

    def take(self, rows: IntArray) -> "FeatureRows":
        """The features of some of the rows."""
        stored = None if self.stored is None else self.stored[rows]
        return replace(self, X=self.X[rows], stored=stored)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        """``Phi @ values`` for values ``(r, k)``."""
        p = self.feature_map.rank
        inner, triangle = values[:p], self.feature_map.triangle
        constant = np.zeros(values.shape[1])
        if self.center is not None:
            constant = values[p] - self.center @ inner
        if triangle is not None:
            inner = solve_triangular(triangle, inner, check_finite=False)
        product = np.empty((self.X.shape[0], values.shape[1]))
        for start, block in self._blocks():
            product[start : start + block.shape[0]] = block @ inner + constant
        return product

    def gather(self, values: FloatArray) -> FloatArray:
        """``Phi' @ values`` for values ``(n, k)``."""
        total = np.zeros((self.feature_map.rank, values.shape[1]))
        for start, block in self._blocks():
            total += block.T @ values[start : start + block.shape[0]]
        if self.feature_map.triangle is not None:
            total = solve_triangular(self.feature_map.triangle, total, trans=1, check_finite=False)
        if self.center is None:
            return total
        sums = values.sum(axis=0)
        return np.vstack([total - np.multiply.outer(self.center, sums), sums])

    def rows(self, start: int, stop: int) -> FloatArray:
        """``Phi[start:stop]`` as an array."""
        found = self.feature_map(self.X[start:stop])
        if self.center is None:
            return found
        return np.column_stack([found - self.center, np.ones(found.shape[0])])

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """``(start, Phi[start:stop])`` from the first row to the last."""
        step = max(1, _ENTRIES_PER_BLOCK // max(1, self.shape[1]))
        for start in range(0, self.X.shape[0], step):
            yield start, self.rows(start, start + step)

    def gram(self, sample_weight: FloatArray) -> FloatArray:
        """``Phi' W Phi``, ``(r, r)``, for the diagonal ``(n,)`` of W."""
        size = self.shape[1]
        gram = np.zeros((size, size))
        for start, block in self.blocks():
            block = block * np.sqrt(sample_weight[start : start + block.shape[0], None])
            gram += block.T @ block
        return gram

    def forms(self, factor: FloatArray) -> FloatArray:
        """``|F^{-1} phi_i|^2`` for a lower triangle F ``(r, r)``, ``(n,)``."""
        forms = np.empty(self.shape[0])
        for start, block in self.blocks():
            half = solve_triangular(factor, block.T, lower=True, check_finite=False)
            forms[start : start + block.shape[0]] = np.einsum("ri,ri->i", half, half)
        return forms

    def squares(self) -> FloatArray:
        """Bounds of squared lengths, without the column of ones, ``(n,)``."""
        squares = self.feature_map.squares(self.X)
        if self.center is not None:
            return np.asarray((np.sqrt(squares) + np.linalg.norm(self.center)) ** 2)
        for start, block in self._blocks():
            # A row whose kernel with every landmark is zero has no features.
            squares[start : start + block.shape[0]] *= block.any(axis=1)
        return squares

    def _blocks(self) -> Iterator[tuple[int, FloatArray]]:
        step = max(1, _ENTRIES_PER_BLOCK // max(1, self.feature_map.rank))
        for start in range(0, self.X.shape[0], step):
            if self.stored is None:
                yield start, self.feature_map.raw(self.X[start : start + step])
            else:
                yield start, self.stored[start : start + step]


@dataclass(frozen=True, eq=False)
class IteratedRank:
    """The same votes as `LowRank`, in the memory of X and a few matrices ``(p, p)``.

    Parameters
    ----------
    rows : FeatureRows or FeatureBlocks (n, r)
        Phi.
    sample_weight : float64, (n,)
        The diagonal of W.
    sample : float64, (p, p)
        An estimate of ``Phi' W Phi`` from some of the rows, or from all.
    is_exact : bool
        Whether it is from all rows; then nothing is iterated.
    """

    rows: Any
    sample_weight: FloatArray
    sample: FloatArray
    is_exact: bool = False

    def check_ridge(self, owner: str, ridge: float, what: str) -> None:
        """Raise an error if ``Phi' W Phi + ridge I`` cannot be solved in double precision."""
        largest = float(np.abs(self.sample).sum(axis=0).max(initial=0.0))
        if not ridge * _MAX_CONDITION >= largest or ridge <= 0:
            total = float(self.sample_weight.sum())
            raise VotesError(
                f"{owner}: the regression on {what} cannot be solved by iteration at "
                f"regularization={ridge / total:g}. Use a regularization above "
                f"{max(largest / _MAX_CONDITION / total, 1e-300):.1e}, or solver='direct'."
            )

    def votes(self, X: Any, ridge: float) -> IteratedVotes:
        """``alpha`` at inputs, ``(q, n)``."""
        left = self.rows.at(X)
        ones = np.ones(X.shape[0])
        return IteratedVotes(left, self._inverse(ridge), self.rows, ones, self.sample_weight)

    def training_votes(self, ridge: float) -> IteratedVotes:
        """``alpha`` at the training inputs, ``(n, n)``."""
        forms = partial(self._forms, ridge)
        ones = np.ones(self.sample_weight.size)
        inverse = self._inverse(ridge)
        return IteratedVotes(self.rows, inverse, self.rows, ones, self.sample_weight, None, forms)

    def leave_one_out_votes(self, ridge: float) -> IteratedVotes:
        """``alpha[i, j] / (1 - alpha[i, i])`` for j != i, and 0 for j = i, ``(n, n)``."""
        own = self._forms(ridge) * self.sample_weight
        alone = own > _MAX_OWN_VOTE
        factors = np.where(alone, 0.0, 1.0 / np.where(alone, 1.0, 1.0 - own))
        forms, inverse = partial(np.asarray, own / self.sample_weight), self._inverse(ridge)
        return IteratedVotes(
            self.rows, inverse, self.rows, factors, self.sample_weight, own * factors, forms
        )

    def residual_form(self, ridge: float) -> IteratedVotes:
        """``W (I - alpha)``, symmetric, ``(n, n)``."""
        forms, sample_weight = partial(self._forms, ridge), self.sample_weight
        inverse = self._inverse(ridge)
        return IteratedVotes(
            self.rows, inverse, self.rows, -sample_weight, sample_weight, -sample_weight, forms
        )

    def _inverse(self, ridge: float) -> NormalInverse | FactoredInverse:
        matrix = self.sample.copy()
        matrix[np.diag_indices_from(matrix)] += ridge
        factor = scipy.linalg.cholesky(matrix, overwrite_a=True, check_finite=False)
        constant = self.rows.shape[1] > self.sample.shape[0]
        kind = FactoredInverse if self.is_exact else NormalInverse
        return kind(self.rows, self.sample_weight, ridge, factor, constant)

    def _forms(self, ridge: float) -> FloatArray:
        """``phi_i' (Phi' W Phi + ridge I)^{-1} phi_i`` exactly, ``(n,)``."""
        gram = self.rows.gram(self.sample_weight)
        # The constant column is orthogonal to the others, and has no ridge.
        p = self.sample.shape[0]
        gram[p:, :p] = gram[:p, p:] = 0.0
        gram[np.arange(p), np.arange(p)] += ridge
        factor = scipy.linalg.cholesky(gram, lower=True, overwrite_a=True, check_finite=False)
        forms: FloatArray = self.rows.forms(factor)
        return forms


def iterated_rank(
    owner: str,
    feature_map: FeatureMap,
    X: Any,
    sample_weight: FloatArray,
    *,
    intercept: bool,
    random: np.random.RandomState,
) -> IteratedRank:
    """Sample the rows of the preconditioner; keep b of all rows if it fits in memory.

    Of rows in parts, the Gram matrix of all rows is computed.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    feature_map : FeatureMap
    X : (n, d)
    sample_weight : (n,)
    intercept : bool
    random : RandomState
    """
    n, p = X.shape[0], feature_map.rank
    require_bytes(
        8.0 * 6 * p * p,
        f"{owner}: the preconditioner of {p} features",
        "Use fewer features.",
    )
    if is_divided(X):
        return _divided_rank(feature_map, X, sample_weight, intercept)
    rows = FeatureRows(feature_map, X)
    free = free_bytes()
    if free is not None and 8.0 * n * p <= free / 4:
        rows = rows.kept()
    if intercept:
        rows = rows.centered(sample_weight)
    size = min(n, _SAMPLE_ROWS_PER_FEATURE * p)
    chosen = np.sort(random.permutation(n)[:size])
    sample = np.zeros((p, p))
    for start, block in rows.take(chosen).blocks():
        weights = sample_weight[chosen[start : start + block.shape[0]]]
        block = (
            block[:, :p]
            * np.sqrt(weights * (sample_weight.sum() / sample_weight[chosen].sum()))[:, None]
        )
        sample += block.T @ block
    return IteratedRank(rows, sample_weight, sample)


def _divided_rank(
    feature_map: FeatureMap, X: DividedRows, sample_weight: FloatArray, intercept: bool
) -> IteratedRank:
    p = feature_map.rank
    rows = _feature_blocks(feature_map, X, None)
    if intercept:
        shares = (sample_weight / sample_weight.sum())[:, None]
        rows = _feature_blocks(feature_map, X, rows.gather(shares)[:, 0])
    gram = rows.gram(sample_weight)[:p, :p]
    return IteratedRank(rows, sample_weight, gram, is_exact=True)


def _feature_blocks(
    feature_map: FeatureMap, X: DividedRows, center: FloatArray | None
) -> FeatureBlocks:
    at = partial(_features_at, feature_map=feature_map, center=center)
    blocks = X.blocks(_features_at, feature_map, center)
    return FeatureBlocks(X, blocks, at, feature_map.rank + (center is not None))


def _features_at(X: Any, feature_map: FeatureMap, center: FloatArray | None) -> FeatureRows:
    return FeatureRows(feature_map, X, center)
