"""The disambiguation problem: votes, loss and candidates, with the objective and its half steps.

The objective is ``F(xi, zeta) = sum_ij A[i, j] <zeta[i], xi[j]>``; see `disambig.notation` for the
letters. With one argument fixed it is linear in the other, row by row. A half step is therefore one
matrix product, which gives the scores, and one batch of exact minimisations by the loss.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from disambig.losses.protocol import Faces, Loss, OffersRowSteps, RowSteps
from disambig.notation import FloatArray, IntArray
from disambig.parameters import check_number
from disambig.votes import Votes
from disambig.votes.entries import tie_tolerance

F = TypeVar("F")


# A product with fewer multiplications is computed anew, which takes no longer than to find what
# changed. Measured for 100 to 4000 rows and 2 to 500 columns.
_MIN_MULTIPLICATIONS_TO_UPDATE = 2**21


@runtime_checkable
class CombinesColumns(Protocol):
    """Votes that multiply some of their columns in less time than all of them."""

    def combine_columns(self, columns: IntArray, values: FloatArray) -> FloatArray:
        """``A[:, columns] @ values`` for values of shape ``(len(columns), p)``."""
        ...


class Scores(NamedTuple):
    """``A @ faces.embedded``, which a later product with similar faces can start from.

    Attributes
    ----------
    values : float array (n, p)
    faces : Faces
        What the product is with.
    budget : int
        How many columns may still be added to the values before rounding errors matter.
    """

    values: FloatArray
    faces: Any
    budget: int


class HalfStep(NamedTuple, Generic[F]):
    """The optimal faces of a half step (or numbers), the objective there, and what they minimise.

    The scores are None where the next step cannot start from them.
    """

    faces: F
    objective: float
    scores: Scores | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    r"""Minimise ``F(xi, zeta) = sum_ij A[i, j] <zeta[i], xi[j]>`` over targets and predictions.

    Parameters
    ----------
    votes : Votes (n, n)
        ``A``. Votes may be negative; both half steps stay exact.
    loss : Loss
        Its embeddings and minimisers.
    candidates : object
        The candidate sets, of the type that the loss accepts.
    tie_tolerance : float, optional
        Relative difference below which two scores tie; by default 1e-10 (votes in float32: 1e-5).
    sample_weight : float array (n,), optional
        How many copies each row stands for; by default one. The votes include it, in rows and in
        columns: ``A[i, j]`` sums over the copies of i and of j. A solver that leaves a copy's own
        vote out divides by it.

    Examples
    --------
    >>> from disambig.candidates import LabelSets
    >>> from disambig.losses import ZeroOneLoss
    >>> from disambig.solvers import AlternatingMinimization
    >>> from disambig.votes import as_votes
    >>> sets = LabelSets.from_sets([{"a"}, {"a", "b"}])
    >>> problem = Problem(
    ...     as_votes([[1.0, 1.0], [1.0, 1.0]]), ZeroOneLoss().bind(sets.classes), sets
    ... )
    >>> found = AlternatingMinimization().solve(problem)
    >>> sets.classes[found.decoded.outputs].tolist(), found.objective
    (['a', 'a'], 0.0)
    """

    votes: Votes
    loss: Loss
    candidates: Any
    tie_tolerance: float | None = None
    sample_weight: FloatArray | None = None

    def __post_init__(self) -> None:
        # With a negative tolerance not even the minimum would tie with itself.
        if self.tie_tolerance is not None:
            check_number("Problem", "tie_tolerance", self.tie_tolerance)

    @cached_property
    def rtol(self) -> float:
        """Relative tolerance of ties."""
        if self.tie_tolerance is not None:
            return self.tie_tolerance
        return tie_tolerance(self.prediction_scale.dtype)

    @cached_property
    def transposed(self) -> Votes:
        """``A.T``, computed once."""
        return self.votes.T

    @cached_property
    def prediction_scale(self) -> FloatArray:
        """``sum_j |A[i, j]|`` times the largest loss: a bound on the scores of row i."""
        return self.votes.absolute_row_sums() * self.loss.magnitude(self.candidates)

    @cached_property
    def target_scale(self) -> FloatArray:
        """``sum_i |A[i, j]|`` times the largest loss: a bound on the scores of sample j."""
        return self.transposed.absolute_row_sums() * self.loss.magnitude(self.candidates)

    @cached_property
    def objective_tolerance(self) -> float:
        """A decrease of the objective below this is rounding."""
        # Rounding errors of rows are independent, hence the root of the number of rows.
        return self.rtol * float(np.linalg.norm(self.prediction_scale))

    @cached_property
    def prediction_tolerance(self) -> FloatArray:
        """Scores of row i that differ by less tie, ``(n,)`` in float64."""
        return np.asarray(self.rtol * self.prediction_scale, dtype=np.float64)

    @cached_property
    def target_tolerance(self) -> FloatArray:
        """Scores of sample j that differ by less tie, ``(n,)`` in float64."""
        return np.asarray(self.rtol * self.target_scale, dtype=np.float64)

    @cached_property
    def row_steps(self) -> RowSteps | None:
        """The half steps row by row, if the loss offers them for these votes; else None."""
        if isinstance(self.loss, OffersRowSteps):
            return self.loss.row_steps(self.votes, self.candidates)
        return None

    def scores_of_predictions(self, xi: FloatArray) -> FloatArray:
        """``A @ xi``: row i is the linear function that the prediction at i minimises.

        Parameters
        ----------
        xi : float array (n, p)
            Embedded targets, or means of them.
        """
        return self.votes @ xi

    def scores_of_targets(self, zeta: FloatArray) -> FloatArray:
        """``A.T @ zeta``: row j is the linear function that the target of j minimises.

        Parameters
        ----------
        zeta : float array (n, p)
            Embedded predictions, or means of them.
        """
        return self.transposed @ zeta

    def choose_predictions(self, scores: FloatArray) -> Faces:
        """``zeta[i]`` minimises ``<psi(z), scores[i]>`` over all predictions.

        Parameters
        ----------
        scores : float array (n, p)
        """
        return self.loss.best_prediction(scores, self.rtol * self.prediction_scale)

    def choose_targets(self, scores: FloatArray) -> Faces:
        """``xi[j]`` minimises ``<phi(y), scores[j]>`` over the candidates of j.

        Parameters
        ----------
        scores : float array (n, p)
        """
        return self.loss.best_candidate(scores, self.candidates, self.rtol * self.target_scale)

    def best_predictions(self, xi: FloatArray) -> HalfStep[Faces]:
        """The first half step: the predictions that minimise ``F`` for given targets.

        Parameters
        ----------
        xi : float array (n, p)
            Embedded targets, or means of them.
        """
        scores = self.scores_of_predictions(xi)
        faces = self.choose_predictions(scores)
        return HalfStep(faces, inner(faces.embedded, scores))

    def best_targets(self, zeta: FloatArray) -> HalfStep[Faces]:
        """The second half step: the targets that minimise ``F`` for given predictions.

        Parameters
        ----------
        zeta : float array (n, p)
            Embedded predictions, or means of them.
        """
        scores = self.scores_of_targets(zeta)
        faces = self.choose_targets(scores)
        return HalfStep(faces, inner(faces.embedded, scores))

    def prediction_scores(self, targets: Faces, older: Scores | None = None) -> Scores:
        """`scores_of_predictions` for targets; from those for older ones where that is faster.

        Parameters
        ----------
        targets : Faces, n rows
        older : Scores, optional
        """
        return self._scores(self.votes, self.prediction_scale, targets, older)

    def improve_predictions(
        self, targets: Faces, older: Faces, older_scores: Scores | None = None
    ) -> tuple[Faces, Scores]:
        """`best_predictions`, joined to older predictions in rows that gain nothing; the scores.

        `older_scores` are the scores that `older` minimises, if they are known: rows whose scores
        did not change keep their prediction.

        Parameters
        ----------
        targets, older : Faces, n rows
        older_scores : Scores, optional
        """
        found = self.prediction_scores(targets, older_scores)
        scores = found.values
        tolerance = self.rtol * self.prediction_scale
        rows = np.arange(len(scores))
        if older_scores is not None:
            rows = np.flatnonzero((scores != older_scores.values).any(axis=1))
        if rows.size < len(scores):
            changed = scores[rows], tolerance[rows]
            newer = self.loss.best_prediction(*changed)
            faces = older.replace(rows, _join_tied(older.take(rows), newer, *changed))
        else:
            faces = _join_tied(older, self.choose_predictions(scores), scores, tolerance)
        return faces, found

    def improve_targets(
        self,
        predictions: Faces,
        older: Faces | None = None,
        older_scores: Scores | None = None,
        *,
        pinned: tuple[IntArray, Faces] | None = None,
        at_vertices: bool = False,
    ) -> HalfStep[Faces]:
        """`best_targets`, joined to older targets in rows that gain nothing.

        Parameters
        ----------
        predictions : Faces
        older : Faces, optional
            Without it this is `best_targets`.
        older_scores : Scores, optional
            An earlier result of this method; the product starts from it.
        pinned : (int array, Faces), optional
            Rows whose targets stay as they are, and these targets.
        at_vertices : bool
            Targets stay single vertices, and a row moves only to a strictly better one.
        """
        found = self._scores(self.transposed, self.target_scale, predictions, older_scores)
        scores = found.values
        tolerance = self.rtol * self.target_scale
        faces = self.choose_targets(scores)
        if pinned is not None:
            faces = faces.replace(*pinned)
        if older is not None and at_vertices:
            faces = faces.keep_unless_better(older, scores, tolerance)
        elif older is not None:
            faces = _join_tied(older, faces, scores, tolerance)
        return HalfStep(faces, inner(faces.embedded, scores), found if found.budget else None)

    def objective(self, xi: FloatArray) -> float:
        """``min_zeta F(xi, zeta)``.

        Parameters
        ----------
        xi : float array (n, p)
            Embedded targets, or means of them.
        """
        return self.best_predictions(xi).objective

    def _scores(
        self, votes: Votes, scale: FloatArray, faces: Faces, older: Scores | None
    ) -> Scores:
        """``votes @ faces.embedded``, by the columns of the faces that differ from older ones."""
        if older is not None and older.faces is faces:
            return older
        if older is not None and older.budget and isinstance(votes, CombinesColumns):
            changed = np.flatnonzero(faces.differing(older.faces))
            budget = older.budget - changed.size - 2
            if not changed.size:
                return older._replace(faces=faces)
            if budget > 0:
                return Scores(_updated(votes, faces, older, changed), faces, budget)
        values = votes @ faces.embedded
        return Scores(values, faces, self._budget(votes, scale, values))

    def _budget(self, votes: Votes, scale: FloatArray, values: FloatArray) -> int:
        """How many columns may be added to a product one after another; 0 if none.

        With ``s[i] = sum_j |A[i, j]| |e[j]|``, a product with n columns is exact to ``n eps s``.
        Adding c changed columns, ``|e|`` of which the change at most doubles, is exact to
        ``2 c eps s``, the sum with the product to ``eps s``, and the change itself to ``2 eps s``.
        So ``c + 2`` of every update may sum to ``n / 2`` before the errors of the updates exceed
        the one that a product has anyway. If that one is not far below the tolerance, ties depend
        on the order of summation, and only products will do.
        """
        n = votes.shape[1]
        # The test of small products comes first: it takes the least time.
        if n * values.size < _MIN_MULTIPLICATIONS_TO_UPDATE or not isinstance(
            votes, CombinesColumns
        ):
            return 0
        rounding = n * float(np.finfo(values.dtype).eps)
        # An infinite score would remain infinite.
        if rounding > 0.1 * self.rtol or not np.isfinite(scale).all():
            return 0
        return n // 2


def _updated(votes: CombinesColumns, faces: Faces, older: Scores, changed: IntArray) -> FloatArray:
    """The scores of faces that differ from those of `older` in some rows."""
    change = faces.take(changed).embedded - older.faces.take(changed).embedded
    # Under the 0-1 loss the embeddings of two classes differ in two columns.
    columns = np.flatnonzero(change.any(axis=0))
    values = older.values.copy()
    values[:, columns] += votes.combine_columns(changed, change[:, columns])
    return values


def inner(left: FloatArray, right: FloatArray) -> float:
    """The inner product ``sum_ij left[i, j] right[i, j]``, without a temporary array."""
    # Not vdot: its threads cost more than they save on sums of this size.
    return float(np.einsum("ij,ij->", left, right))


def _join_tied(older: Faces, newer: Faces, scores: FloatArray, tolerance: FloatArray) -> Faces:
    """The newer faces, joined to the older ones in rows that gain nothing from the change.

    The gain is judged row by row: for a row with small votes, a gain that is rounding beside the
    whole objective can be large.
    """
    before = np.einsum("ip,ip->i", older.embedded, scores)
    after = np.einsum("ip,ip->i", newer.embedded, scores)
    rows = np.flatnonzero(before - after > tolerance)
    joined = older.union(newer).replace(rows, newer.take(rows))
    # In exact arithmetic the newer faces contain the older ones. If so, return the newer ones,
    # whose embedding is already computed.
    return joined if joined.differing(newer).any() else newer
