"""Ridge regression on a few features, for every ridge.

`LowRank` keeps the features of all rows and decomposes their Gram matrix once; `feature_ridge`
chooses between it and the iterative `IteratedRank`, which needs less memory.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import VotesError
from disambig.memory import is_free, require_bytes
from disambig.notation import FloatArray
from disambig.votes.iterated import IteratedVotes
from disambig.votes.product import ProductVotes
from disambig.weights.divided.projection import FeatureProjection
from disambig.weights.divided.rows import is_divided
from disambig.weights.inputs import query_inputs
from disambig.weights.kernels.iterated import FeatureMap, IteratedRank, iterated_rank
from disambig.weights.kernels.system import spectrum_of

# Largest condition number: beyond, rounding errors in the Gram matrix outweigh the ridge.
_MAX_CONDITION = 1e12
# Entries of a block of features: 16 MiB.
_ENTRIES_PER_BLOCK = 2**21
# Own vote above which the votes of the others are of the size of rounding errors.
_MAX_OWN_VOTE = 1.0 - 1e-10
SOLVERS = ("auto", "direct", "iterative")


@dataclass(frozen=True, eq=False)
class LowRank:
    """``Psi`` with ``Psi' W Psi = diag(e)``: features, rotated to a diagonal Gram matrix.

    ``alpha = Psi diag(1 / (e + ridge)) Psi' W`` for every ridge. With an intercept the features
    have weighted mean zero, and a last one is constant and has no ridge.

    Parameters
    ----------
    feature_map : function of (q, d) -> float64 (q, p)
        The features before rotation.
    features : float64, (n, r)
        Psi.
    energies : float64, (r,), ascending but for that of the constant
        e.
    sample_weight : float64, (n,)
        The diagonal of W.
    rotation : float64, (p, min(p, n))
        Turns these features, minus `center`, into Psi.
    center : float64, (p,), or None
        Their weighted mean; None without an intercept.
    """

    feature_map: Callable[[Any], FloatArray]
    features: FloatArray
    energies: FloatArray
    sample_weight: FloatArray
    rotation: FloatArray
    center: FloatArray | None

    def __post_init__(self) -> None:
        for array in (self.features, self.energies, self.rotation):
            array.flags.writeable = False

    @property
    def intercept(self) -> bool:
        """Whether the regression has an intercept."""
        return self.center is not None

    def condition(self, ridge: float) -> float:
        """Condition number of ``Psi' W Psi + ridge I`` without the constant, maybe infinite."""
        values = self.energies[: self.rotation.shape[1]] + ridge
        if not values.size:
            return 1.0
        return float(values.max() / values.min()) if values.min() > 0 else float("inf")

    def check_ridge(self, owner: str, ridge: float, what: str) -> None:
        """Raise an error if ``Psi' W Psi + ridge I`` cannot be inverted in double precision."""
        condition = self.condition(ridge)
        if not condition <= _MAX_CONDITION:
            total = float(self.sample_weight.sum())
            least = float(self.energies[: self.rotation.shape[1]].max()) / _MAX_CONDITION
            raise VotesError(
                f"{owner}: the regression on {what} has condition number {condition:.1e} at "
                f"regularization={ridge / total:g} and cannot be solved in double precision. Use "
                f"a regularization above {least / total:.1e}."
            )

    def scales(self, ridge: float) -> FloatArray:
        """``1 / (e + ridge)``, without ridge for the constant, ``(r,)``."""
        ridges = np.full(self.energies.size, ridge)
        ridges[self.rotation.shape[1] :] = 0.0
        scales: FloatArray = 1.0 / (self.energies + ridges)
        return scales

    def at(self, X: Any) -> FloatArray:
        """Psi at other inputs, ``(q, r)``."""
        q, p = X.shape[0], self.rotation.shape[1]
        rotated = np.ones((q, self.energies.size))
        step = max(1, _ENTRIES_PER_BLOCK // max(1, p))
        for start in range(0, q, step):
            features = self.feature_map(X[start : start + step])
            centered = features if self.center is None else features - self.center
            rotated[start : start + step, :p] = centered @ self.rotation
        return rotated

    def votes(self, X: Any, ridge: float) -> ProductVotes:
        """``alpha`` at inputs, ``(q, n)``."""
        require_bytes(
            8.0 * X.shape[0] * self.energies.size,
            f"{self.energies.size} features of {X.shape[0]} queries",
            "Predict fewer queries at a time.",
        )
        return ProductVotes(
            self.at(X),
            self._weighted.T,
            self.scales(ridge),
            energies=self.energies,
            column_shares=self.sample_weight,
        )

    def projection(self, table: FloatArray, ridge: float) -> FeatureProjection:
        """From inputs to their votes times a table ``(n, P)``."""
        inner = self.scales(ridge)[:, None] * (self._weighted.T @ table)
        small = replace(self, features=self.features[:0].copy(), sample_weight=np.ones(0))
        return FeatureProjection(small.at, inner)

    def training_votes(self, ridge: float) -> ProductVotes:
        """``alpha`` at the training inputs, ``(n, n)``."""
        return ProductVotes(
            self.features,
            self._weighted.T,
            self.scales(ridge),
            energies=self.energies,
            row_shares=1.0 / self.sample_weight,
            column_shares=self.sample_weight,
        )

    def leave_one_out_votes(self, ridge: float) -> ProductVotes:
        """``alpha[i, j] / (1 - alpha[i, i])`` for j != i, and 0 for j = i, ``(n, n)``.

        This removes row i and keeps features and ridge (Sherman and Morrison). A row whose own vote
        is 1 shares no feature with other rows; it has no votes.
        """
        votes = self.training_votes(ridge)
        own = votes.diagonal()
        alone = own > _MAX_OWN_VOTE
        factors = np.where(alone, 0.0, 1.0 / np.where(alone, 1.0, 1.0 - own))
        scaled = votes.scale_rows(factors)
        return ProductVotes(
            scaled.left,
            scaled.right,
            scaled.scales,
            own * factors,
            scaled.energies,
            column_shares=scaled.column_shares,
        )

    def residual_form(self, ridge: float) -> ProductVotes:
        """``W (I - alpha)``, symmetric, ``(n, n)``."""
        return ProductVotes(
            self._weighted, self._weighted.T, -self.scales(ridge), -self.sample_weight
        )

    @cached_property
    def _weighted(self) -> FloatArray:
        if (self.sample_weight == 1.0).all():
            return self.features
        weighted: FloatArray = self.features * self.sample_weight[:, None]
        return weighted


def fits_in_memory(n: int, rank: int, sample_weight: FloatArray) -> bool:
    """Whether the features of n rows fit in half of the free memory."""
    return is_free(2 * _required_bytes(n, rank, sample_weight))


def low_rank(
    owner: str,
    feature_map: Callable[[Any], FloatArray],
    X: Any,
    sample_weight: FloatArray,
    *,
    rank: int,
    intercept: bool,
) -> LowRank:
    """Decompose the features of the training rows, computed block by block.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    feature_map : function of (q, d) -> float64 (q, rank), a new array
    X : (n, d)
    sample_weight : (n,)
    rank : int
    intercept : bool

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> fitted = low_rank("Example", np.array, X, np.ones(3), rank=1, intercept=True)
    >>> fitted.training_votes(0.0).rows(0, 3).round(3)
    array([[ 0.833,  0.333, -0.167],
           [ 0.333,  0.333,  0.333],
           [-0.167,  0.333,  0.833]])
    """
    n = X.shape[0]
    step = max(1, _ENTRIES_PER_BLOCK // max(1, rank))
    require_bytes(
        _required_bytes(n, rank, sample_weight),
        f"{owner}: {rank} features of {n} rows",
        "Use fewer features, or solver='iterative'.",
    )
    with_constant = np.ones((n, rank + intercept))
    features = with_constant[:, :rank]
    for start in range(0, n, step):
        features[start : start + step] = feature_map(X[start : start + step])
    center = None
    if intercept:
        center = (sample_weight @ features) / sample_weight.sum()
        features -= center
    basis = None
    if rank > n:
        # The rows span at most n dimensions: use their coordinates in that space.
        basis, triangle = np.linalg.qr(features.T)
        with_constant = np.ones((n, n + intercept))
        features = with_constant[:, :n]
        features[:] = triangle.T
    spectrum = spectrum_of(_gram(features, sample_weight, step))
    rotation = np.array(spectrum.eigenvectors)
    for start in range(0, n, step):
        features[start : start + step] = features[start : start + step] @ rotation
    rotation = rotation if basis is None else basis @ rotation
    energies = np.append(spectrum.eigenvalues, [sample_weight.sum()] * intercept)
    return LowRank(feature_map, with_constant, energies, sample_weight, rotation, center)


def _required_bytes(n: int, rank: int, sample_weight: FloatArray) -> float:
    # The features, a weighted copy of them, a few blocks, and a few Gram matrices.
    copies = 1 if (sample_weight == 1.0).all() else 2
    return 8.0 * (copies * n * (rank + 1.0) + 6.0 * rank * rank + 4.0 * _ENTRIES_PER_BLOCK)


def _gram(features: FloatArray, sample_weight: FloatArray, step: int) -> FloatArray:
    rank = features.shape[1]
    gram = np.zeros((rank, rank))
    for start in range(0, features.shape[0], step):
        block = features[start : start + step] * np.sqrt(sample_weight[start : start + step, None])
        gram += block.T @ block
    return gram


def is_direct(solver: str, X: Any, rank: int, sample_weight: FloatArray) -> bool:
    """Whether features are kept and decomposed; "auto": if they fit in half of the free memory.

    Features of rows in parts are not kept.

    Iteration saves half of the time of the decomposition, once, and takes 10 to 25 times as long
    for every product (45 to 100 times if features are computed in every product; measured for
    n = 10 000, p = 500 and 2000). It is better for a few products, or if memory is short.
    """
    if is_divided(X):
        return False
    n = X.shape[0]
    return solver == "direct" or (solver == "auto" and fits_in_memory(n, rank, sample_weight))


def feature_ridge(
    owner: str,
    feature_map: FeatureMap,
    X: Any,
    sample_weight: FloatArray,
    *,
    direct: bool,
    intercept: bool,
    random: np.random.RandomState,
) -> LowRank | IteratedRank:
    """The regression on the features of the training rows, for every ridge."""
    if direct:
        return low_rank(
            owner, feature_map, X, sample_weight, rank=feature_map.rank, intercept=intercept
        )
    return iterated_rank(owner, feature_map, X, sample_weight, intercept=intercept, random=random)


class FeatureRidgeWeights(BaseEstimator):
    """What ridge regressions on features share; a subclass fits `regression_` and sets `ridge_`."""

    regularization: float
    leave_one_out: bool
    regression_: LowRank | IteratedRank
    ridge_: float
    undivided = ""

    def _set_ridge(self) -> None:
        raise NotImplementedError

    def at_regularization(self, regularization: float) -> Self:
        """A weighting fitted on the same rows, with the same features, at another ridge.

        The decomposition is shared, not copied; `self` is not changed.

        Parameters
        ----------
        regularization : float

        Examples
        --------
        >>> from disambig.weights import NystromWeights
        >>> X = np.array([[0.0], [1.0], [3.0]])
        >>> fitted = NystromWeights(bandwidth=1.0).fit(X)
        >>> path = [fitted.at_regularization(lam) for lam in (0.01, 0.1, 1.0)]
        >>> [float((ridge.training_votes() @ np.ones(3))[2].round(1)) for ridge in path]
        [1.0, 0.8, 0.3]
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other.regularization = regularization
        other._set_ridge()
        return other

    def training_votes(self) -> ProductVotes | IteratedVotes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self.regression_.training_votes(self.ridge_)

    def leave_one_out_votes(self) -> ProductVotes | IteratedVotes:
        """``alpha`` at each training input as if it had been absent, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        return self.regression_.leave_one_out_votes(self.ridge_)

    def residual_form(self) -> ProductVotes | IteratedVotes:
        """R, ``(n, n)``, with ``y' R y = min_f sum_j w_j (y_j - f(x_j))^2 + n lam |f|^2``.

        As in `KernelRidgeWeights`, over functions of the features; ``R = W (I - alpha)``.
        """
        check_is_fitted(self)
        return self.regression_.residual_form(self.ridge_)

    def projection(self, table: FloatArray) -> FeatureProjection:
        """The map from new inputs ``(q, d)`` to their votes times a table, ``(q, P)``.

        It holds no training rows.

        Parameters
        ----------
        table : float array (n, P)
        """
        check_is_fitted(self)
        return self.regression_.projection(table, self.ridge_)

    def votes(self, X: Any) -> ProductVotes | IteratedVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        return self.regression_.votes(X, self.ridge_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
