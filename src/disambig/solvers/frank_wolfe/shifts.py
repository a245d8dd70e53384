"""How much to add to the votes of each row with itself so that nothing bends down any more."""

from dataclasses import dataclass

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.notation import BoolArray, FloatArray
from disambig.problem import Problem
from disambig.solvers.frank_wolfe.spectrum import spectrum

__all__ = ["Shifts", "tight_shifts", "unit_shifts"]

# A row that hears next to nobody still has this part of the largest scale.
_LEAST_SCALE = 1e-3


@dataclass(frozen=True, eq=False)
class Shifts:
    """``S + diag(plus)`` and ``diag(minus) - S`` are positive semi-definite between open rows.

    The smaller the better: what is added is what a relaxation gives away.

    Parameters
    ----------
    plus, minus : float array (n,)
        Zero at rows that are settled.
    """

    plus: FloatArray
    minus: FloatArray


def tight_shifts(
    problem: Problem, open_rows: BoolArray, spreads: tuple[FloatArray, FloatArray]
) -> Shifts:
    """The better of two, for either side, by what they give away in the middle of the hulls.

    One is the same for all rows: ``-min`` and ``max`` of the eigenvalues of S, *also* where they
    are negative. What a row says to itself costs nothing, so that the objective does not change if
    a diagonal is added to the votes. The other follows the rows: its own vote, and the votes that
    it shares with open rows times the largest eigenvalue of what is left on their scale. For votes
    that are not negative that makes a graph Laplacian.

    Parameters
    ----------
    problem : Problem
    open_rows : bool array (n,)
    spreads : two float arrays (n,)
        What a shift of one of each row, of either side, gives away in the middle of its hull.

    Examples
    --------
    >>> from disambig.votes import as_votes
    >>> problem = Problem(as_votes([[9.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 5.0]]), None, None)
    >>> shifts = tight_shifts(problem, np.ones(3, dtype=bool), (np.ones(3), np.ones(3)))
    >>> shifts.plus.round(2), shifts.minus.round(2)
    (array([-8.,  1., -5.]), array([10.,  1.,  5.]))
    """
    rows = np.flatnonzero(open_rows)
    ones = np.ones(rows.size)
    ends = spectrum(problem, rows, 0.0 * ones, ones)
    sides: list[list[FloatArray]] = [[-ends.lowest * ones], [ends.highest * ones]]
    try:
        own = np.asarray(problem.votes.diagonal(), dtype=np.float64)[rows]
    except MissingOracleError:
        own = None
    if own is not None and rows.size:
        scales = _scales(problem, open_rows, own)
        ends = spectrum(problem, rows, own, scales)
        sides[0].append(-own - ends.lowest * scales)
        sides[1].append(own + ends.highest * scales)
    chosen = [_least(side, spread[rows]) for side, spread in zip(sides, spreads, strict=True)]
    return Shifts(_spread(chosen[0], open_rows), _spread(chosen[1], open_rows))


def unit_shifts(problem: Problem, open_rows: BoolArray) -> Shifts:
    """``minus`` is 1, as in Diffrac; refuses votes whose eigenvalues go beyond."""
    rows = np.flatnonzero(open_rows)
    ones = np.ones(rows.size)
    ends = spectrum(problem, rows, 0.0 * ones, ones)
    # Lanczos is on the safe side, and kernel ridge may come as close to 1 as rounding allows.
    if ends.highest > 1.0 + 2e-3:
        raise ValueError(
            "FrankWolfeMinimization: shift='unit' needs votes whose eigenvalues are at most 1, "
            f"like those of kernel ridge; the largest is {ends.highest:.6g}. Use shift='tight'."
        )
    highest = max(1.0, ends.highest)
    return Shifts(_spread(-ends.lowest * ones, open_rows), _spread(highest * ones, open_rows))


def _scales(problem: Problem, open_rows: BoolArray, own: FloatArray) -> FloatArray:
    """How much a row hears of other open rows and is heard by them, ``(r,)``.

    Any positive scales will do, since eigenvalues are found on them; these make shifts small.
    """
    heard = open_rows.astype(np.float64)
    sums = problem.votes.absolute_row_sums(heard) + problem.transposed.absolute_row_sums(heard)
    scales = np.asarray(sums, dtype=np.float64)[open_rows] / 2 - np.abs(own)
    largest = float(scales.max(initial=0.0))
    return np.maximum(scales, _LEAST_SCALE * largest if largest > 0.0 else 1.0)


def _least(side: list[FloatArray], spread: FloatArray) -> FloatArray:
    """The first, unless another gives away less, and by more than rounding."""
    best, *others = side
    for other in others:
        if other @ spread < best @ spread - 1e-9 * np.abs(best) @ spread:
            best = other
    return best


def _spread(values: FloatArray, open_rows: BoolArray) -> FloatArray:
    whole = np.zeros(len(open_rows))
    whole[open_rows] = values
    return whole
