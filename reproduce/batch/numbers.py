"""Quadratic forms of many problems at once.

Many small problems under the squared loss, settled in one run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disambig.candidates import Intervals
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.boxes.dense import projected_newton
from disambig.solvers.numbers.solution import CERTIFIED
from reproduce.batch.boxes import StackedSolution, stacked_newton

# As in `disambig.quadratic_forms`.
_SMALLEST_SUM = 1e-8
_ROUNDING = 1e-12
# An inverse beyond this, of a block of unit diagonal, may hide a direction that costs nothing.
_DOUBTFUL = 1e9
_SHIFT = 1e-11
_CONSTANT_TOLERANCE = 1e-12


def voted_forms(votes: FloatArray) -> tuple[FloatArray, BoolArray]:
    """``Q = diag(A' 1) - A' diag(1 / r) A`` with ``r = A 1`` for a stack of votes, and which count.

    What `voted_form` does for one problem: ``y' Q y`` is what targets y cost under the squared
    loss with the predictions that suit them best.

    Parameters
    ----------
    votes : float array (B, n, n)

    Returns
    -------
    forms : float array (B, n, n)
    convex : bool array (B,)
        Where False there is no form (a row of votes sums to nothing positive; zeros are in its
        place), or it is not convex.

    Examples
    --------
    >>> import numpy as np
    >>> forms, convex = voted_forms(np.array([[[0.5, 0.5], [0.5, 0.5]], [[2, -1], [-1, 2]]]))
    >>> forms[0], convex
    (array([[ 0.5, -0.5],
           [-0.5,  0.5]]), array([ True, False]))
    """
    votes = np.asarray(votes, dtype=np.float64)
    sums, sizes = votes.sum(axis=2), np.abs(votes).sum(axis=2)
    heard = sizes > 0
    exists = ~((sums <= _SMALLEST_SUM * sizes) & heard).any(axis=1)
    usable = heard & exists[:, None]
    half = votes * np.sqrt(np.divide(1.0, sums, out=np.zeros_like(sums), where=usable))[:, :, None]
    forms = -(half.transpose(0, 2, 1) @ half)
    # Q 1 = 0 to rounding, as there.
    entries = np.arange(forms.shape[1])
    forms[:, entries, entries] = 0.0
    forms[:, entries, entries] = -forms.sum(axis=2)
    negative = -np.minimum(votes, 0.0).sum(axis=2)
    convex = exists & ~(negative > _ROUNDING * sizes).any(axis=1)
    doubtful = np.flatnonzero(exists & ~convex)
    convex[doubtful] = are_convex(forms[doubtful])
    return forms, convex


def are_convex(forms: FloatArray) -> BoolArray:
    """Which forms are positive semi-definite, up to rounding, ``(B,)``; ``forms`` is (B, n, n)."""
    if not forms.size:
        return np.ones(len(forms), dtype=bool)
    eigenvalues = np.linalg.eigvalsh(forms)
    return np.asarray(eigenvalues[:, 0] >= -_ROUNDING * np.maximum(eigenvalues[:, -1], 0.0))


@dataclass(frozen=True, eq=False)
class JointRegression:
    """The optima of several problems.

    Attributes
    ----------
    targets : float array (B, n)
        Inside their intervals, exactly.
    objective : float array (B,)
        ``y' Q y``.
    residual : float array (B,)
        `disambig.solvers.boxes.scaled_kkt` of each.
    n_iter : int array (B,)
        Newton steps.
    """

    targets: FloatArray
    objective: FloatArray
    residual: FloatArray
    n_iter: IntArray

    @property
    def certified(self) -> BoolArray:
        """Which are global optima, proven to a scaled residual of 1e-8, (B,)."""
        return np.asarray(self.residual <= CERTIFIED)


def regress_together(
    forms: FloatArray,
    sets: Sequence[Intervals],
    *,
    known_convex: bool = False,
    tol: float = 1e-10,
    max_iter: int = 200,
) -> JointRegression:
    """``argmin y' Q y`` over the intervals for each problem, as `NewtonRegression` has it.

    For sweeps over small problems: ridges, seeds, resamplings. A Newton step of all problems is a
    handful of calls of numpy: with ten rows that saves nineteen twentieths of the time, with a
    hundred nothing. Problems that are hard for Newton, or whose optimum is not unique, are
    finished one by one: of several optima the nearest to the middles of the intervals is returned.

    Parameters
    ----------
    forms : float array (B, n, n)
        Symmetric and positive semi-definite: `voted_forms` of votes, or
        `KernelRidgeWeights.residual_form` for the empirical risk.
    sets : sequence of Intervals, n rows of one column each
        One for each form.
    known_convex : bool, default False
        Whether the forms need no look at their eigenvalues.
    tol, max_iter : float, int
        As in `NewtonRegression`.

    Returns
    -------
    JointRegression

    Raises
    ------
    ValueError
        Where a form is not convex, or shapes do not agree.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.weights import KernelRidgeWeights
    >>> X, sets = [[0.0], [1.0], [2.0]], Intervals.from_any([(0, 1), (0.5, 4), (2, 2)])
    >>> fitted = KernelRidgeWeights(bandwidth=1.0).fit(np.array(X))
    >>> ridges = [1e-3, 1e-1]
    >>> forms = np.array([fitted.at_regularization(r).residual_form() for r in ridges])
    >>> found = regress_together(forms, [sets, sets])
    >>> found.targets.round(3), found.certified
    (array([[0.27 , 1.209, 2.   ],
           [0.208, 0.933, 2.   ]]), array([ True,  True]))
    """
    forms = np.asarray(forms, dtype=np.float64)
    ends, middles = _stacked(forms, sets)
    if not known_convex:
        _check_convex(forms)
    shift = _common_offsets(forms, *ends)
    lower, upper, middles = ends[0] - shift, ends[1] - shift, middles - shift
    known = np.isfinite(middles)
    # A row that says nothing begins in the middle of the others.
    others = np.where(known, middles, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    start = np.where(known, middles, others[:, None])
    found = stacked_newton(forms, lower, upper, start, tol=tol, max_iter=min(max_iter, 25))
    targets, objective = found.y, np.einsum("bj,bj->b", found.y, found.gradient)
    residual, n_iter = found.kkt, found.n_iter
    unfinished = _unfinished(forms, found, tol)
    for b in np.flatnonzero(unfinished):
        one = projected_newton(
            forms[b], lower[b], upper[b], start[b], anchor=middles[b], tol=tol, max_iter=max_iter
        )
        # From the start, which is the unit of residuals: optima that agree may all be near zero.
        targets[b], objective[b], residual[b], n_iter[b] = one.y, one.value, one.kkt, one.n_iter
    # The shift rounds: a target at an end must be that end.
    targets = np.clip(targets + shift, *ends)
    return JointRegression(targets, objective, residual, n_iter)


def _stacked(
    forms: FloatArray, sets: Sequence[Intervals]
) -> tuple[tuple[FloatArray, FloatArray], FloatArray]:
    """Lower and upper ends, and middles, (B, n) each."""
    if forms.ndim != 3 or forms.shape[1] != forms.shape[2] or len(sets) != len(forms):
        raise ValueError(
            f"regress_together: forms of shape {forms.shape} and {len(sets)} problems; expected "
            "(B, n, n) and B. Repeat the intervals of a problem for each of its forms."
        )
    for b, one in enumerate(sets):
        if one.lower.shape != (forms.shape[1], 1):
            raise ValueError(
                f"regress_together: problem {b} has intervals of shape {one.lower.shape}; expected "
                f"{(forms.shape[1], 1)}. Give each column of a box as a problem of its own."
            )
    lower, upper, middles = (
        np.array([getattr(one, name) for one in sets], dtype=np.float64).reshape(forms.shape[:2])
        for name in ("lower", "upper", "centers")
    )
    return (lower, upper), middles


def _check_convex(forms: FloatArray) -> None:
    bent = np.flatnonzero(~are_convex(forms))
    if len(bent):
        raise ValueError(
            f"regress_together: form {bent[0]} has a negative eigenvalue ({len(bent)} such forms), "
            "so that no optimum can be proven. Leave these problems out (`voted_forms` says which) "
            "and settle them by AlternatingRegression, or take the empirical risk."
        )


def _common_offsets(forms: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """The middle of the finite ends where a constant costs nothing, else 0; (B, 1)."""
    largest = np.max(np.abs(forms), axis=(1, 2), initial=0.0)
    constant_is_free = (
        np.abs(forms.sum(axis=2)).max(axis=1, initial=0.0) <= _CONSTANT_TOLERANCE * largest
    )
    least = np.minimum(
        np.min(np.where(np.isfinite(lower), lower, np.inf), axis=1, initial=np.inf),
        np.min(np.where(np.isfinite(upper), upper, np.inf), axis=1, initial=np.inf),
    )
    most = np.maximum(
        np.max(np.where(np.isfinite(lower), lower, -np.inf), axis=1, initial=-np.inf),
        np.max(np.where(np.isfinite(upper), upper, -np.inf), axis=1, initial=-np.inf),
    )
    there = constant_is_free & np.isfinite(least)
    middle = np.zeros(len(forms))
    np.add(0.5 * least, 0.5 * most, out=middle, where=there)
    return middle[:, None]


def _unfinished(forms: FloatArray, found: StackedSolution, tol: float) -> BoolArray:
    """Problems short of the tolerance, and those that may have several optima, (B,)."""
    diagonal = np.diagonal(forms, axis1=1, axis2=2)
    scale = np.where(found.loose, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
    blocks = forms * scale[:, :, None] * scale[:, None]
    entries = np.arange(blocks.shape[1])
    blocks[:, entries, entries] += np.where(found.loose, _SHIFT, 1.0)
    # All other optima are reached through null directions on the loose entries; the inverse bounds
    # the least eigenvalue from below.
    inverse = np.linalg.norm(np.linalg.inv(blocks), axis=(1, 2))
    return np.asarray((found.kkt > tol) | (inverse > _DOUBTFUL))
