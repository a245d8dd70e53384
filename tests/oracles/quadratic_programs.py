"""The quadratic objective by enumeration, and its relaxations by a solver of scipy."""

import numpy as np
from scipy.optimize import LinearConstraint, minimize

from disambig.candidates import LabelSets
from disambig.notation import AnyArray, FloatArray
from tests.oracles.brute_force import labellings

__all__ = [
    "SYMMETRIC",
    "convex_minimum",
    "paper_bound",
    "quadratic_optimum",
    "quadratic_values",
    "relaxation",
]

# The losses of `tiny_problems.LOSSES` that are symmetric with a diagonal of zeros.
SYMMETRIC = ("zero-one", "absolute", "squared", "hierarchical")


def quadratic_values(A: FloatArray, matrix: FloatArray, choices: AnyArray) -> FloatArray:
    """``sum_ij A[i, j] matrix[y_i, y_j]`` of each row y of `choices`, term by term."""
    values = np.zeros(len(choices))
    for i in range(len(A)):
        for j in range(len(A)):
            values += A[i, j] * matrix[choices[:, i], choices[:, j]]
    return values


def quadratic_optimum(A: FloatArray, matrix: FloatArray, sets: LabelSets) -> float:
    """The lowest quadratic objective over all labels in the sets."""
    return float(quadratic_values(A, matrix, labellings(sets)).min())


def relaxation(
    A: FloatArray, matrix: FloatArray, plus: FloatArray, minus: FloatArray, shifts: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """``(H, c)`` with ``h(q) = q' H q + c' q`` for concatenated distributions ``(q_1, ..., q_n)``.

    h is ``sum_ij A[i, j] q_i' matrix q_j`` plus, for each row i, ``shifts[0, i]`` times
    ``q_i' plus q_i - diag(plus)' q_i`` and ``shifts[1, i]`` times the same with `minus`.
    """
    H = np.kron((A + A.T) / 2, matrix)
    H += np.kron(np.diag(shifts[0]), plus) + np.kron(np.diag(shifts[1]), minus)
    c = -np.kron(shifts[0], np.diagonal(plus)) - np.kron(shifts[1], np.diagonal(minus))
    return H, c


def convex_minimum(H: FloatArray, c: FloatArray, sets: LabelSets) -> float:
    """``min q' H q + c' q`` over distributions on the sets, by sequential quadratic programming."""
    n, K = sets.mask.shape
    allowed = sets.mask.ravel()
    sums = np.kron(np.eye(n), np.ones(K))[:, allowed]
    H, c = (H + H.T)[np.ix_(allowed, allowed)] / 2, c[allowed]
    found = minimize(
        lambda q: q @ H @ q + c @ q,
        sets.distribution().ravel()[allowed],
        jac=lambda q: 2 * H @ q + c,
        bounds=[(0.0, 1.0)] * int(allowed.sum()),
        constraints=LinearConstraint(sums, 1.0, 1.0),
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    return float(found.fun)


def paper_bound(A: FloatArray, matrix: FloatArray, sets: LabelSets) -> float:
    """The bound of the paper's appendix.

    Both shifts are the norm of A, and C is the largest absolute eigenvalue of the loss. An extra
    coordinate for each class makes the norms equal: it adds a diagonal to both products.
    """
    values, vectors = np.linalg.eigh(matrix)
    C = float(np.abs(values).max())
    plus = (vectors * np.maximum(values, 0.0)) @ vectors.T
    minus = (vectors * np.maximum(-values, 0.0)) @ vectors.T
    extra = np.diag(C - np.diagonal(plus))
    norm = float(np.linalg.norm((A + A.T) / 2, 2))
    n = len(A)
    H, _ = relaxation(A, matrix, plus + extra, minus + extra, np.full((2, n), norm))
    lowest = convex_minimum(H, np.zeros(len(H)), sets)
    return lowest - 2 * n * C * norm
