"""`FiniteLoss`: any loss between finitely many predictions and classes, for the solvers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.candidates.labels.label_sets import LabelSets
from disambig.compiled.sets import tied_minima, tied_minima_within
from disambig.losses.embeddings import (
    ComplementEmbedding,
    Embedding,
    IdentityEmbedding,
    TableEmbedding,
)
from disambig.losses.labels.faces import LabelFaces
from disambig.losses.labels.measures import (
    WellBehaved,
    distinct_sets,
    every_set_has_measure,
    find_measure,
)
from disambig.losses.labels.row_steps import LabelSteps
from disambig.losses.labels.soft import LabelSoftening
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.votes import Votes


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
        return np.array_equal(self.matrix, 1.0 - np.eye(*self.matrix.shape)) and np.array_equal(
            self.predictions, self.classes
        )

    @cached_property
    def _target_embedding(self) -> Embedding:
        return ComplementEmbedding() if self.is_zero_one else TableEmbedding(self.matrix.T)

    @cached_property
    def largest(self) -> float:
        """The largest ``|loss(z, y)|``."""
        return float(np.abs(self.matrix).max())

    def magnitude(self, candidates: LabelSets) -> float:
        return self.largest

    def start(self, candidates: LabelSets, kind: str) -> FloatArray:
        if kind == "average":
            means = _centred(self._target_embedding.embed(candidates.distribution()))
            # Equal losses that are summed in different orders differ by rounding: not a vote.
            rounding = 4 * len(self.classes) * np.finfo(np.float64).eps * self.largest
            return np.where(means > rounding, means, 0.0)
        if kind == "infimum":
            return self._extremes(candidates.mask, largest=False)
        if kind == "measure":
            found = self._measured(candidates.mask)
            found.warn("Rows with such a set start as with start='infimum'.")
            return found.scores(self.matrix, self._extremes(found.sets.mask, largest=False))
        raise ValueError(
            f"start={kind!r} is not known to a finite loss; choose 'average', 'infimum' or "
            "'measure'."
        )

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
        if votes.compressed is None or not isinstance(candidates, LabelSets):
            return None
        matrix = None if self.is_zero_one else self.matrix
        return LabelSteps(votes, candidates, self._target_embedding, matrix)

    def softened(self, candidates: LabelSets) -> LabelSoftening:
        """The loss at a temperature, on these candidates."""
        return LabelSoftening(self.matrix, self._target_embedding, candidates.distribution())

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
        positive, negative = votes.split()
        # Rows are centred, so that an unlabeled row contributes exactly zero. Otherwise the
        # rounding of many unlabeled rows could exceed the vote of a labeled one.
        best = self._extremes(candidates.mask, largest=False)
        worst = self._extremes(candidates.mask, largest=True)
        scale = positive @ best.max(axis=1) + negative @ worst.max(axis=1)
        return positive @ best - negative @ worst, scale

    def compatible_predictions(self, mask: BoolArray) -> LabelFaces:
        """For each set the predictions that are best for some class of it, ``(n, P)``, as faces."""
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

    def _extremes(self, mask: BoolArray, *, largest: bool) -> FloatArray:
        """``min`` or ``max`` of ``matrix[z, y]`` over y in each set, ``(n, P)``, row minimum 0."""
        # A data set has far fewer distinct sets than rows.
        _, index, inverse = np.unique(
            np.packbits(mask, axis=1), axis=0, return_index=True, return_inverse=True
        )
        sets = mask[index]
        table = np.empty((len(sets), len(self.matrix)))
        for z, row in enumerate(self.matrix):
            if largest:
                table[:, z] = np.where(sets, row, -np.inf).max(axis=1)
            else:
                table[:, z] = np.where(sets, row, np.inf).min(axis=1)
        return _centred(table)[inverse.ravel()]


def _centred(scores: FloatArray) -> FloatArray:
    """Scores minus their row minimum: the same predictions, and zeros for whole sets."""
    centred: FloatArray = scores - scores.min(axis=1, keepdims=True)
    return centred
