"""Ridge regression on a few features, decomposed once for every ridge.

Ridge regression on features: directly where they fit in memory, by iteration where not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.exceptions import VotesError
from disambig.memory import free_bytes, require_bytes
from disambig.notation import FloatArray
from disambig.votes import ProductVotes
from disambig.weights.kernels.iterated import FeatureMap, IteratedRank, iterated_rank
from disambig.weights.kernels.system import spectrum_of

# Beyond this rounding in the Gram matrix of the features outweighs the ridge.
_LARGEST_CONDITION = 1e12
# Entries of a block of features: 16 MiB.
_BLOCK = 2**21
# A row whose own vote is larger hears others no louder than rounding.
_LARGEST_OWN = 1.0 - 1e-10
SOLVERS = ("auto", "direct", "iterative")


@dataclass(frozen=True, eq=False)
class LowRank:
    """``Psi`` with ``Psi' W Psi = diag(e)``: features turned so that their Gram matrix is diagonal.

    ``alpha = Psi diag(1 / (e + ridge)) Psi' W`` for every ridge. With an intercept the features
    have weighted mean zero, and a last one is constant, which no ridge holds back.

    Parameters
    ----------
    feature_map : function of (q, d) -> float64 (q, p)
        Features as they come.
    features : float64, (n, r)
        Psi.
    energies : float64, (r,), ascending but for that of the constant
        e.
    masses : float64, (n,)
        The diagonal of W.
    rotation : float64, (p, min(p, n))
        From features as they come to Psi.
    center : float64, (p,), or None
        What is taken off before; None without an intercept.
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
        """Has one?"""
        return self.center is not None

    def condition(self, ridge: float) -> float:
        """Condition number of ``Psi' W Psi + ridge I`` beside the constant, maybe infinite."""
        values = self.energies[: self.rotation.shape[1]] + ridge
        if not values.size:
            return 1.0
        return float(values.max() / values.min()) if values.min() > 0 else float("inf")

    def check_ridge(self, owner: str, ridge: float, what: str) -> None:
        """Raise unless ``Psi' W Psi + ridge I`` can be inverted in double precision."""
        condition = self.condition(ridge)
        if not condition <= _LARGEST_CONDITION:
            total = float(self.sample_weight.sum())
            least = float(self.energies[: self.rotation.shape[1]].max()) / _LARGEST_CONDITION
            raise VotesError(
                f"{owner}: the regression on {what} has condition number {condition:.1e} at "
                f"regularization={ridge / total:g} and cannot be solved in double precision. Use "
                f"a regularization above {least / total:.1e}."
            )

    def scales(self, ridge: float) -> FloatArray:
        """``1 / (e + ridge)``, without ridge for the constant, ``(r,)``."""
        held = np.full(self.energies.size, ridge)
        held[self.rotation.shape[1] :] = 0.0
        scales: FloatArray = 1.0 / (self.energies + held)
        return scales

    def at(self, X: Any) -> FloatArray:
        """Psi at other inputs, ``(q, r)``."""
        q, p = X.shape[0], self.rotation.shape[1]
        turned = np.ones((q, self.energies.size))
        step = max(1, _BLOCK // max(1, p))
        for start in range(0, q, step):
            features = self.feature_map(X[start : start + step])
            centered = features if self.center is None else features - self.center
            turned[start : start + step, :p] = centered @ self.rotation
        return turned

    def votes(self, X: Any, ridge: float) -> ProductVotes:
        """``alpha`` at inputs, ``(q, n)``."""
        require_bytes(
            8.0 * X.shape[0] * self.energies.size,
            f"{self.energies.size} features of {X.shape[0]} queries",
            "Ask for fewer queries at a time.",
        )
        return ProductVotes(
            self.at(X),
            self._weighted.T,
            self.scales(ridge),
            energies=self.energies,
            column_shares=self.sample_weight,
        )

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

        That is removal of row i with features and ridge as they are (Sherman and Morrison). A row
        whose own vote is 1, which no other row shares a feature with, hears nobody.
        """
        votes = self.training_votes(ridge)
        own = votes.diagonal()
        alone = own > _LARGEST_OWN
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
    """Do features of n rows leave half of the free memory to others?"""
    free = free_bytes()
    return free is None or _needed(n, rank, sample_weight) <= free / 2


def low_rank(
    owner: str,
    feature_map: Callable[[Any], FloatArray],
    X: Any,
    sample_weight: FloatArray,
    *,
    rank: int,
    intercept: bool,
) -> LowRank:
    """Decompose the features of the training rows, made block by block.

    Parameters
    ----------
    owner : str
        Named in errors.
    feature_map : function of (q, d) -> float64 (q, rank), of its own memory
    X : (n, d)
    masses : (n,)
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
    step = max(1, _BLOCK // max(1, rank))
    require_bytes(
        _needed(n, rank, sample_weight),
        f"{owner}: {rank} features of {n} rows",
        "Use fewer of them, or solver='iterative'.",
    )
    whole = np.ones((n, rank + intercept))
    features = whole[:, :rank]
    for start in range(0, n, step):
        features[start : start + step] = feature_map(X[start : start + step])
    center = None
    if intercept:
        center = (sample_weight @ features) / sample_weight.sum()
        features -= center
    basis = None
    if rank > n:
        # Rows lie in a space of n dimensions: their coordinates there will do.
        basis, triangle = np.linalg.qr(features.T)
        whole = np.ones((n, n + intercept))
        features = whole[:, :n]
        features[:] = triangle.T
    spectrum = spectrum_of(_gram(features, sample_weight, step))
    rotation = np.array(spectrum.eigenvectors)
    for start in range(0, n, step):
        features[start : start + step] = features[start : start + step] @ rotation
    rotation = rotation if basis is None else basis @ rotation
    energies = np.append(spectrum.eigenvalues, [sample_weight.sum()] * intercept)
    return LowRank(feature_map, whole, energies, sample_weight, rotation, center)


def _needed(n: int, rank: int, sample_weight: FloatArray) -> float:
    # The features, once more with their masses; a few blocks, and a few matrices of the size of
    # their Gram matrix.
    copies = 1 if (sample_weight == 1.0).all() else 2
    return 8.0 * (copies * n * (rank + 1.0) + 6.0 * rank * rank + 4.0 * _BLOCK)


def _gram(features: FloatArray, sample_weight: FloatArray, step: int) -> FloatArray:
    rank = features.shape[1]
    gram = np.zeros((rank, rank))
    for start in range(0, features.shape[0], step):
        block = features[start : start + step] * np.sqrt(sample_weight[start : start + step, None])
        gram += block.T @ block
    return gram


def is_direct(solver: str, n: int, rank: int, sample_weight: FloatArray) -> bool:
    """Whether features are kept and decomposed; "auto": if they fit in half of the free memory.

    Iteration saves half of the time of the decomposition, once, and takes 10 to 25 times as long
    for every product (45 to 100 times where features are made anew; measured for n = 10 000,
    p = 500 and 2000): it pays for a handful of products, or where memory is short.
    """
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
