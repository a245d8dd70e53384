"""A symmetric matrix by its eigenvalues, so that every ridge costs only products.

``G + ridge I`` for one kernel matrix G and many ridges.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from disambig.exceptions import VotesError
from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.dense import absolute_sums

# Eigenvalues below -1e-8 times the largest are not rounding.
_NEGATIVE = 1e-8
# Beyond this an inverse in double precision has hardly a correct digit.
LARGEST_CONDITION = 1e14
# The workspace of the quickest driver outgrows the 32-bit integers of common LAPACKs here.
_LARGEST_FOR_EVD = 32_000
# Worse conditioned than this, rounding may show.
_GOOD_CONDITION = 1e9


@dataclass(frozen=True, eq=False)
class Spectrum:
    """``G = U diag(s) U'`` for a symmetric positive semi-definite G of shape (n, n).

    Parameters
    ----------
    eigenvalues : (r,), ascending, non-negative
    eigenvectors : (n, r), in columns
        r is n, or n - 1 where a direction is left out (`spectrum_beside`). Inverses and other
        functions of G are then those on the rest of the space, and 0 along that direction.
    size : float
        The norm of what was decomposed, at which rounding happened.
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
        """``ridge (G + ridge I)^{-1}``, what `smoother` leaves of the identity; scales as above."""
        return self._filtered(ridge / (self.eigenvalues + ridge), scales)

    def _filtered(self, values: FloatArray, scales: FloatArray | None = None) -> FloatArray:
        # Half of the filter on each side makes the product symmetric to the last bit, and lets
        # numpy compute one triangle only.
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
        If an eigenvalue is clearly negative. Slightly negative ones are rounding and become 0.

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


def spectrum_beside(gram: FloatArray, direction: FloatArray) -> Spectrum:
    """Decompose a symmetric matrix on the vectors orthogonal to `direction`; its memory is reused.

    With ``u`` the direction at length one and ``P = I - u u'`` this is the spectrum of ``P G P``
    without the eigenvector u: taken out before the decomposition, it cannot come back as rounding
    divided by a small ridge. What G does along u is of no account, indefinite or not.

    Parameters
    ----------
    gram : (n, n)
    direction : (n,), positive

    Examples
    --------
    >>> import numpy as np
    >>> beside = spectrum_beside(np.array([[2.0, 0.0], [0.0, 1.0]]), np.ones(2))
    >>> beside.eigenvalues, beside.inverse(0.0).round(3)
    (array([1.5]), array([[ 0.333, -0.333],
           [-0.333,  0.333]]))
    """
    n = direction.size
    # The reflection H = I - 2 v v' sends u to the first axis (and its sign, chosen so, loses no
    # digit). Then H G H without its first row and column is G on the rest, and H turns back.
    v = direction / np.linalg.norm(direction)
    v[0] += 1.0
    v /= np.linalg.norm(v)
    image = gram @ v
    image = 2.0 * (image - (v @ image) * v)
    gram -= np.multiply.outer(v, image)
    gram -= np.multiply.outer(image, v)
    left_out = float(np.linalg.norm(gram[0]))
    if n == 1:
        return Spectrum(np.zeros(0), np.zeros((1, 0)), left_out)
    values, reflected = _decomposed(gram[1:, 1:])
    size = float(max(values[-1], -values[0])) + left_out
    vectors = np.zeros((n, n - 1))
    vectors[1:] = reflected
    vectors -= np.multiply.outer(v, 2.0 * (v[1:] @ reflected))
    return Spectrum(_non_negative(values, size), vectors, size)


def _decomposed(gram: FloatArray) -> tuple[FloatArray, FloatArray]:
    # scipy 1.11 asks LAPACK for too little workspace at n = 1 with "evd".
    driver = "evd" if 1 < gram.shape[0] <= _LARGEST_FOR_EVD else "evr"
    # Of a symmetric matrix the transpose is the same, and in the memory order of LAPACK.
    values, vectors = scipy.linalg.eigh(gram.T, driver=driver, overwrite_a=True, check_finite=False)
    return values, vectors


def _non_negative(values: FloatArray, size: float) -> FloatArray:
    if values[0] < -_NEGATIVE * size:
        raise VotesError(
            f"The kernel matrix is not positive semi-definite: its smallest eigenvalue is "
            f"{values[0]:.3g}, its largest {values[-1]:.3g}. Kernel ridge needs a kernel; pass "
            "weights of any sign as they are with PrecomputedWeights."
        )
    return np.maximum(values, 0.0)


@dataclass(frozen=True, eq=False)
class RidgeSystem:
    """``(G + ridge I)^{-1}`` at any ridge, of a symmetric positive semi-definite G of shape (n, n).

    A ridge costs ``n^3`` multiplications by Cholesky's factor: as many as it takes to multiply the
    inverse out of eigenvectors, which cost nine times as many before (measured at n = 1750: 0.15
    against 0.11 and 1.0 seconds). Eigenvalues are found where they are asked for, where the matrix
    may not be positive semi-definite, beside a direction, and where the factor says that the
    condition is bad: functions of them have no rounding beyond the eigenvalues that they should
    have, however small the ridge.

    Parameters
    ----------
    gram : (N, N)
        Not written to.
    direction : (N,), positive, or None
        If given, everything happens on the vectors orthogonal to it; see `spectrum_beside`.
    certain : bool
        Is G known to be positive semi-definite?
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
        """The eigenvalues and eigenvectors, found once."""
        if self._direction is None:
            return spectrum_of(self.matrix())
        return spectrum_beside(self.matrix(), self._direction)

    def matrix(self) -> FloatArray:
        """G, a new array."""
        n = self.gram.shape[0] if self.rows is None else self.rows.size
        require_bytes(
            8.0 * n * n,
            f"Another matrix of {n} rows, beside the kernel matrix,",
            "Keep fewer ridges at a time, or fit on fewer rows.",
        )
        return self.gram.copy() if self.rows is None else self.gram[np.ix_(self.rows, self.rows)]

    def inverse(self, ridge: float) -> FloatArray:
        """``(G + ridge I)^{-1}``, (n, n), symmetric to the last bit; 0 along the direction."""
        found = self.factored_inverse(ridge)
        return self.spectrum.inverse(ridge) if found is None else found

    def factored_inverse(self, ridge: float) -> FloatArray | None:
        """The same by Cholesky's factor; None where eigenvalues are known or called for."""
        if not self.certain or self.direction is not None or "spectrum" in self.__dict__:
            return None
        return _inverted(self.matrix(), ridge)

    def check_condition(self, owner: str, regularization: float, total: float) -> None:
        """Refuse a ridge, ``total * regularization``, at which nothing can be inverted."""
        condition = self.spectrum.condition(total * regularization)
        if condition > LARGEST_CONDITION:
            least = self.spectrum.size / LARGEST_CONDITION / total
            where = "" if self.direction is None else ", on vectors of sum zero,"
            raise VotesError(
                f"{owner}: K + n lam I{where} has condition number {condition:.1e} at "
                f"regularization={regularization:g} and cannot be inverted in double precision. "
                f"Use a regularization above {least:.1e}."
            )

    def restricted(self, rows: IntArray) -> "RidgeSystem":
        """The same of some of the rows; nothing is copied before it is needed."""
        rows = rows if self.rows is None else self.rows[rows]
        return RidgeSystem(self.gram, self.direction, self.certain, rows)

    @property
    def _direction(self) -> FloatArray | None:
        if self.direction is None or self.rows is None:
            return self.direction
        return self.direction[self.rows]


def checked_gram(owner: str, gram: FloatArray) -> FloatArray:
    """The matrix itself, if it is symmetric up to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> checked_gram("KernelRidgeWeights", np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """
    uneven = float(np.abs(gram - gram.T).max())
    if uneven > 1e-8 * float(np.abs(gram).max()):
        raise VotesError(
            f"{owner}: the kernel must be symmetric on the training rows; entries [i, j] and "
            f"[j, i] differ by up to {uneven:.3g}. Use (K + K.T) / 2 if that is rounding, "
            "PrecomputedWeights if it is meant."
        )
    return gram


def _inverted(matrix: FloatArray, ridge: float) -> FloatArray | None:
    """``(matrix + ridge I)^{-1}`` in the memory of `matrix`, or None if its condition is bad."""
    n = matrix.shape[0]
    if n == 0:
        return matrix
    matrix[np.diag_indices(n)] += ridge
    norm = float(absolute_sums(matrix).max())
    # The transpose is the same matrix, in the memory order of LAPACK: nothing is copied.
    factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        return None
    # No eigenvalue is below the ridge; only where that says too little, they are estimated.
    if norm > _GOOD_CONDITION * ridge:
        reciprocal, _ = lapack.dpocon(factor, norm, uplo="L")
        if not reciprocal * _GOOD_CONDITION > 1.0:
            return None
    inverse, failed = lapack.dpotri(factor, lower=1, overwrite_c=1)
    if failed:
        return None
    return _mirrored(inverse.T)


def _mirrored(matrix: FloatArray, step: int = 256) -> FloatArray:
    """The upper triangle copied into the lower one, in place."""
    for start in range(0, matrix.shape[0], step):
        stop = start + step
        block = matrix[start:stop, start:stop]
        block[:] = np.triu(block) + np.triu(block, 1).T
        matrix[stop:, start:stop] = matrix[start:stop, stop:].T
    return matrix
