"""Well-behaved problems (Definition 5 of the paper).

A problem is well-behaved if every candidate set has a signed measure on the classes under which the
members of the set, and no other predictions, have the smallest expected loss. `find_measure`
computes the measure of one set or proves that there is none; `WellBehaved` collects the measures of
all sets of a problem.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from disambig.candidates.labels.label_sets import LabelSets
from disambig.exceptions import IllBehavedWarning, warn
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# Distances below this fraction of the largest loss count as zero. A measure for a smaller one would
# be so large that its margin of one falls below the tolerance of a tie, 1e-10 of all votes.
_ZERO_DISTANCE = 1e-9
# Below this fraction of the largest loss, a measure that the solver fails to give counts as absent;
# above it the failure is an error.
_DOUBTFUL_DISTANCE = 1e-6
# Largest difference between the losses of the members of a set, relative to the margin.
_MAX_SPREAD = 1e-6
# Options of HiGHS in the order in which they are tried: its smallest tolerances first, then its
# defaults. Every solution is checked.
_SOLVER_OPTIONS: tuple[dict[str, Any], ...] = (
    {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    {},
    {"presolve": False},
)
_NOT_SOLVED = (
    "find_measure: the linear program was not solved to the required precision, because the loss "
    "matrix is ill-conditioned. Round its entries."
)
# How many sets a warning lists; it counts the others.
_MAX_LISTED_SETS = 5


@dataclass(frozen=True, eq=False)
class SetMeasure:
    """A measure ``mu`` with ``(L mu)[z] = level`` for members, ``>= level + 1`` for all others.

    Parameters
    ----------
    members : bool array (P,)
        The predictions that must be the minimisers, and the only ones.
    measure : float array (K,), or None
        The signed measure ``mu`` of smallest ``sum |mu|``; None if there is none.
    level : float, or None
        The expected loss of the members under it.
    certificate : float array (P,)
        Weights ``w`` that sum to zero, with ``w >= 0`` and sum one outside the members (all zero if
        every prediction is a member). Every measure has ``w' L mu >= 1``. So ``sum |mu|`` is at
        least `lightest`, and ``w' L = 0`` proves that there is no measure.
    lightest : float
        ``1 / max |w' L|``: a lower bound on ``sum |mu|``, attained by `measure`. If there is no
        measure it is infinite, or at least ``1e6 / (largest loss)``: too large to be distinguished
        from rounding.
    """

    members: BoolArray
    measure: FloatArray | None
    level: float | None
    certificate: FloatArray
    lightest: float

    @property
    def exists(self) -> bool:
        """Is there such a measure?"""
        return self.measure is not None


def find_measure(matrix: FloatArray, members: BoolArray) -> SetMeasure:
    """The measure of smallest ``sum |mu|`` under which the members, and only those, are best.

    Such a measure separates two sets of rows of the loss matrix: the affine hull of the members and
    the convex hull of the others. The smallest ``sum |mu|`` is ``1 / distance`` of these sets in
    the maximum norm. So one linear program computes the distance, and its multipliers are the
    measure. Its solution also proves that no measure has a smaller sum. If the distance is zero it
    proves that there is no measure: a mixture of other predictions has, for every class, the same
    loss as an affine combination of members.

    Parameters
    ----------
    matrix : float array (P, K)
    members : bool array (P,)
        At least one.

    Examples
    --------
    Under the squared loss on three levels there is a measure for both ends without the middle:

    >>> import numpy as np
    >>> squared = np.subtract.outer(range(4), range(4)) ** 2.0
    >>> found = find_measure(squared[:3, :3], np.array([True, False, True]))
    >>> found.exists, bool(found.measure.sum() <= 0)
    (True, True)

    On four levels there is none for 0 and 2 alone. Predicting 1 with probability 3/4 and 3 with 1/4
    has, for every class, the same expected loss as predicting 0 with 1/4 and 2 with 3/4:

    >>> refuted = find_measure(squared, np.array([True, False, True, False]))
    >>> refuted.exists, refuted.certificate.round(6).tolist()
    (False, [-0.25, 0.75, -0.75, 0.25])
    >>> bool(np.abs(refuted.certificate @ squared).max() < 1e-12)
    True
    """
    n_predictions, n_classes = matrix.shape
    if not members.any():
        raise ValueError("find_measure: members is False everywhere; expected at least one member.")
    if members.all():
        return SetMeasure(members, np.zeros(n_classes), 0.0, np.zeros(n_predictions), 0.0)
    largest = float(np.abs(matrix).max())
    if largest == 0:
        return SetMeasure(members, None, None, _equal_weights(members), np.inf)
    table = matrix / largest
    weights, multipliers = _nearest(table, members)
    weights = _feasible(weights, members)
    distance = float(np.abs(weights @ table).max())
    lightest = np.inf if distance == 0 else 1 / (distance * largest)
    measure = _with_margin(matrix, members, multipliers) if distance > _ZERO_DISTANCE else None
    if measure is None:
        if distance > _DOUBTFUL_DISTANCE:
            raise RuntimeError(_NOT_SOLVED)
        return SetMeasure(members, None, None, weights, lightest)
    level = float((matrix @ measure)[members].mean())
    return SetMeasure(members, measure, level, weights, lightest)


def every_set_has_measure(matrix: FloatArray) -> bool:
    """Has every set of predictions a measure because the rows are affinely independent?

    Then no certificate with ``w' L = 0`` exists. A square invertible matrix is the common case.

    Examples
    --------
    >>> import numpy as np
    >>> every_set_has_measure(1.0 - np.eye(4))
    True
    """
    n_predictions, n_classes = matrix.shape
    largest = float(np.abs(matrix).max())
    if n_predictions > n_classes + 1 or largest == 0:
        return bool(n_predictions == 1)
    lifted = np.column_stack([matrix / largest, np.ones(n_predictions)])
    smallest = float(np.linalg.svd(lifted, compute_uv=False)[-1])
    # A certificate has |w| >= 1 / sqrt(P), hence max |w' L| >= smallest / sqrt(P K).
    needed = _ZERO_DISTANCE * math.sqrt(n_predictions * n_classes)
    return bool(smallest > needed)


def _nearest(table: FloatArray, members: BoolArray) -> tuple[FloatArray, FloatArray]:
    """The weights w of a certificate that minimise ``max |w' L|``, and the multipliers, (K,)."""
    n_predictions, n_classes = table.shape
    # The last variable bounds |w' L| and is minimised.
    bound = np.ones((n_classes, 1))
    program = {
        "c": np.r_[np.zeros(n_predictions), 1.0],
        "A_ub": np.block([[table.T, -bound], [-table.T, -bound]]),
        "b_ub": np.zeros(2 * n_classes),
        "A_eq": np.vstack([np.r_[~members, False], np.r_[np.ones(n_predictions), 0.0]]),
        "b_eq": np.array([1.0, 0.0]),
        "bounds": [(None, None) if inside else (0.0, None) for inside in members] + [(0.0, None)],
    }
    for options in _SOLVER_OPTIONS:
        found = linprog(**program, method="highs", options=options)
        # A solution exists: feasible weights do, and the distance is bounded below by zero.
        if found.status == 0:
            above, below = np.split(-found.ineqlin.marginals, 2)
            return found.x[:-1], above - below
    raise RuntimeError(_NOT_SOLVED)


def _feasible(weights: FloatArray, members: BoolArray) -> FloatArray:
    """The weights without the rounding of the solver: signs and both sums are exact."""
    outside = np.where(members, 0.0, np.maximum(weights, 0.0))
    outside /= outside.sum()
    inside = np.where(members, weights, 0.0)
    inside[members] -= (inside.sum() + 1.0) / members.sum()
    cleaned: FloatArray = outside + inside
    return cleaned


def _with_margin(
    matrix: FloatArray, members: BoolArray, direction: FloatArray
) -> FloatArray | None:
    """The direction scaled to a margin of one; None if it does not separate the members."""
    losses = matrix @ direction
    margin = float(losses[~members].min() - losses[members].mean())
    spread = float(np.ptp(losses[members]))
    if margin <= 0 or spread > _MAX_SPREAD * margin:
        return None
    measure: FloatArray = direction / margin
    return measure


def _equal_weights(members: BoolArray) -> FloatArray:
    """A certificate with equal weights outside the members, and inside them."""
    weights: FloatArray = np.where(members, -1.0 / members.sum(), 1.0 / (~members).sum())
    return weights


@dataclass(frozen=True, eq=False)
class WellBehaved:
    """The measures of all distinct candidate sets of a problem.

    Parameters
    ----------
    sets : LabelSets
        The distinct sets, S of them.
    measures : tuple of SetMeasure
        One for each distinct set.
    index : int array (n,)
        ``index[j]`` is the number of the set of row j.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.losses import OrdinalLoss
    >>> loss = OrdinalLoss(power=2).bind(np.arange(4))
    >>> found = loss.well_behaved([{0, 1}, {0, 2}, {0, 1}])
    >>> found.exists, found.index
    (array([ True, False]), array([0, 1, 0]))
    >>> found.offending.to_sets()
    [frozenset({0, 2})]
    """

    sets: LabelSets
    measures: tuple[SetMeasure, ...]
    index: IntArray

    @property
    def exists(self) -> BoolArray:
        """Which of the distinct sets have a measure, ``(S,)``."""
        return np.array([found.exists for found in self.measures], dtype=np.bool_)

    @property
    def holds(self) -> bool:
        """Is the problem well-behaved: has every set a measure?"""
        return bool(self.exists.all())

    @property
    def offending(self) -> LabelSets:
        """The sets that have no measure."""
        offending: LabelSets = self.sets[~self.exists]
        return offending

    def scores(self, matrix: FloatArray, fallback: FloatArray) -> FloatArray:
        """``V[j, z] = (L mu)[z] - level`` for the set of row j, a start for the solvers, (n, P).

        Parameters
        ----------
        matrix : float array (P, K)
        fallback : float array (S, P)
            Scores for the sets without a measure, row minimum zero. They are scaled to a margin of
            one, like those of measures, so that all sets have the same influence.
        """
        rounding = 1e-12 * np.abs(matrix).max()
        table = np.where(fallback > rounding, fallback, 0.0)
        margins = np.where(table > 0, table, np.inf).min(axis=1, keepdims=True)
        table = np.where(np.isfinite(margins), table / margins, 0.0)
        for row, found in zip(table, self.measures, strict=True):
            if found.measure is not None and found.level is not None:
                # Members get exactly equal scores: rounding must not be a vote.
                row[:] = np.where(found.members, 0.0, matrix @ found.measure - found.level)
        scores: FloatArray = table[self.index]
        return scores

    def warn(self, consequence: str = "") -> None:
        """Name the offending sets in an `IllBehavedWarning`, if there are any."""
        if self.holds:
            return
        offending = self.offending
        count = len(offending)
        listed = ", ".join(
            _set_as_text(row, offending.classes) for row in offending.mask[:_MAX_LISTED_SETS]
        )
        more = f" and {count - _MAX_LISTED_SETS} more" if count > _MAX_LISTED_SETS else ""
        rows = int(np.count_nonzero(~self.exists[self.index]))
        warn(
            f"not a well-behaved problem: no signed measure has exactly the members of {listed}"
            f"{more} as its best predictions ({count} of {len(self.sets)} distinct sets, {rows} of "
            f"{len(self.index)} rows). {consequence}".rstrip(),
            IllBehavedWarning,
        )


def distinct_sets(mask: BoolArray, classes: AnyArray) -> tuple[LabelSets, IntArray]:
    """The distinct sets in order of first appearance, and the number of the set of each row.

    Examples
    --------
    >>> import numpy as np
    >>> mask = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 1]], dtype=np.bool_)
    >>> sets, index = distinct_sets(mask, np.array(["a", "b", "c"]))
    >>> len(sets), index
    (2, array([0, 1, 0]))
    """
    _, first, inverse = np.unique(
        np.packbits(mask, axis=1), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return LabelSets(mask[first[order]], classes), place[inverse.ravel()]


def _set_as_text(members: BoolArray, classes: AnyArray) -> str:
    labels: list[Any] = classes[members].tolist()
    return "{" + ", ".join(repr(label) for label in labels) + "}"
