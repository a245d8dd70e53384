"""Alternation for labels: class probabilities restricted to the sets, then single labels."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, softmax
from sklearn.dummy import DummyClassifier

from disambig.candidates import LabelSets
from disambig.estimators.alternation.held_out import bag_rows, member_inputs
from disambig.estimators.alternation.loop import Iterate
from disambig.estimators.alternation.training import (
    require_finite,
    take_rows,
    trained,
    weight_keyword,
)
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# Candidates whose probability inside their set is smaller are not trained on.
_NEGLIGIBLE = 1e-3
# A set whose probability is smaller says nothing about its members.
_SILENT = 1e-12
# Probabilities of sets count as at least this: those of forests and of few neighbours can be zero.
_LEAST = 1e-3
# Probabilities inside a set that differ by no more tie.
_TIE = 1e-9


class BestCandidates(NamedTuple):
    """The best candidate of every row.

    Attributes
    ----------
    codes : int array (n,)
        Its column.
    shares : float array (n, K)
        Probabilities restricted to the set, divided by their sum; zero in rows without them.
    losses : float array (n,)
        The loss of the prediction at this candidate: the infimum loss. NaN without prediction.
    decided : bool array (n,)
        Rows of which the probabilities say something, and whose best candidate is a single one.
    """

    codes: IntArray
    shares: FloatArray
    losses: FloatArray
    decided: BoolArray


def best_candidates(probabilities: FloatArray, mask: BoolArray, loss: FiniteLoss) -> BestCandidates:
    """``argmin over y in s_i of loss(z_i, y)``, for the prediction z of least expected loss.

    Of several candidates, the most probable one is taken; of these the first.

    Examples
    --------
    >>> from disambig.losses.registry import bind_label_loss
    >>> loss = bind_label_loss("zero_one", np.array(["a", "b", "c"]))
    >>> mask = np.array([[True, True, False], [False, True, True]])
    >>> found = best_candidates(np.array([[0.2, 0.2, 0.6], [0.0, 0.3, 0.7]]), mask, loss)
    >>> found.codes.tolist(), found.losses.tolist(), found.decided.tolist()
    ([0, 2], [1.0, 0.0], [False, True])
    """
    silent = np.asarray(np.isnan(probabilities).any(axis=1))
    filled = np.where(silent[:, np.newaxis], 0.0, probabilities)
    inside = np.where(mask, filled, 0.0)
    total = inside.sum(axis=1, keepdims=True)
    shares = np.divide(inside, total, out=np.zeros_like(inside), where=total > _SILENT)
    costs = loss.matrix[np.argmin(filled @ loss.matrix.T, axis=1)]
    lowest = np.where(mask, costs, np.inf).min(axis=1)
    ranked = np.where(mask & (costs <= lowest[:, np.newaxis]), shares, -1.0)
    codes = ranked.argmax(axis=1)
    top = ranked.max(axis=1)
    single = np.count_nonzero(ranked >= top[:, np.newaxis] - _TIE, axis=1) == 1
    decided = single & (total[:, 0] > _SILENT)
    return BestCandidates(codes, shares, np.where(silent, np.nan, lowest), decided)


@dataclass(frozen=True, eq=False)
class LabelTask:
    """A classifier, inputs and candidate sets.

    Parameters
    ----------
    template : classifier of scikit-learn
        Probabilities are those of ``predict_proba``; without it the softmax of
        ``decision_function``; without both, one for the class that it predicts.
    inputs : array, sparse matrix or frame, n rows
    sets : LabelSets
    loss : FiniteLoss
    weights : float array (n,), or None
        Sample weights.
    names : array (K,), or None
        The labels that the classifier is trained on; by default the classes of the sets.
    by_confidence : bool
        Whether hard targets are weighted by their held-out probability inside the set.
    """

    template: Any
    inputs: Any
    sets: LabelSets
    loss: FiniteLoss
    weights: FloatArray | None = None
    names: AnyArray | None = None
    by_confidence: bool = False

    @property
    def labels(self) -> AnyArray:
        """What the classifier is trained on, for each class."""
        return self.sets.classes if self.names is None else self.names

    def start(self) -> Iterate:
        """Averaged candidates; unlabeled rows have no target yet."""
        informative = self.sets.informative
        known = informative if informative.any() else np.ones(len(self.sets), dtype=np.bool_)
        return Iterate(self.sets.distribution(), known, "soft")

    def fit(self, iterate: Iterate, rows: IntArray | None = None) -> Any:
        repeated, codes, weights = self._samples(iterate, rows)
        several = (codes != codes[0]).any()
        # Many classifiers refuse to learn a single label.
        template = self.template if several else DummyClassifier()
        return trained(template, self.inputs, repeated, self.labels[codes], weights)

    def _samples(
        self, iterate: Iterate, rows: IntArray | None
    ) -> tuple[IntArray, IntArray, FloatArray | None]:
        """Rows, classes and weights to train on: a row for each candidate that is not negligible.

        A classifier without sample weights gets every one of them once.
        """
        rows = np.flatnonzero(iterate.known) if rows is None else rows
        targets = iterate.targets[rows]
        total, top = targets.sum(axis=1, keepdims=True), targets.max(axis=1, keepdims=True)
        used = (targets > _NEGLIGIBLE * total) | ((targets == top) & (top > 0))
        # Of tied ones that are all negligible, no more than the others would be left out.
        shares = np.where(used, targets, 0.0)
        shares *= total / shares.sum(axis=1, keepdims=True)
        place, codes = np.nonzero(used)
        repeated, weights = rows[place], shares[place, codes]
        if self.weights is not None:
            weights = weights * self.weights[repeated]
        if weight_keyword(self.template) is None or (weights == 1).all():
            return repeated, codes, None
        return repeated, codes, weights

    def predict(self, model: Any, rows: IntArray | None = None) -> FloatArray:
        inputs = self.inputs if rows is None else take_rows(self.inputs, rows)
        return class_probabilities(model, inputs, self.labels)

    def out_of_bag(self, model: Any, iterate: Iterate, units: IntArray) -> FloatArray:
        if isinstance(model, DummyClassifier):
            # All rows have one label: a model without the row learns the same.
            return self.predict(model)
        repeated = self._samples(iterate, None)[0]
        sums, counts = np.zeros(iterate.targets.shape), np.zeros(len(units))
        columns = _columns(model.classes_, self.labels)
        for number, drawn in enumerate(bag_rows(model, repeated)):
            rows = np.flatnonzero(~np.isin(units, units[drawn]))
            if rows.size:
                inputs = member_inputs(model, take_rows(self.inputs, rows), number)
                # The members are trained on positions in the classes of the ensemble.
                positions = np.arange(len(model.classes_))
                member = model.estimators_[number]
                sums[np.ix_(rows, columns)] += class_probabilities(member, inputs, positions)
                counts[rows] += 1
        counts[counts == 0] = np.nan
        means: FloatArray = sums / counts[:, np.newaxis]
        return means

    def move(self, predictions: FloatArray, iterate: Iterate) -> Iterate:
        found = best_candidates(predictions, self.sets.mask, self.loss)
        speaks = np.asarray(found.shares.any(axis=1))
        targets = found.shares if iterate.stage == "soft" else self._hard(found)
        targets = np.where(speaks[:, np.newaxis], targets, iterate.targets)
        return Iterate(targets, iterate.known | speaks, iterate.stage)

    def _hard(self, found: BestCandidates) -> FloatArray:
        rows = np.arange(len(found.codes))
        targets = np.zeros(found.shares.shape)
        targets[rows, found.codes] = found.shares[rows, found.codes] if self.by_confidence else 1.0
        return targets

    def harden(self, iterate: Iterate, predictions: FloatArray) -> Iterate | None:
        if iterate.stage == "hard":
            return None
        return self.move(predictions, Iterate(iterate.targets, iterate.known, "hard"))

    def repeats(self, iterate: Iterate, earlier: Iterate) -> bool:
        return iterate.stage == earlier.stage and np.array_equal(
            iterate.targets.argmax(axis=1), earlier.targets.argmax(axis=1)
        )

    def objective(self, predictions: FloatArray) -> float:
        losses = best_candidates(predictions, self.sets.mask, self.loss).losses
        return mean_loss(losses, self.weights)

    def tie_break(self, predictions: FloatArray) -> float:
        """The mean of ``-log P(set)``: the 0-1 loss of few rows ties often."""
        inside = np.where(self.sets.mask, predictions, 0.0).sum(axis=1)
        losses = -np.log(np.maximum(inside, _LEAST))
        return mean_loss(np.where(np.isnan(predictions).any(axis=1), np.nan, losses), self.weights)

    def undecided(self, iterate: Iterate) -> int:
        return int(np.count_nonzero(np.count_nonzero(iterate.targets, axis=1) != 1))


def mean_loss(losses: FloatArray, weights: FloatArray | None) -> float:
    """The weighted mean over the rows whose loss is not NaN.

    Examples
    --------
    >>> mean_loss(np.array([1.0, np.nan, 3.0]), None)
    2.0
    """
    present = ~np.isnan(losses)
    if not present.any():
        raise ValueError(
            "No row has a held-out prediction: every fold or every bag is without training rows "
            "or without test rows. Use other folds, or more trees."
        )
    return float(np.average(losses[present], weights=None if weights is None else weights[present]))


def class_probabilities(model: Any, inputs: Any, labels: AnyArray) -> FloatArray:
    """The probabilities of a classifier in the order of `labels`, ``(q, K)``; 0 if not trained on.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(1).fit([[0.0], [1.0]], ["c", "a"])
    >>> class_probabilities(model, [[0.1]], np.array(["a", "b", "c"])).tolist()
    [[0.0, 0.0, 1.0]]
    """
    columns = _columns(model.classes_, labels)
    if hasattr(model, "predict_proba"):
        found = np.asarray(model.predict_proba(inputs), dtype=np.float64)
    elif hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(inputs), dtype=np.float64)
        if scores.ndim == 1:
            found = np.stack([expit(-scores), expit(scores)], axis=1)
        else:
            found = softmax(scores, axis=1)
    else:
        predicted = np.asarray(model.predict(inputs))
        found = (predicted[:, np.newaxis] == np.asarray(model.classes_)).astype(np.float64)
    probabilities = np.zeros((len(found), len(labels)))
    probabilities[:, columns] = require_finite(model, found)
    return probabilities


def _columns(learned: AnyArray, labels: AnyArray) -> IntArray:
    position = {label: k for k, label in enumerate(labels.tolist())}
    return np.array([position[label] for label in np.asarray(learned).tolist()], dtype=np.intp)
