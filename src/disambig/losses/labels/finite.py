"""`FiniteLoss`: any loss between finitely many predictions and classes, for the solvers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.labels.class_counts import ClassCounts
from disambig.candidates.labels.label_sets import LabelSets
from disambig.compiled.sets import tied_minima, tied_minima_within
from disambig.losses.labels.counted import CountedSoftening
from disambig.losses.labels.faces import (
    ComplementEmbedding,
    Embedding,
    IdentityEmbedding,
    LabelFaces,
    TableEmbedding,
)
from disambig.losses.labels.measures import (
    WellBehaved,
    distinct_sets,
    every_set_has_measure,
    find_measure,
)
from disambig.losses.labels.row_steps import LabelSteps
from disambig.losses.labels.soft import LabelSoftening
from disambig.losses.labels.sweeps import is_swept
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.parameters import choice_message
from disambig.votes import Votes

# Entries of the loss that `FiniteLoss.set_losses` gathers at once: 32 MiB.
_ENTRIES_PER_BLOCK = 2**22


class SetExtremes(NamedTuple):
    """The smallest and the largest loss of every prediction over each set, row minimum 0.

    Rows are centred, so that an unlabeled row contributes exactly zero. Otherwise the rounding of
    many unlabeled rows could exceed the vote of a labeled one.

    Attributes
    ----------
    best, worst : float array (n, P)
    """

    best: FloatArray
    worst: FloatArray

    def scores(self, votes: Votes) -> tuple[FloatArray, FloatArray]:
        """See `FiniteLoss.infimum_scores`."""
        positive, negative = votes.split()
        scale = positive @ self.best.max(axis=1) + negative @ self.worst.max(axis=1)
        return positive @ self.best - negative @ self.worst, scale


@dataclass(frozen=True, eq=False)
class FiniteLoss:
    """``loss(z, y) = matrix[z, y]``; ``psi(z)`` is a unit vector and ``phi(y) = matrix[:, y]``.

    In this embedding ``p = P`` and ``A @ xi`` is the table of expected losses. So any score matrix
    ``V[j, z]`` can be a start, whether the problem is well-behaved (Definition 5 of the paper) or
    not.

    Parameters
    ----------
    matrix : float array (P, K)
    predictions : array (P,)
        The prediction of each row of the matrix.
    classes : array (K,)
        The class of each column.
    """

    matrix: FloatArray
    predictions: AnyArray
    classes: AnyArray

    @cached_property
    def is_zero_one(self) -> bool:
        """Is this the 0-1 loss on the classes?"""
        n_predictions, n_classes = self.matrix.shape
        return (
            n_predictions == n_classes
            and not self.matrix.diagonal().any()
            and np.count_nonzero(self.matrix == 1.0) == n_classes * (n_classes - 1)
            and np.array_equal(self.predictions, self.classes)
        )

    @cached_property
    def is_symmetric(self) -> bool:
        """Is the matrix symmetric?"""
        n_predictions, n_classes = self.matrix.shape
        return n_predictions == n_classes and (
            self.is_zero_one or np.array_equal(self.matrix, self.matrix.T)
        )

    @cached_property
    def _target_embedding(self) -> Embedding:
        return ComplementEmbedding() if self.is_zero_one else TableEmbedding(self.matrix.T)

    @cached_property
    def largest(self) -> float:
        """The largest ``|loss(z, y)|``."""
        return float(max(self.matrix.max(), -self.matrix.min()))

    def magnitude(self, candidates: LabelSets) -> float:
        return self.largest

    def start(self, candidates: LabelSets, kind: str) -> FloatArray:
        if kind == "average":
            means = _centred(self._target_embedding.embed(candidates.distribution()))
            # Equal losses that are summed in different orders differ by rounding: not a vote.
            rounding = 4 * len(self.classes) * np.finfo(np.float64).eps * self.largest
            return np.where(means > rounding, means, 0.0)
        if kind == "infimum":
            return _centred(self.set_losses(candidates.mask))
        if kind == "measure":
            found = self._measured(candidates.mask)
            found.warn("Rows with such a set start as with start='infimum'.")
            return found.scores(self.matrix, _centred(self.set_losses(found.sets.mask)))
        names = ("average", "infimum", "measure")
        raise ValueError(choice_message("", "start of a finite loss", kind, names))

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> LabelFaces:
        return LabelFaces(tied_minima(scores, tolerance), IdentityEmbedding())

    def best_candidate(
        self, scores: FloatArray, candidates: LabelSets, tolerance: FloatArray
    ) -> LabelFaces:
        costs = self._target_embedding.costs(scores)
        mask = tied_minima_within(costs, candidates.mask, tolerance)
        return LabelFaces(mask, self._target_embedding)

    def target_faces(self, mask: BoolArray) -> LabelFaces:
        """Faces of targets from a mask of classes, ``(n, K)``."""
        return LabelFaces(mask, self._target_embedding)

    def row_steps(self, votes: Votes, candidates: Any) -> LabelSteps | None:
        """Half steps row by row; None unless votes are sparse and candidates `LabelSets`."""
        if not (isinstance(candidates, LabelSets) and is_swept(votes)):
            return None
        matrix = None if self.is_zero_one else self.matrix
        return LabelSteps(votes, candidates, self._target_embedding, matrix)

    def softened(self, candidates: LabelSets | ClassCounts) -> "LabelSoftening | CountedSoftening":
        """The loss at a temperature, on these candidates."""
        free = LabelSoftening(
            self._target_embedding,
            candidates.distribution(),
            unit_temperature=self.largest,
            width=max(self.matrix.shape),
            is_symmetric=self.is_symmetric,
        )
        return CountedSoftening(free, candidates) if isinstance(candidates, ClassCounts) else free

    def infimum_prediction(self, votes: Votes, candidates: LabelSets, rtol: float) -> LabelFaces:
        scores, scale = self.infimum_scores(votes, candidates)
        return self.best_prediction(scores, rtol * scale)

    def infimum_scores(self, votes: Votes, candidates: LabelSets) -> tuple[FloatArray, FloatArray]:
        """``sum_j inf_{y in s_j} alpha[i, j] loss(z, y)``, ``(q, P)``, and the size of the sums.

        The scores are up to a constant for each row, and the size, ``(q,)``, is the scale of their
        rounding errors.

        For a negative vote the infimum is at the worst member of the set. Under the 0-1 loss such a
        vote has an effect for singletons only, and a whole set never has one. Under another loss,
        or with abstention, they may.
        """
        return self.set_extremes(candidates).scores(votes)

    def set_extremes(self, candidates: LabelSets) -> SetExtremes:
        """What `infimum_scores` needs of the sets; the same for all votes."""
        return SetExtremes(
            _centred(self.set_losses(candidates.mask)),
            _centred(self.set_losses(candidates.mask, largest=True)),
        )

    def expected_losses(self, distribution: FloatArray) -> FloatArray:
        """``sum_y distribution[i, y] loss(z, y)``, ``(n, P)``; rows need not sum to one."""
        return self._target_embedding.embed(distribution)

    def compatible_predictions(self, mask: BoolArray) -> LabelFaces:
        """For each set the predictions that are best for some class of it, ``(n, P)``, as faces."""
        if self.is_zero_one:
            return LabelFaces(mask, IdentityEmbedding())
        best = self.matrix == self.matrix.min(axis=0)
        reachable = (mask.astype(np.float64) @ best.T.astype(np.float64)) > 0
        return LabelFaces(reachable, IdentityEmbedding())

    def is_well_behaved(self, sets: Any) -> bool:
        """Has every set a signed measure whose best predictions are exactly its members?

        This is Definition 5 of the paper; ``start="measure"`` uses these measures. If predictions
        are not the classes, a member is a prediction that is best for some class of the set. An
        `IllBehavedWarning` names the sets that have no measure.

        Parameters
        ----------
        sets : LabelSets, or anything that `LabelSets.from_any` reads
            One linear program is solved for each distinct set.

        See Also
        --------
        well_behaved : The measures, and for each set without one a proof that there is none.

        Examples
        --------
        >>> from disambig.losses import OrdinalLoss
        >>> OrdinalLoss(power=2).bind(np.arange(3)).is_well_behaved([{0, 2}, {1}, {0, 1, 2}])
        True
        """
        candidates = LabelSets.from_any(sets, self.classes)
        if every_set_has_measure(self.matrix):
            return True
        found = self._measured(candidates.mask)
        found.warn("Only start='measure' needs such a measure.")
        return found.holds

    def well_behaved(self, sets: Any) -> WellBehaved:
        """The measure of smallest total variation of each distinct set, or a proof of absence."""
        return self._measured(LabelSets.from_any(sets, self.classes).mask)

    def _measured(self, mask: BoolArray) -> WellBehaved:
        distinct, index = distinct_sets(mask, self.classes)
        members = self.compatible_predictions(distinct.mask).mask
        measures = tuple(find_measure(self.matrix, row) for row in members)
        return WellBehaved(distinct, measures, index)

    def set_losses(self, mask: BoolArray, *, largest: bool = False) -> FloatArray:
        """The smallest (or largest) ``loss(z, y)`` over y in each set, ``(n, P)``.

        Examples
        --------
        >>> from disambig.losses import OrdinalLoss
        >>> loss = OrdinalLoss().bind(np.arange(4))
        >>> loss.set_losses(np.array([[True, True, False, False]]))
        array([[0., 0., 1., 2.]])
        """
        if self.is_zero_one:
            # A prediction can be wrong unless it is the only member.
            is_wrong = ~mask
            if largest:
                is_wrong[np.count_nonzero(mask, axis=1) > 1] = True
            return is_wrong.astype(np.float64)
        # A data set has far fewer distinct sets than rows.
        _, index, inverse = np.unique(
            np.packbits(mask, axis=1), axis=0, return_index=True, return_inverse=True
        )
        sets = mask[index]
        extreme = np.maximum if largest else np.minimum
        losses = np.ascontiguousarray(self.matrix.T)
        table = np.empty((len(sets), len(self.matrix)))
        ends = np.cumsum(np.count_nonzero(sets, axis=1))
        step = max(1, _ENTRIES_PER_BLOCK // len(self.matrix))
        start = 0
        while start < len(sets):
            # As many sets as have `step` members together, but at least one.
            before = ends[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + step, side="right")))
            first_members = np.r_[0, ends[start : stop - 1] - before]
            members = losses[np.nonzero(sets[start:stop])[1]]
            table[start:stop] = extreme.reduceat(members, first_members, axis=0)
            start = stop
        return table[inverse.ravel()]

    def restricted(self, classes: BoolArray) -> "FiniteLoss":
        """The loss between some of the classes, for a loss whose predictions are the classes.

        Parameters
        ----------
        classes : bool array (K,)
        """
        return FiniteLoss(
            self.matrix[np.ix_(classes, classes)], self.predictions[classes], self.classes[classes]
        )


def _centred(scores: FloatArray) -> FloatArray:
    """Scores minus their row minimum: the same predictions, and zeros for whole sets."""
    centred: FloatArray = scores - scores.min(axis=1, keepdims=True)
    return centred
