"""The signed measure that asks for exactly these predictions, or the proof that there is none.

Well-behaved problems: has every candidate set a measure that asks for exactly its members?
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from disambig.candidates.labels.label_sets import LabelSets
from disambig.exceptions import IllBehavedWarning
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# Distances below this part of the largest loss are none: their measures would have to be so heavy
# that the margin of one drowns in the tolerance of a tie, 1e-10 of all that is voted.
_NEGLIGIBLE = 1e-9
# Below this part a measure that cannot be had from the solver is as good as none.
_DOUBTFUL = 1e-6
# What may be left of differences between the predictions asked for, beside a margin of one.
_UNEVEN = 1e-6
# The smallest tolerances that HiGHS takes; where it gives up at them, its own. Whatever it says is
# checked.
_TRIES: tuple[dict[str, Any], ...] = (
    {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    {},
    {"presolve": False},
)
_GIVEN_UP = (
    "find_measure: the linear program was not solved to its precision; the loss matrix is too "
    "ill-conditioned. Round its entries."
)
# Sets that a warning spells out; the rest it counts.
_NAMED = 5


@dataclass(frozen=True, eq=False)
class SetMeasure:
    """``(L mu)[z] = level`` for the predictions asked for, ``>= level + 1`` for all others.

    Parameters
    ----------
    asked : bool array (P,)
        The predictions that are to be the minimisers, and the only ones.
    measure : float array (K,), or None
        The signed measure ``mu`` of smallest ``sum |mu|``; None if there is none.
    level : float, or None
        What the predictions asked for are expected to lose under it.
    certificate : float array (P,)
        ``w``, with sum zero, ``w >= 0`` and sum one on the predictions not asked for (all zero if
        all are asked for). Whatever the measure, ``w' L mu >= 1``: so none is lighter than
        `lightest`, and ``w' L = 0`` proves that there is none.
    lightest : float
        ``1 / max |w' L|``: a lower bound on ``sum |mu|``, attained by `measure`. Where there is
        none it is infinite, or so large, at least a million over the largest loss, that nothing
        can be told from rounding.
    """

    asked: BoolArray
    measure: FloatArray | None
    level: float | None
    certificate: FloatArray
    lightest: float

    @property
    def exists(self) -> bool:
        """Is there such a measure?"""
        return self.measure is not None


def find_measure(matrix: FloatArray, asked: BoolArray) -> SetMeasure:
    """The lightest measure under which the predictions asked for, and only those, are best.

    Such a measure separates two sets of rows of the loss matrix: the affine hull of those asked
    for and the convex hull of the others. The lightest one has ``sum |mu| = 1 / distance`` in the
    maximum norm, so that one linear program (the distance, its multipliers the measure) gives the
    measure and the proof that none is lighter, or the proof that there is none: a mixture of other
    predictions that costs, whatever the class, as much as an affine mixture of those asked for.

    Parameters
    ----------
    matrix : float array (P, K)
    asked : bool array (P,)
        At least one.

    Examples
    --------
    Under the squared loss on three levels something asks for both ends, and not for the middle:

    >>> import numpy as np
    >>> squared = np.subtract.outer(range(4), range(4)) ** 2.0
    >>> found = find_measure(squared[:3, :3], np.array([True, False, True]))
    >>> found.exists, bool(found.measure.sum() <= 0)
    (True, True)

    On four levels nothing asks for 0 and 2 alone. To predict 1 with chance 3/4 and 3 with 1/4
    costs, whatever the class, as much as 0 with chance 1/4 and 2 with 3/4:

    >>> refuted = find_measure(squared, np.array([True, False, True, False]))
    >>> refuted.exists, refuted.certificate.round(6).tolist()
    (False, [-0.25, 0.75, -0.75, 0.25])
    >>> bool(np.abs(refuted.certificate @ squared).max() < 1e-12)
    True
    """
    n_predictions, n_classes = matrix.shape
    if not asked.any():
        raise ValueError("find_measure: no prediction is asked for; expected at least one.")
    if asked.all():
        nothing = np.zeros(n_predictions)
        return SetMeasure(asked, np.zeros(n_classes), 0.0, nothing, 0.0)
    largest = float(np.abs(matrix).max())
    if largest == 0:
        return SetMeasure(asked, None, None, _difference(asked), np.inf)
    table = matrix / largest
    weights, multipliers = _nearest(table, asked)
    weights = _feasible(weights, asked)
    distance = float(np.abs(weights @ table).max())
    lightest = np.inf if distance == 0 else 1 / (distance * largest)
    measure = _with_margin(matrix, asked, multipliers) if distance > _NEGLIGIBLE else None
    if measure is None:
        if distance > _DOUBTFUL:
            raise RuntimeError(_GIVEN_UP)
        return SetMeasure(asked, None, None, weights, lightest)
    level = float((matrix @ measure)[asked].mean())
    return SetMeasure(asked, measure, level, weights, lightest)


def asks_for_any_set(matrix: FloatArray) -> bool:
    """Has every set of predictions its measure, because the rows are affinely independent?

    Then no certificate can exist; a square invertible matrix is the common case.

    Examples
    --------
    >>> import numpy as np
    >>> asks_for_any_set(1.0 - np.eye(4))
    True
    """
    n_predictions, n_classes = matrix.shape
    largest = float(np.abs(matrix).max())
    if n_predictions > n_classes + 1 or largest == 0:
        return bool(n_predictions == 1)
    lifted = np.column_stack([matrix / largest, np.ones(n_predictions)])
    smallest = float(np.linalg.svd(lifted, compute_uv=False)[-1])
    # A certificate has |w| >= 1 / sqrt(P), hence max |w' L| >= smallest / sqrt(P K).
    needed = _NEGLIGIBLE * math.sqrt(n_predictions * n_classes)
    return bool(smallest > needed)


def _nearest(table: FloatArray, asked: BoolArray) -> tuple[FloatArray, FloatArray]:
    """``min max |w' L|`` over the weights of a certificate, and its multipliers, (K,)."""
    n_predictions, n_classes = table.shape
    height = np.ones((n_classes, 1))
    program = {
        "c": np.r_[np.zeros(n_predictions), 1.0],
        "A_ub": np.block([[table.T, -height], [-table.T, -height]]),
        "b_ub": np.zeros(2 * n_classes),
        "A_eq": np.vstack([np.r_[~asked, False], np.r_[np.ones(n_predictions), 0.0]]),
        "b_eq": np.array([1.0, 0.0]),
        "bounds": [(None, None) if inside else (0.0, None) for inside in asked] + [(0.0, None)],
    }
    for options in _TRIES:
        found = linprog(**program, method="highs", options=options)
        # It has a solution: some mixture of the rows exists, and no distance is below zero.
        if found.status == 0:
            above, below = np.split(-found.ineqlin.marginals, 2)
            return found.x[:-1], above - below
    raise RuntimeError(_GIVEN_UP)


def _feasible(weights: FloatArray, asked: BoolArray) -> FloatArray:
    """The weights with the rounding of the solver taken out: signs and both sums."""
    outside = np.where(asked, 0.0, np.maximum(weights, 0.0))
    outside /= outside.sum()
    inside = np.where(asked, weights, 0.0)
    inside[asked] -= (inside.sum() + 1.0) / asked.sum()
    cleaned: FloatArray = outside + inside
    return cleaned


def _with_margin(matrix: FloatArray, asked: BoolArray, direction: FloatArray) -> FloatArray | None:
    """The direction scaled to a margin of one, if it keeps what it promises."""
    losses = matrix @ direction
    margin = float(losses[~asked].min() - losses[asked].mean())
    spread = float(np.ptp(losses[asked]))
    if margin <= 0 or spread > _UNEVEN * margin:
        return None
    measure: FloatArray = direction / margin
    return measure


def _difference(asked: BoolArray) -> FloatArray:
    weights: FloatArray = np.where(asked, -1.0 / asked.sum(), 1.0 / (~asked).sum())
    return weights


@dataclass(frozen=True, eq=False)
class WellBehaved:
    """The measures of all distinct sets of a problem (Definition 5 of the paper).

    Parameters
    ----------
    sets : LabelSets
        The distinct sets, S of them.
    measures : tuple of SetMeasure
        One for each.
    index : int array (n,)
        Which of them row j has.

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
        """Is the problem well-behaved: has every set its measure?"""
        return bool(self.exists.all())

    @property
    def offending(self) -> LabelSets:
        """The sets that have none."""
        offending: LabelSets = self.sets[~self.exists]
        return offending

    def scores(self, matrix: FloatArray, fallback: FloatArray) -> FloatArray:
        """``V[j, z] = (L mu)[z] - level`` for the set of row j, a start for the solvers, (n, P).

        Parameters
        ----------
        matrix : float array (P, K)
        fallback : float array (S, P)
            Scores for the sets without a measure, row minimum zero. They are scaled to the margin
            of one that measures have, so that no set speaks louder for want of one.
        """
        rounding = 1e-12 * np.abs(matrix).max()
        table = np.where(fallback > rounding, fallback, 0.0)
        margins = np.where(table > 0, table, np.inf).min(axis=1, keepdims=True)
        table = np.where(np.isfinite(margins), table / margins, 0.0)
        for row, found in zip(table, self.measures, strict=True):
            if found.measure is not None and found.level is not None:
                # Exactly no difference between the members: rounding is no vote.
                row[:] = np.where(found.asked, 0.0, matrix @ found.measure - found.level)
        scores: FloatArray = table[self.index]
        return scores

    def warn(self, consequence: str = "", stacklevel: int = 2) -> None:
        """Name the offending sets in an `IllBehavedWarning`, if there are any."""
        if self.holds:
            return
        offending = self.offending
        count = len(offending)
        named = ", ".join(_spelled(row, offending.classes) for row in offending.mask[:_NAMED])
        more = f" and {count - _NAMED} more" if count > _NAMED else ""
        rows = int(np.count_nonzero(~self.exists[self.index]))
        warnings.warn(
            f"not a well-behaved problem: no signed measure has exactly the members of {named}"
            f"{more} as its best predictions ({count} of {len(self.sets)} distinct sets, {rows} of "
            f"{len(self.index)} rows). {consequence}".rstrip(),
            IllBehavedWarning,
            stacklevel=stacklevel + 1,
        )


def distinct_sets(mask: BoolArray, classes: AnyArray) -> tuple[LabelSets, IntArray]:
    """The distinct sets in the order of the data, and which of them each row has.

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


def _spelled(members: BoolArray, classes: AnyArray) -> str:
    labels: list[Any] = classes[members].tolist()
    return "{" + ", ".join(repr(label) for label in labels) + "}"
