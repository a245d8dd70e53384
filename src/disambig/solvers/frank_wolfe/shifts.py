"""The extreme eigenvalues of symmetric votes, from the outside.

How much to add to the votes of each row with itself so that nothing bends down any more.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from disambig.exceptions import MissingOracleError
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.votes import MixtureVotes, OperatorVotes, RepeatedVotes, Votes

# Up to so many rows the square of open rows is written out.
_SMALL = 400
# What Lanczos finds lies inside of the spectrum, by less than this part of its width as a rule.
_MARGIN = 1e-3
_LANCZOS_TOLERANCE, _RESTARTS = 1e-5, 200
# A row that hears next to nobody still has this part of the largest scale.
_LEAST_SCALE = 1e-3


class Spectrum(NamedTuple):
    """All eigenvalues lie between these."""

    lowest: float
    highest: float


def listen(problem: Problem, values: FloatArray) -> FloatArray:
    """``(A + A') / 2 @ values``."""
    heard = problem.votes @ values
    if problem.transposed is problem.votes:
        return heard
    both: FloatArray = (heard + problem.transposed @ values) / 2
    return both


def is_exact(n_rows: int) -> bool:
    """Whether the eigenvalues between so many rows are exact to rounding."""
    return n_rows <= _SMALL


def sums_are_bounds(votes: Votes) -> bool:
    """Whether ``absolute_row_sums`` is never too small.

    An operator of the user's own that does not offer it has ``|alpha @ 1|`` in its place, which
    signed votes make as small as they like.

    Examples
    --------
    >>> from scipy.sparse.linalg import aslinearoperator
    >>> from disambig.votes import as_votes
    >>> signed = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> sums_are_bounds(as_votes(signed)), sums_are_bounds(as_votes(aslinearoperator(signed)))
    (True, False)
    """
    if isinstance(votes, OperatorVotes):
        return hasattr(votes.operator, "absolute_row_sums")
    if isinstance(votes, MixtureVotes):
        return all(sums_are_bounds(part) for part in votes.parts)
    return sums_are_bounds(votes.votes) if isinstance(votes, RepeatedVotes) else True


def spectrum(problem: Problem, rows: IntArray, own: FloatArray, scales: FloatArray) -> Spectrum:
    """Bounds on the eigenvalues of ``D (S - diag(own)) D`` with ``D = diag(scales)^(-1/2)``.

    S is the symmetric part of the votes between some rows. Exact to rounding for few rows; beyond,
    Lanczos values moved outwards by a margin, and never beyond the largest sum of absolute entries
    in a row, which bounds them all, where the votes can tell it.

    Parameters
    ----------
    problem : Problem
    rows : int array (r,)
    own : float array (r,)
    scales : float array (r,), positive

    Examples
    --------
    >>> from disambig.votes import as_votes
    >>> problem = Problem(as_votes([[1.0, 2.0], [0.0, 1.0]]), None, None)
    >>> ends = spectrum(problem, np.arange(2), np.zeros(2), np.ones(2))
    >>> round(ends.lowest, 6) + 0.0, round(ends.highest, 6)
    (0.0, 2.0)
    """
    if not rows.size:
        return Spectrum(0.0, 0.0)
    if not is_exact(rows.size):
        return _lanczos(problem, rows, own, scales)
    square = _between(problem, rows)
    square = ((square + square.T) / 2 - np.diag(own)) / np.sqrt(np.outer(scales, scales))
    values = np.linalg.eigvalsh(square)
    rounding = float(4 * rows.size * np.finfo(np.float64).eps * np.abs(values).max())
    return Spectrum(float(values[0]) - rounding, float(values[-1]) + rounding)


def _between(problem: Problem, rows: IntArray) -> FloatArray:
    """``A[rows][:, rows]``."""
    scores_at, position, votes = problem.votes.column_entries(rows)
    place = np.full(problem.votes.shape[0], -1, dtype=np.intp)
    place[rows] = np.arange(rows.size)
    here = place[scores_at] >= 0
    square = np.zeros((rows.size, rows.size))
    square[place[scores_at[here]], position[here]] = votes[here]
    return square


def _lanczos(problem: Problem, rows: IntArray, own: FloatArray, scales: FloatArray) -> Spectrum:
    n, r = problem.votes.shape[0], rows.size
    roots = np.sqrt(scales)

    def product(vector: FloatArray) -> FloatArray:
        values = np.zeros((n, 1))
        scaled = vector.ravel() / roots
        values[rows, 0] = scaled
        heard: FloatArray = (listen(problem, values)[rows, 0] - own * scaled) / roots
        return heard

    largest = _largest_sum(problem, rows, own, scales)
    operator = LinearOperator((r, r), matvec=product, dtype=np.float64)
    # A start of its own makes the result the same in every run.
    start = np.random.default_rng(0).normal(size=r)
    ends = []
    for which in ("SA", "LA"):
        try:
            found = eigsh(
                operator,
                k=1,
                which=which,
                v0=start,
                tol=_LANCZOS_TOLERANCE,
                maxiter=_RESTARTS,
                return_eigenvectors=False,
            )
            ends.append(float(found[0]))
        except ArpackNoConvergence as error:
            if np.isinf(largest):
                raise MissingOracleError(
                    f"FrankWolfeMinimization: the eigenvalues of the votes between {r} rows were "
                    f"not found in {_RESTARTS} restarts of Lanczos steps, and nothing else bounds "
                    "them. Add absolute_row_sums() to the operator and to its transpose (see "
                    "disambig.votes.Votes), or pass an array or a sparse matrix."
                ) from error
            # The sums of a row are bounds as well, only wider.
            ends.append(-largest if which == "SA" else largest)
    margin = _MARGIN * (ends[1] - ends[0])
    return Spectrum(max(ends[0] - margin, -largest), min(ends[1] + margin, largest))


def _largest_sum(problem: Problem, rows: IntArray, own: FloatArray, scales: FloatArray) -> float:
    """No eigenvalue is larger, of either sign; infinite where the votes cannot tell."""
    if not (sums_are_bounds(problem.votes) and sums_are_bounds(problem.transposed)):
        return np.inf
    sums = (problem.votes.absolute_row_sums() + problem.transposed.absolute_row_sums()) / 2
    # The matrix is similar to one whose rows are divided by the scales.
    return float(((sums[rows] + np.abs(own)) / scales).max())


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
