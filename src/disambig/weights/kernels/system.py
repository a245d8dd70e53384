"""``(G + ridge I)^{-1}`` for one kernel matrix G and many ridges.

`RidgeSystem` uses a Cholesky factor for each ridge, or the eigenvalues of G (`Spectrum`) where
these are known or more accurate. `RemadeSystem` leaves the kernel matrix out of what is stored.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.linalg
from scipy.linalg import lapack
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import VotesError
from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.dense import absolute_sums

# Largest size of a negative eigenvalue, relative to the largest one, that counts as rounding.
_MAX_RELATIVE_NEGATIVE = 1e-8
# Beyond this condition number an inverse in double precision has hardly a correct digit.
MAX_CONDITION = 1e14
# Beyond, the workspace of the fastest driver exceeds the 32-bit integers of common LAPACKs.
_MAX_ROWS_FOR_EVD = 32_000
# Largest condition number for a Cholesky factor: beyond, rounding errors may be visible.
_MAX_CHOLESKY_CONDITION = 1e9


@dataclass(frozen=True, eq=False)
class Spectrum:
    """``G = U diag(s) U'`` for a symmetric positive semi-definite G of shape (n, n).

    Parameters
    ----------
    eigenvalues : (r,), ascending, non-negative
    eigenvectors : (n, r), in columns
        r is n, or n - 1 if a direction is left out (`spectrum_orthogonal_to`). Inverses and other
        functions of G are then those on the rest of the space, and 0 along that direction.
    size : float
        The norm of the decomposed matrix, the scale of rounding errors.
    """

    eigenvalues: FloatArray
    eigenvectors: FloatArray
    size: float

    def __post_init__(self) -> None:
        self.eigenvalues.flags.writeable = False
        self.eigenvectors.flags.writeable = False

    def condition(self, ridge: float) -> float:
        """Condition number of ``G + ridge I``, infinite if it is singular."""
        if not self.eigenvalues.size:
            return 1.0
        smallest = self.eigenvalues[0] + ridge
        return float((self.size + ridge) / smallest) if smallest > 0 else float("inf")

    def inverse(self, ridge: float, scales: FloatArray | None = None) -> FloatArray:
        """``(G + ridge I)^{-1}``, (n, n), with row and column i multiplied by ``scales[i]``."""
        return self._filtered(1.0 / (self.eigenvalues + ridge), scales)

    def smoother(self, ridge: float) -> FloatArray:
        """``G (G + ridge I)^{-1}``, (n, n)."""
        return self._filtered(self.eigenvalues / (self.eigenvalues + ridge))

    def remainder(self, ridge: float, scales: FloatArray | None = None) -> FloatArray:
        """``ridge (G + ridge I)^{-1}``, the identity minus `smoother`; scales as in `inverse`."""
        return self._filtered(ridge / (self.eigenvalues + ridge), scales)

    def _filtered(self, values: FloatArray, scales: FloatArray | None = None) -> FloatArray:
        # A product with its own transpose is exactly symmetric, and numpy computes only one
        # triangle.
        half = self.eigenvectors * np.sqrt(values)
        if scales is not None:
            half *= scales[:, None]
        product: FloatArray = half @ half.T
        return product


def spectrum_of(gram: FloatArray) -> Spectrum:
    """Decompose a symmetric matrix; its memory is reused.

    Raises
    ------
    VotesError
        If an eigenvalue is clearly negative. Slightly negative ones are rounding and set to 0.

    Examples
    --------
    >>> import numpy as np
    >>> spectrum_of(np.array([[2.0, 0.0], [0.0, 1.0]])).inverse(1.0).round(3)
    array([[0.333, 0.   ],
           [0.   , 0.5  ]])
    """
    values, vectors = _decomposed(gram)
    size = float(max(values[-1], -values[0]))
    return Spectrum(_non_negative(values, size), vectors, size)


def spectrum_orthogonal_to(gram: FloatArray, direction: FloatArray) -> Spectrum:
    """Decompose a symmetric matrix on the vectors orthogonal to `direction`; its memory is reused.

    With ``u`` the direction at length one and ``P = I - u u'`` this is the spectrum of ``P G P``
    without the eigenvector u. It is removed before the decomposition, so that rounding errors along
    u are not divided by a small ridge. G may be indefinite along u.

    Parameters
    ----------
    gram : (n, n)
    direction : (n,), positive

    Examples
    --------
    >>> import numpy as np
    >>> spectrum = spectrum_orthogonal_to(np.array([[2.0, 0.0], [0.0, 1.0]]), np.ones(2))
    >>> spectrum.eigenvalues, spectrum.inverse(0.0).round(3)
    (array([1.5]), array([[ 0.333, -0.333],
           [-0.333,  0.333]]))
    """
    n = direction.size
    # The reflection H = I - 2 v v' maps u to the first axis, up to the sign that avoids
    # cancellation. Then H G H without its first row and column is G on the rest, and H maps
    # eigenvectors back.
    v = direction / np.linalg.norm(direction)
    v[0] += 1.0
    v /= np.linalg.norm(v)
    image = gram @ v
    image = 2.0 * (image - (v @ image) * v)
    gram -= np.multiply.outer(v, image)
    gram -= np.multiply.outer(image, v)
    removed = float(np.linalg.norm(gram[0]))
    if n == 1:
        return Spectrum(np.zeros(0), np.zeros((1, 0)), removed)
    values, reflected = _decomposed(gram[1:, 1:])
    size = float(max(values[-1], -values[0])) + removed
    vectors = np.zeros((n, n - 1))
    vectors[1:] = reflected
    vectors -= np.multiply.outer(v, 2.0 * (v[1:] @ reflected))
    return Spectrum(_non_negative(values, size), vectors, size)


def _decomposed(gram: FloatArray) -> tuple[FloatArray, FloatArray]:
    # scipy 1.11 allocates too little workspace for n = 1 with "evd".
    driver = "evd" if 1 < gram.shape[0] <= _MAX_ROWS_FOR_EVD else "evr"
    # The transpose is the same symmetric matrix, in the memory order of LAPACK.
    values, vectors = scipy.linalg.eigh(gram.T, driver=driver, overwrite_a=True, check_finite=False)
    return values, vectors


def _non_negative(values: FloatArray, size: float) -> FloatArray:
    if values[0] < -_MAX_RELATIVE_NEGATIVE * size:
        raise VotesError(
            f"The kernel matrix is not positive semi-definite: its smallest eigenvalue is "
            f"{values[0]:.3g}, its largest {values[-1]:.3g}. Use a positive semi-definite kernel, "
            "or pass votes of any sign with PrecomputedWeights."
        )
    return np.maximum(values, 0.0)


@dataclass(frozen=True, eq=False)
class RidgeSystem:
    """``(G + ridge I)^{-1}`` at any ridge, of a symmetric positive semi-definite G of shape (n, n).

    By a Cholesky factor a ridge costs ``n^3`` multiplications, as many as the product of
    eigenvectors that gives the inverse; the eigenvectors cost nine times as many, once (measured at
    n = 1750: 0.15 seconds against 0.11 and 1.0). Eigenvalues are used if they are needed elsewhere,
    if the matrix may not be positive semi-definite, with a direction, and if the factor shows that
    the condition is bad: functions of eigenvalues stay accurate, however small the ridge.

    Parameters
    ----------
    gram : (N, N)
        Not written to.
    direction : (N,), positive, or None
        If given, G is restricted to the vectors orthogonal to it: see `spectrum_orthogonal_to`.
    certain : bool
        Whether G is known to be positive semi-definite.
    rows : (n,), or None
        G is this part of `gram`; None: all of it.

    Examples
    --------
    >>> import numpy as np
    >>> RidgeSystem(np.array([[2.0, 0.0], [0.0, 1.0]])).inverse(1.0).round(3)
    array([[0.333, 0.   ],
           [0.   , 0.5  ]])
    """

    gram: FloatArray
    direction: FloatArray | None = None
    certain: bool = True
    rows: IntArray | None = None

    @cached_property
    def spectrum(self) -> Spectrum:
        """The eigenvalues and eigenvectors, computed once."""
        if self._direction is None:
            return spectrum_of(self.matrix())
        return spectrum_orthogonal_to(self.matrix(), self._direction)

    def matrix(self) -> FloatArray:
        """G, a new array."""
        n = self.gram.shape[0] if self.rows is None else self.rows.size
        require_bytes(
            8.0 * n * n,
            f"Another matrix of {n} rows in addition to the kernel matrix",
            "Keep fewer ridges at a time, or fit on fewer rows.",
        )
        return self.gram.copy() if self.rows is None else self.gram[np.ix_(self.rows, self.rows)]

    def inverse(self, ridge: float) -> FloatArray:
        """``(G + ridge I)^{-1}``, (n, n), exactly symmetric; 0 along the direction."""
        found = self.factored_inverse(ridge)
        return self.spectrum.inverse(ridge) if found is None else found

    def factored_inverse(self, ridge: float) -> FloatArray | None:
        """The inverse by a Cholesky factor; None where eigenvalues are known or must be used."""
        if not self.certain or self.direction is not None or "spectrum" in self.__dict__:
            return None
        return _invert_in_place(self.matrix(), ridge)

    def check_condition(self, owner: str, regularization: float, total: float) -> None:
        """Raise an error if G cannot be inverted at the ridge ``total * regularization``."""
        condition = self.spectrum.condition(total * regularization)
        if condition > MAX_CONDITION:
            least = self.spectrum.size / MAX_CONDITION / total
            where = "" if self.direction is None else ", on vectors of sum zero,"
            raise VotesError(
                f"{owner}: K + n lam I{where} has condition number {condition:.1e} at "
                f"regularization={regularization:g} and cannot be inverted in double precision. "
                f"Use a regularization above {least:.1e}."
            )

    def restricted(self, rows: IntArray) -> "RidgeSystem":
        """The system of some of the rows; nothing is copied before it is needed."""
        rows = rows if self.rows is None else self.rows[rows]
        return RidgeSystem(self.gram, self.direction, self.certain, rows)

    @property
    def _direction(self) -> FloatArray | None:
        if self.direction is None or self.rows is None:
            return self.direction
        return self.direction[self.rows]


class RemadeSystem(ABC):
    """What `KernelRidgeWeights` does about its `RidgeSystem` when it is stored and loaded.

    A stored weighting has the inverse, with which it predicts. The kernel matrix is of the same
    size, is needed for another ridge and for other rows only, and is then computed again.
    """

    X_fit_: Any
    sample_weight_: FloatArray
    kernel: Any

    @property
    @abstractmethod
    def _square(self) -> str:
        """What X is if it is a kernel matrix, else an empty text."""

    @property
    @abstractmethod
    def _has_intercept(self) -> bool:
        """Whether it was fitted with an intercept."""

    @cached_property
    def system_(self) -> RidgeSystem:
        """The kernel matrix at every ridge; made again where a copy came without it."""
        check_is_fitted(self)
        return self._system_of(self._gram(self.X_fit_))

    @abstractmethod
    def _gram(self, X: Any) -> FloatArray:
        """The kernel of the rows, a new array."""

    def _system_of(self, gram: FloatArray) -> RidgeSystem:
        """The system of the kernel matrix, which is written to."""
        root = np.sqrt(self.sample_weight_)
        gram *= root
        gram *= root[:, None]
        # Named kernels are positive semi-definite; those of the user are checked.
        return RidgeSystem(gram, root if self._has_intercept else None, certain=self._is_named)

    @property
    def _is_named(self) -> bool:
        """Whether the kernel is known by its name, so that the rows are enough to compute it."""
        return isinstance(self.kernel, str) and not self._square

    def __copy__(self) -> Self:
        # Copies in memory share it.
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __getstate__(self) -> dict[str, Any]:
        given: Any = super().__getstate__()
        state: dict[str, Any] = dict(given)
        system = state.get("system_")
        if self._is_named and system is not None and system.rows is None:
            del state["system_"]
        return state


def checked_gram(owner: str, gram: FloatArray) -> FloatArray:
    """The matrix itself, if it is symmetric up to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> checked_gram("KernelRidgeWeights", np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """
    asymmetry = float(np.abs(gram - gram.T).max())
    if asymmetry > 1e-8 * float(np.abs(gram).max()):
        raise VotesError(
            f"{owner}: the kernel must be symmetric on the training rows; entries [i, j] and "
            f"[j, i] differ by up to {asymmetry:.3g}. Use (K + K.T) / 2 if that is rounding, or "
            "PrecomputedWeights if it is intended."
        )
    return gram


def _invert_in_place(matrix: FloatArray, ridge: float) -> FloatArray | None:
    """``(matrix + ridge I)^{-1}`` in the memory of `matrix`, or None if its condition is bad."""
    n = matrix.shape[0]
    if n == 0:
        return matrix
    matrix[np.diag_indices(n)] += ridge
    norm = float(absolute_sums(matrix).max())
    # The transpose is the same matrix, in the memory order of LAPACK, so nothing is copied.
    factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        return None
    # No eigenvalue is below the ridge. If that does not bound the condition, LAPACK estimates it.
    if norm > _MAX_CHOLESKY_CONDITION * ridge:
        reciprocal, _ = lapack.dpocon(factor, norm, uplo="L")
        if not reciprocal * _MAX_CHOLESKY_CONDITION > 1.0:
            return None
    inverse, failed = lapack.dpotri(factor, lower=1, overwrite_c=1)
    if failed:
        return None
    return _copy_upper_to_lower(inverse.T)


def _copy_upper_to_lower(matrix: FloatArray, step: int = 256) -> FloatArray:
    """The upper triangle copied into the lower one, in place."""
    for start in range(0, matrix.shape[0], step):
        stop = start + step
        block = matrix[start:stop, start:stop]
        block[:] = np.triu(block) + np.triu(block, 1).T
        matrix[stop:, start:stop] = matrix[start:stop, stop:].T
    return matrix
