"""The examination of labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context

from disambig.candidates import ClassCounts, LabelSets
from disambig.candidates.labels.bag_information import MIN_RANDOM_BAGS, informed_rows
from disambig.candidates.labels.class_counts import is_in_bags
from disambig.candidates.labels.classes import listed
from disambig.estimators.balance.graphs import informed_graph
from disambig.estimators.conformal import (
    label_scores,
    prediction_mask,
    set_scores,
)
from disambig.estimators.disambiguated_classifier import label_codes
from disambig.estimators.held_out.hidden_votes import HeldOutLabels, Judge
from disambig.estimators.held_out.label_judges import (
    is_cheap,
    judged,
    judges_of,
)
from disambig.estimators.held_out.set_likelihood import SetCalibration, fit_set_calibration
from disambig.estimators.held_out.wrong_sets import WrongSets, fit_wrong_sets
from disambig.estimators.partial_label_classifier import PartialLabelClassifier
from disambig.estimators.rows.kept import KeptRows
from disambig.estimators.tolerance.leaving import Leaving
from disambig.metrics.scorer import innermost
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.trust.answers import Answers, read_answers
from disambig.trust.examination import Examination
from disambig.trust.examined import Examined
from disambig.trust.suspects import Contradiction

# Smaller probabilities of a classifier count as this one: its zero is no proof.
_LEAST = 1e-9


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelExamination(Examination):
    """The examination of labels.

    Attributes
    ----------
    classes : array (K,)
    codes : int array (n,)
        The recovered labels as positions among the classes, without answers.
    distributions : float array (n, K)
        Probabilities of all classes, by rows that never saw the set.
    scored : float array (n, K)
        The probabilities that `estimator` would have predicted for the row; what new rows are
        compared with.
    calibration : SetCalibration
        Of `distributions`; see `temperature`.
    wrong_sets : WrongSets
        How many sets miss the truth, and which; see `wrong_share`.
    """

    classes: AnyArray
    codes: IntArray
    distributions: FloatArray
    scored: FloatArray
    calibration: SetCalibration
    wrong_sets: WrongSets

    def __post_init__(self) -> None:
        super().__post_init__()
        for array in (self.codes, self.distributions, self.scored):
            array.setflags(write=False)

    @property
    def temperature(self) -> float:
        """The temperature of highest likelihood of the hidden sets."""
        return self.calibration.temperature

    @property
    def wrong_share(self) -> float:
        """The estimated share of wrong sets among those that exclude a class.

        0 unless the sets show it, or if the others know too little to tell.
        """
        return self.wrong_sets.share

    @property
    def hides_bags(self) -> bool:
        """Whether rows were judged without their bags, and not only without their sets."""
        folds = self.examined.folds
        return folds is not None and folds.hiding.hides_bags

    @property
    def is_supported(self) -> BoolArray:
        """Whether the others give any member of the set a positive probability, ``(n,)``."""
        supported: BoolArray = self.suspicion < 1.0
        return supported

    @property
    def label_distributions(self) -> FloatArray:
        """The distributions restricted to the sets, ``(n, K)``, or less probable outside of them.

        The latter if the estimator lets labels leave their sets (`tolerance`).
        """
        return _leaving_of(innermost(self.estimator)).shares(self.distributions, self.candidates)

    @property
    def runner_up(self) -> AnyArray:
        """The second most probable class of each set; the label itself if there is no other."""
        best = self._runner_up_codes()
        names: AnyArray = self.classes[best]
        return names

    def _runner_up_codes(self) -> IntArray:
        inside = np.where(self.candidates.mask, self.distributions, -1.0)
        rows = np.arange(len(self))
        inside[rows, self.codes] = -1.0
        other = inside.argmax(axis=1)
        return np.where(inside[rows, other] < 0, self.codes, other)

    def _columns(self) -> dict[str, Any]:
        rows, shares = np.arange(len(self)), self.label_distributions
        other, origins = self._runner_up_codes(), self.candidates.origins
        return {
            "runner_up": self.classes[other],
            "runner_up_confidence": np.where(other == self.codes, 0.0, shares[rows, other]),
            "n_candidates": np.count_nonzero(self.candidates.mask, axis=1),
            **({} if origins is None else {"origin": origins}),
            "prediction_without_set": self.classes[self.distributions.argmax(axis=1)],
        }

    def _wrong_probability(self) -> FloatArray:
        return self.wrong_sets.posterior(self.distributions, self.candidates.mask)

    @property
    def _tells_wrong_sets(self) -> bool:
        return self.wrong_sets.is_known

    def _contradictions(self, rows: IntArray) -> list[Contradiction]:
        names, mask = [str(name) for name in listed(self.classes)], self.candidates.mask
        outside = np.where(mask[rows], -1.0, self.distributions[rows]).argmax(axis=1)
        found = []
        for row, code in zip(rows, outside, strict=True):
            probability = float(self.distributions[row, code])
            members = " | ".join(names[k] for k in np.flatnonzero(mask[row]))
            why = (
                f"the other rows say {names[code]} ({probability:.2f}); the set is {members}, to "
                f"which they give {1.0 - self.suspicion[row]:.2f}"
            )
            found.append(Contradiction(self.classes[code], probability, why))
        return found

    def _read_answers(self, rows: Any, labels: Any, inclusion: Any, owner: str) -> Answers:
        return read_answers(rows, labels, len(self), self.classes, inclusion, owner)

    def _rightness(self, answers: Answers) -> BoolArray:
        right: BoolArray = self.codes[answers.rows] == answers.labels
        return right

    def _is_single(self) -> BoolArray:
        single: BoolArray = self.candidates.is_single
        return single

    def _is_outside(self, answers: Answers) -> BoolArray:
        outside: BoolArray = ~self.candidates.mask[answers.rows, answers.labels]
        return outside

    def _recovered_labels(self) -> AnyArray:
        labels: AnyArray = self.classes[self.codes]
        return labels

    def _named(self, answers: Answers) -> AnyArray:
        names: AnyArray = self.classes[answers.labels]
        return names

    def _candidate_texts(self, rows: IntArray) -> list[str]:
        names = np.array([str(name) for name in listed(self.classes)], dtype=object)
        return [" | ".join(names[inside]) for inside in self.candidates.mask[rows]]

    def _examine(self, rows: Examined) -> "LabelExamination":
        return examine_labels(rows)

    def _predicted_set(self, X: Any, coverage: float, meaning: str, classwise: bool) -> LabelSets:
        if X is not None:
            threshold = self._new_threshold(coverage, meaning, classwise)
            found = self.estimator.predict_proba(X)
            return LabelSets(prediction_mask(label_scores(found), threshold), self.classes)
        # Inside the sets classes compete with candidates only.
        is_truth, inside = meaning == "truth", self.candidates.mask
        known = self.label_distributions if is_truth else self.distributions
        threshold = self._label_threshold(known, coverage, meaning, classwise)
        scores = np.where(inside, label_scores(known), np.inf)
        return LabelSets(prediction_mask(scores, threshold) & inside, self.classes)

    def _new_threshold(self, coverage: float, meaning: str, classwise: bool = False) -> Any:
        return self._label_threshold(self.scored, coverage, meaning, classwise)

    def _label_threshold(
        self, known: FloatArray, coverage: float, meaning: str, classwise: bool
    ) -> Any:
        """The threshold of scores by held-out probabilities; one a class if `classwise`."""
        if meaning == "truth":
            return self._truth_threshold(known, coverage, classwise)
        rows = np.flatnonzero(self.candidates.informative)
        if not rows.size:
            raise ValueError(
                f"predict_set: meaning={meaning!r} is about sets, and no set excludes a class; the "
                "rows were judged by their bags. Use meaning='truth' with answers."
            )
        values = set_scores(label_scores(known[rows]), self.candidates.mask[rows], meaning)
        return self._threshold(values, rows, coverage)

    def _truth_threshold(self, known: FloatArray, coverage: float, classwise: bool) -> Any:
        answers = self.answers
        assert answers is not None
        values = label_scores(known)[answers.rows, answers.labels]
        if not classwise:
            return self._threshold(values, answers.rows, coverage, answers)
        found = [
            self._threshold(values[one], answers.rows[one], coverage, answers.part(one))
            for one in (answers.labels == code for code in range(len(self.classes)))
        ]
        return np.array(found)


def examine_labels(rows: Examined) -> LabelExamination:
    """The examination of labels: on the votes of the fit, or by refitted models."""
    sets, last = rows.candidates, rows.last
    possible = np.asarray(sets.mask.any(axis=0))
    weights = rows.kept.all_weights
    if not hasattr(rows.model, "predict_proba"):
        raise TypeError(
            f"cross_examine: {type(last).__name__} has no predict_proba, which judges labels. Use "
            "PartialLabelClassifier, or a classifier with probabilities."
        )
    is_judged = isinstance(rows.model, PartialLabelClassifier) and rows.folds is not None
    # New rows are compared with what the weighting of prediction says.
    is_judged = is_judged and last.predict_weights_ is last.weights_
    if is_judged and is_cheap(_hidden(rows), last.solver_):
        held_out = _judged(rows)
        scored = rows.with_rest(
            _scattered(last._probabilities_(held_out.first_scores), rows.kept), _probabilities
        )
        distributions = rows.with_rest(
            _scattered(held_out.distributions, rows.kept), _probabilities
        )
        calibration = held_out.calibration
    else:
        scored = rows.held_out(_probabilities)
        logits = np.log(np.maximum(scored, _LEAST))
        calibration = fit_set_calibration(logits, sets.mask, weights, possible)
        distributions = calibration(logits, possible)
    leaving = _leaving_of(last)
    shares = leaving.shares(distributions, sets)
    if rows.folds is None:
        inside = np.where(sets.mask, shares, -1.0).argmax(axis=1)
        codes, _ = leaving.codes(inside, shares, sets.mask)
    else:
        codes = label_codes(last.labels_, last.classes_)
    confidence = shares[np.arange(len(codes)), codes]
    within = np.where(sets.mask, distributions, 0.0).sum(axis=1)
    return LabelExamination(
        **rows.shared_fields(last.classes_[codes], confidence, np.clip(1.0 - within, 0.0, 1.0)),
        classes=last.classes_,
        codes=codes,
        distributions=distributions,
        scored=scored,
        calibration=calibration,
        wrong_sets=fit_wrong_sets(distributions, sets.mask, weights),
    )


def _leaving_of(model: Any) -> Leaving:
    """When labels of a fitted model leave their sets; other models know a price at most."""
    leaving: Leaving | None = getattr(model, "_leaving_", None)
    return Leaving(getattr(model, "tolerance_", np.inf)) if leaving is None else leaving


def _hidden(rows: Examined) -> Any:
    """What is hidden of the rows: their sets, in their bags if they are in bags."""
    return rows.counts if is_in_bags(rows.counts) else rows.candidates


def require_judged_bags(model: Any, counts: ClassCounts, cv: Any) -> None:
    """Raise an error if rows in bags cannot be judged by hidden sets or bags."""
    owner = "cross_examine: rows in bags"
    if isinstance(cv, str):
        raise ValueError(
            f"{owner} are judged by folds, in which bags stay whole; cv={cv!r} has none. Give a "
            "number of folds."
        )
    if not isinstance(model, PartialLabelClassifier):
        raise ValueError(
            f"{owner} are judged on the votes of a PartialLabelClassifier; got "
            f"{type(model).__name__}. Transform X first, and examine its last step alone."
        )
    is_annealed = is_cheap(counts, model.solver_) and informed_graph(model.weights_) is None
    if not is_annealed or model.predict_weights_ is not model.weights_:
        raise ValueError(
            f"{owner} are judged by annealing, with weights that predict and are no graph in which "
            "only informed rows vote. Leave out solver and predict_weights, or take other weights."
        )
    n_bags = np.unique(counts.bag_of_row[informed_rows(counts)]).size
    if not counts.informative.any() and n_bags < MIN_RANDOM_BAGS:
        raise ValueError(
            f"{owner} are judged by hidden sets, or by hidden bags; no set excludes a class, and "
            f"{n_bags} bags of known shares are fewer than {MIN_RANDOM_BAGS}. Their confidence is "
            "by the votes of the other rows (leave one out)."
        )


def _judged(rows: Examined) -> HeldOutLabels:
    """The judgement of the rows that take part, on the votes of the fit."""
    kept, folds, model = rows.kept, rows.folds, rows.model
    assert folds is not None
    for dealt in folds.deals(0):
        rows.require_information(dealt)
    known = rows.judgement
    is_same = known is not None and known.is_of(model.weights_, model.tolerance_)
    if known is not None and is_same and folds.are_those_of(known):
        return known.found
    taken = _hidden(rows)
    if not kept.all_rows:
        taken = taken[kept.rows]
    inputs = rows.taken_inputs
    with config_context(assume_finite=True):
        return judged(
            judges_of(
                Judge(model.weights_, model.solver_),
                model.trials_,
                inputs,
                kept.weights,
                int(folds.equal.max()) + 1,
                "cross-examination",
            ),
            taken,
            model.loss_,
            model.method,
            kept.sample_weight,
            folds.hiding,
            folds.deals,
            model.tolerance_,
        )


def _scattered(values: FloatArray, kept: KeptRows) -> FloatArray:
    """Values of the rows that take part, in a table of all rows."""
    if kept.all_rows:
        return values
    table = np.zeros((kept.n, values.shape[1]))
    table[kept.rows] = values
    return table


def _probabilities(model: Any, X: Any) -> FloatArray:
    probabilities: FloatArray = model.predict_proba(X)
    return probabilities
