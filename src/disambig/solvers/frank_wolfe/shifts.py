"""Shifts that make the quadratic objective convex, from bounds on the eigenvalues of the votes.

S is the symmetric part of the votes between *open* rows, those with several candidates. `spectrum`
bounds its eigenvalues from outside; `tight_shifts` and `unit_shifts` choose diagonals such that
``S + diag(plus)`` and ``diag(minus) - S`` are positive semi-definite.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from disambig.exceptions import MissingOracleError
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem

# Up to this many open rows the dense block of votes is built and its eigenvalues are exact.
_MAX_DENSE_ROWS = 400
# Lanczos values lie inside the spectrum, usually by less than this part of its width. Bounds
# are moved outwards by it.
_LANCZOS_MARGIN = 1e-3
_LANCZOS_TOLERANCE, _LANCZOS_MAX_RESTARTS = 1e-5, 200
# Scales of rows with almost no votes are at least this part of the largest scale.
_MIN_SCALE_RATIO = 1e-3


class Spectrum(NamedTuple):
    """Bounds: all eigenvalues lie between these."""

    lowest: float
    highest: float


def symmetric_product(problem: Problem, values: FloatArray) -> FloatArray:
    """``(A + A') / 2 @ values``."""
    product = problem.votes @ values
    if problem.transposed is problem.votes:
        return product
    symmetric: FloatArray = (product + problem.transposed @ values) / 2
    return symmetric


def spectrum_is_exact(n_rows: int) -> bool:
    """Whether the eigenvalues between this many rows are exact to rounding."""
    return n_rows <= _MAX_DENSE_ROWS


def spectrum(
    problem: Problem, rows: IntArray, diagonal: FloatArray, scales: FloatArray
) -> Spectrum:
    """Bounds on the eigenvalues of ``D (S - diag(diagonal)) D`` with ``D = diag(scales)^(-1/2)``.

    S is the symmetric part of the votes between `rows`. The bounds are exact to rounding for few
    rows. For more rows they are Lanczos values moved outwards by a margin, but not beyond the
    largest sum of absolute entries in a row, which bounds all eigenvalues, if it is known.

    Parameters
    ----------
    problem : Problem
    rows : int array (r,)
    diagonal : float array (r,)
    scales : float array (r,), positive

    Examples
    --------
    >>> from disambig.votes import as_votes
    >>> problem = Problem(as_votes([[1.0, 2.0], [0.0, 1.0]]), None, None)
    >>> bounds = spectrum(problem, np.arange(2), np.zeros(2), np.ones(2))
    >>> round(bounds.lowest, 6) + 0.0, round(bounds.highest, 6)
    (0.0, 2.0)
    """
    if not rows.size:
        return Spectrum(0.0, 0.0)
    if not spectrum_is_exact(rows.size):
        return _lanczos(problem, rows, diagonal, scales)
    block = _dense_block(problem, rows)
    # Products of scales below 1e-162 are zero. Dividing by a power of two changes no digit.
    unit = 2.0 ** np.frexp(scales.max())[1]
    ratios = scales / unit
    block = ((block + block.T) / 2 - np.diag(diagonal)) / unit / np.sqrt(np.outer(ratios, ratios))
    values = np.linalg.eigvalsh(block)
    rounding = float(4 * rows.size * np.finfo(np.float64).eps * np.abs(values).max())
    return Spectrum(float(values[0]) - rounding, float(values[-1]) + rounding)


def _dense_block(problem: Problem, rows: IntArray) -> FloatArray:
    """``A[rows][:, rows]`` as an array."""
    entry_rows, position, votes = problem.votes.column_entries(rows)
    index = np.full(problem.votes.shape[0], -1, dtype=np.intp)
    index[rows] = np.arange(rows.size)
    inside = index[entry_rows] >= 0
    block = np.zeros((rows.size, rows.size))
    block[index[entry_rows[inside]], position[inside]] = votes[inside]
    return block


def _lanczos(
    problem: Problem, rows: IntArray, diagonal: FloatArray, scales: FloatArray
) -> Spectrum:
    n, r = problem.votes.shape[0], rows.size
    roots = np.sqrt(scales)

    def product(vector: FloatArray) -> FloatArray:
        values = np.zeros((n, 1))
        scaled = vector.ravel() / roots
        values[rows, 0] = scaled
        symmetric = symmetric_product(problem, values)[rows, 0]
        result: FloatArray = (symmetric - diagonal * scaled) / roots
        return result

    largest = _largest_sum(problem, rows, diagonal, scales)
    operator = LinearOperator((r, r), matvec=product, dtype=np.float64)
    # A fixed start makes the result the same in every run.
    start = np.random.default_rng(0).normal(size=r)
    extremes = []
    for which in ("SA", "LA"):
        try:
            found = eigsh(
                operator,
                k=1,
                which=which,
                v0=start,
                tol=_LANCZOS_TOLERANCE,
                maxiter=_LANCZOS_MAX_RESTARTS,
                return_eigenvectors=False,
            )
            extremes.append(float(found[0]))
        except ArpackNoConvergence as error:
            if np.isinf(largest):
                raise MissingOracleError(
                    f"FrankWolfeMinimization: {_LANCZOS_MAX_RESTARTS} restarts of the Lanczos "
                    f"method did not find the eigenvalues of the votes between {r} rows, and "
                    "nothing else bounds them. Add absolute_row_sums() to the operator and to its "
                    "transpose (see disambig.votes.Votes), or pass an array or a sparse matrix."
                ) from error
            # The largest row sum is a bound as well, only wider.
            extremes.append(-largest if which == "SA" else largest)
    margin = _LANCZOS_MARGIN * (extremes[1] - extremes[0])
    return Spectrum(max(extremes[0] - margin, -largest), min(extremes[1] + margin, largest))


def _largest_sum(
    problem: Problem, rows: IntArray, diagonal: FloatArray, scales: FloatArray
) -> float:
    """An upper bound on all absolute eigenvalues; infinite if absolute row sums are not known."""
    votes, transposed = problem.votes, problem.transposed
    if not (votes.absolute_sums_are_bounds and transposed.absolute_sums_are_bounds):
        return np.inf
    sums = (votes.absolute_row_sums() + transposed.absolute_row_sums()) / 2
    # The matrix is similar to one whose rows are divided by the scales.
    return float(((sums[rows] + np.abs(diagonal)) / scales).max())


@dataclass(frozen=True, eq=False)
class Shifts:
    """``S + diag(plus)`` and ``diag(minus) - S`` are positive semi-definite between open rows.

    Small shifts are best: the relaxation falls below the objective by what they add.

    Parameters
    ----------
    plus, minus : float array (n,)
        Zero at rows with one candidate.
    """

    plus: FloatArray
    minus: FloatArray


def tight_shifts(
    problem: Problem, open_rows: BoolArray, variances: tuple[FloatArray, FloatArray]
) -> Shifts:
    """The smallest of two choices for `plus` and for `minus`, weighted by the variances.

    The first choice is the same for all rows: ``-min`` and ``max`` of the eigenvalues of S, *also*
    if these are negative. A row pays nothing for its own vote, so the objective does not change if
    a diagonal is added to the votes. The second choice depends on the row: its own vote, and its
    sum of absolute votes with other open rows times the extreme eigenvalue of S without its
    diagonal on that scale. For non-negative votes this is a graph Laplacian.

    Parameters
    ----------
    problem : Problem
    open_rows : bool array (n,)
    variances : two float arrays (n,)
        By how much a shift of one lowers the relaxation at the mean of each row's candidates, for
        `plus` and for `minus`; see `QuadraticLoss.variances`.

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
    bounds = spectrum(problem, rows, 0.0 * ones, ones)
    choices: list[list[FloatArray]] = [[-bounds.lowest * ones], [bounds.highest * ones]]
    try:
        diagonal = np.asarray(problem.votes.diagonal(), dtype=np.float64)[rows]
    except MissingOracleError:
        diagonal = None
    if diagonal is not None and rows.size:
        scales = _scales(problem, open_rows, diagonal)
        bounds = spectrum(problem, rows, diagonal, scales)
        choices[0].append(-diagonal - bounds.lowest * scales)
        choices[1].append(diagonal + bounds.highest * scales)
    plus, minus = (
        _smallest(shifts, variance[rows])
        for shifts, variance in zip(choices, variances, strict=True)
    )
    return Shifts(_scattered(plus, open_rows), _scattered(minus, open_rows))


def unit_shifts(problem: Problem, open_rows: BoolArray) -> Shifts:
    """`minus` is 1, as in Diffrac; raises ValueError if an eigenvalue of the votes exceeds 1."""
    rows = np.flatnonzero(open_rows)
    ones = np.ones(rows.size)
    bounds = spectrum(problem, rows, 0.0 * ones, ones)
    # The Lanczos bound includes a margin, and eigenvalues of kernel ridge come close to 1.
    if bounds.highest > 1.0 + 2e-3:
        raise ValueError(
            "FrankWolfeMinimization: shift='unit' needs votes whose eigenvalues are at most 1, "
            f"like those of kernel ridge; the largest is {bounds.highest:.6g}. Use shift='tight'."
        )
    highest = max(1.0, bounds.highest)
    plus = _scattered(-bounds.lowest * ones, open_rows)
    return Shifts(plus, _scattered(highest * ones, open_rows))


def _scales(problem: Problem, open_rows: BoolArray, diagonal: FloatArray) -> FloatArray:
    """The sum of absolute votes between an open row and the other open rows, ``(r,)``.

    Any positive scales give valid shifts, because the eigenvalues are computed on them; these
    scales make the shifts small.
    """
    is_open = open_rows.astype(np.float64)
    sums = problem.votes.absolute_row_sums(is_open) + problem.transposed.absolute_row_sums(is_open)
    scales = np.asarray(sums, dtype=np.float64)[open_rows] / 2 - np.abs(diagonal)
    largest = float(scales.max(initial=0.0))
    return np.maximum(scales, _MIN_SCALE_RATIO * largest if largest > 0.0 else 1.0)


def _smallest(choices: list[FloatArray], variance: FloatArray) -> FloatArray:
    """The first choice, unless another has a smaller weighted sum by more than rounding."""
    best, *others = choices
    for other in others:
        if other @ variance < best @ variance - 1e-9 * np.abs(best) @ variance:
            best = other
    return best


def _scattered(values: FloatArray, open_rows: BoolArray) -> FloatArray:
    """Values of the open rows as an array of all rows, zero elsewhere, ``(n,)``."""
    whole = np.zeros(len(open_rows))
    whole[open_rows] = values
    return whole
