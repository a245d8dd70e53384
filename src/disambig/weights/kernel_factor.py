"""The kernel of the landmarks as a product of triangles, without those that add nothing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from disambig.exceptions import VotesError
from disambig.notation import FloatArray, IntArray
from disambig.weights.similarity import Similarity

__all__ = ["KernelFactor", "kernel_factor", "own_similarity"]

# Pivots below this part of the largest entry are rounding. The larger bound is for features that
# are not kept: products with R^{-1} from both sides have the square of its size in their error.
_PIVOT = 1e-14
_CAUTIOUS_PIVOT = 1e-10
# So is asymmetry below this part of the largest entry, and a negative value on the diagonal.
_UNEVEN = 1e-8
# Rows compared with each other for the sake of a diagonal.
_SQUARE = 64


@dataclass(frozen=True, eq=False)
class KernelFactor:
    """``phi(x) = k(x, L) R^{-1}`` with ``R' R = K_L``: features whose inner products are Nyström's.

    ``<phi(x), phi(x')> = k(x, L) K_L^{-1} k(L, x')``.

    Parameters
    ----------
    landmarks : (r, d)
        L.
    triangle : float64, (r, r), upper, in Fortran order
        R.
    similarity : Similarity
    """

    landmarks: Any
    triangle: FloatArray
    similarity: Similarity

    def __call__(self, X: Any) -> FloatArray:
        """Features of the rows of X, ``(q, r)``."""
        kernel = self.raw(X)
        if not kernel.shape[0]:
            return kernel
        # Of a C-ordered array the transpose is in the order of BLAS, and solved for in place.
        solved = blas.dtrsm(1.0, self.triangle, kernel.T, side=0, lower=0, trans_a=1, overwrite_b=1)
        features: FloatArray = solved.T
        return features

    @property
    def rank(self) -> int:
        """r."""
        return int(self.triangle.shape[0])

    def raw(self, X: Any) -> FloatArray:
        """``k(x, L)``, ``(q, r)``."""
        return self.similarity(X, self.landmarks)

    def squares(self, X: Any) -> FloatArray:
        """``k(x, x)``, which no squared length of features exceeds, ``(q,)``."""
        return own_similarity(X, self.similarity)


def own_similarity(X: Any, similarity: Similarity) -> FloatArray:
    """``k(x, x)`` for each row, ``(q,)``."""
    if isinstance(similarity.kernel, str) and similarity.kernel in ("gaussian", "laplacian"):
        return np.ones(X.shape[0])
    blocks = [X[start : start + _SQUARE] for start in range(0, X.shape[0], _SQUARE)]
    found = [similarity(block, block).diagonal() for block in blocks]
    return np.concatenate([np.zeros(0), *found])


def kernel_factor(
    owner: str, landmarks: Any, similarity: Similarity, *, cautious: bool = False
) -> tuple[KernelFactor, IntArray]:
    """The factor, and which landmarks it kept, by a Cholesky decomposition with pivots.

    Landmarks that the kernel cannot tell from combinations of the others are left out, so that R
    can be inverted.

    Raises
    ------
    VotesError
        If the kernel of the landmarks is not symmetric, not positive semi-definite, or zero.

    Examples
    --------
    >>> import numpy as np
    >>> factor, kept = kernel_factor("Example", np.array([[1.0], [2.0]]), Similarity("linear"))
    >>> factor(np.array([[3.0]])), kept
    (array([[3.]]), array([1]))
    """
    kernel = similarity(landmarks, landmarks)
    largest = float(np.abs(kernel).max(initial=0.0))
    uneven = float(np.abs(kernel - kernel.T).max(initial=0.0))
    if uneven > _UNEVEN * largest:
        raise VotesError(
            f"{owner}: the kernel must be symmetric on the landmarks; entries [i, j] and [j, i] "
            f"differ by up to {uneven:.3g}. Use (k(x, x') + k(x', x)) / 2 if that is rounding."
        )
    if largest == 0.0:
        raise VotesError(
            f"{owner}: the kernel is zero between all landmarks, so that nobody has a vote. Use "
            "another kernel, or add a constant to it."
        )
    if kernel.diagonal().min() < -_UNEVEN * largest:
        raise _indefinite(owner, float(kernel.diagonal().min()))
    smallest = (_CAUTIOUS_PIVOT if cautious else _PIVOT) * largest
    factor, order, rank, _ = lapack.dpstrf(kernel.T, tol=smallest, lower=0)
    order = order.astype(np.intp) - 1
    kept = order[:rank]
    triangle = np.asfortranarray(np.triu(factor[:rank, :rank]))
    # What the factor leaves of the kernel shows whether that was positive.
    rest = kernel[np.ix_(order, order)]
    rest -= np.triu(factor[:rank]).T @ np.triu(factor[:rank])
    if float(np.abs(rest).max()) > _UNEVEN * largest:
        raise _indefinite(owner, -float(np.abs(rest).max()))
    return KernelFactor(landmarks[kept], triangle, similarity), kept


def _indefinite(owner: str, size: float) -> VotesError:
    return VotesError(
        f"{owner}: the kernel of the landmarks is not positive semi-definite (by {size:.3g}). "
        "Kernel ridge needs a kernel; pass weights of any sign as they are with "
        "PrecomputedWeights."
    )
