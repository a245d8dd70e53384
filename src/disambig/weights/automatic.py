"""Kernel ridge where its matrix is affordable, landmarks beyond: what "auto" means."""

from disambig.memory import free_bytes
from disambig.weights.kernel_ridge import KernelRidgeWeights
from disambig.weights.nystrom import NystromWeights

__all__ = ["LARGEST_EXACT", "automatic_ridge", "is_affordable"]

# A decomposition of so many rows takes about a minute on one core, and four times that of twice.
LARGEST_EXACT = 5000
# Bytes an entry of the kernel matrix costs at the peak of a fit.
_PEAK = 4 * 8.0
_LANDMARKS = 1000


def is_affordable(n: int) -> bool:
    """Do time and half of the free memory allow the kernel matrix of n rows?"""
    free = free_bytes()
    return n <= LARGEST_EXACT and (free is None or _PEAK * n * n <= free / 2)


def automatic_ridge(n: int) -> KernelRidgeWeights | NystromWeights:
    """Kernel ridge with an intercept on n rows: exact if time and half of the memory allow it.

    Otherwise by landmarks (`NystromWeights`), in memory that grows with n and not with its square.

    Examples
    --------
    >>> automatic_ridge(500)
    KernelRidgeWeights(intercept=True)
    >>> automatic_ridge(1_000_000)
    NystromWeights(intercept=True, n_landmarks=1000)
    """
    if is_affordable(n):
        return KernelRidgeWeights(intercept=True)
    return NystromWeights(n_landmarks=_LANDMARKS, intercept=True)
