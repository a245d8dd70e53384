"""What examinations of orders and of bits share: both consist of signs with probabilities."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.pipeline import Pipeline

from disambig.estimators.held_out.sign_likelihood import SignCalibration, fit_sign_calibration
from disambig.estimators.held_out.wrong_sets import WrongSets
from disambig.estimators.held_out.wrong_signs import two_classes
from disambig.estimators.mixture import Mixture, held_out_predictions, mixed
from disambig.estimators.progress.reporting import Phase
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.trust.answers import Answers, read_answers
from disambig.trust.examination import Examination
from disambig.trust.examined import Examined, before_last_step
from disambig.trust.folds import mean_over, n_folds_of
from disambig.trust.suspects import Contradiction

# An observed sign is named as suspect if it is wrong with more than this probability, and at most
# so many are in a sentence.
_SUSPECT, _MAX_NAMED = 0.5, 3
# What a model, or the last step of a pipeline, predicts: ``predict(estimator, X)``.
Predict = Callable[[Any, Any], FloatArray]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SignExamination(Examination):
    """The examination of targets that consist of signs: the pairs of an order, or bits.

    Attributes
    ----------
    recovered : int array (n, m)
        `labels` without answers.
    held_out_probabilities : float array (n, m, m) for orders, (n, m) for bits
        Calibrated probabilities by models that never saw the set of the row, observed signs
        included.
    calibration : SignCalibration
        See `temperature`.
    wrong_signs : WrongSets
        How many observed signs are wrong, and which; see `wrong_share`.
    """

    recovered: AnyArray
    held_out_probabilities: FloatArray
    calibration: SignCalibration
    wrong_signs: WrongSets

    def __post_init__(self) -> None:
        super().__post_init__()
        for array in (self.recovered, self.held_out_probabilities):
            array.setflags(write=False)

    @property
    def temperature(self) -> float:
        """The temperature of highest likelihood of the hidden signs."""
        return self.calibration.temperature

    @property
    def wrong_share(self) -> float:
        """The estimated share of wrong ones among the observed signs.

        0 unless they show it, or if the others know too little to tell.
        """
        return self.wrong_signs.share

    # ------------------------------------------------------------------ what a kind provides

    @abstractmethod
    def _observed(self) -> tuple[FloatArray, AnyArray]:
        """Probabilities of the sign +1, and the observed signs, both ``(n, p)``."""

    @abstractmethod
    def _sign_text(self, place: int, sign: int) -> str:
        """The name of a sign, such as a pair in its order."""

    @abstractmethod
    def _read_complete(self, labels: Any, owner: str) -> AnyArray:
        """Complete targets ``(a, m)`` of the user's answers."""

    @abstractmethod
    def _probabilities_at(self, X: Any) -> FloatArray:
        """Calibrated probabilities of the estimator at new inputs."""

    @abstractmethod
    def _set_scores(self) -> tuple[IntArray, FloatArray]:
        """The rows that observe a sign, and their scores for "meets"."""

    @abstractmethod
    def _truth_scores(self, answers: Answers, is_new: bool) -> FloatArray:
        """Scores of the answers: of prediction sets at new inputs, or inside the rows' sets."""

    @abstractmethod
    def _sets_at(self, probabilities: FloatArray, threshold: float) -> Any:
        """Prediction sets at new inputs."""

    @abstractmethod
    def _inner_sets(self, threshold: float) -> Any:
        """Prediction sets inside the sets of the examined rows."""

    # ------------------------------------------------------------------ shared

    def _sign_posterior(self, rows: Any = slice(None)) -> FloatArray:
        """The probability that each observed sign is wrong, ``(n, p)``; 0 where there is none."""
        probabilities, signs = (values[rows] for values in self._observed())
        two, mask = two_classes(self.calibration.unmixed(probabilities), signs)
        posterior = np.zeros(signs.shape)
        posterior[signs != 0] = self.wrong_signs.posterior(two, mask)
        return posterior

    @property
    def _tells_wrong_sets(self) -> bool:
        return self.wrong_signs.is_known

    def _contradictions(self, rows: IntArray) -> list[Contradiction]:
        """The observed signs that are probably wrong, the most suspect first."""
        probabilities, signs = (values[rows] for values in self._observed())
        against = np.where(signs > 0, 1.0 - probabilities, probabilities)
        posterior, against = self._sign_posterior(rows), np.where(signs == 0, -1.0, against)
        found = []
        for own, reverse, observed in zip(posterior, against, signs, strict=True):
            order = np.lexsort((-reverse, -own))
            named = order[: max(np.count_nonzero(own > _SUSPECT), 1)]
            reversed_ = [self._sign_text(k, -int(observed[k])) for k in named]
            shown = named[:_MAX_NAMED]
            said = ", ".join(
                f"{text} ({reverse[k]:.2f})" for text, k in zip(reversed_, shown, strict=False)
            )
            seen = ", ".join(self._sign_text(k, int(observed[k])) for k in shown)
            more = f" and {len(named) - len(shown)} more" if len(named) > len(shown) else ""
            why = f"the other rows say {said}{more}; the row has {seen}{more}"
            found.append(Contradiction(", ".join(reversed_), float(reverse[named[0]]), why))
        return found

    def _read_answers(self, rows: Any, labels: Any, inclusion: Any, owner: str) -> Answers:
        complete = self._read_complete(labels, owner).astype(np.float64)
        read = read_answers(rows, complete, len(self), None, inclusion, owner)
        return Answers(read.rows, read.labels.astype(self.labels.dtype), read.weights)

    def _with_singletons(self, rows: Any, labels: Any) -> tuple[Any, Any, Any]:
        # Answers may be texts, which cannot be joined with a table.
        return super()._with_singletons(rows, self._read_complete(labels, "with_answers").tolist())

    def _is_outside(self, answers: Answers) -> BoolArray:
        outside: BoolArray = ~self.candidates[answers.rows].contains(answers.labels)
        return outside

    def _recovered_labels(self) -> AnyArray:
        labels: AnyArray = self.recovered
        return labels

    def _named(self, answers: Answers) -> AnyArray:
        return answers.labels

    def _predicted_set(self, X: Any, coverage: float, meaning: str, classwise: bool) -> Any:
        if meaning == "contains":
            raise ValueError(
                f"predict_set: meaning='contains' is for labels. A set of {self._plural} that "
                "contains every candidate of nearly all rows would hardly exclude anything. Use "
                "'meets', or 'truth' with answers."
            )
        if classwise:
            raise ValueError(
                f"predict_set: classwise=True is for labels; {self._plural} have no classes."
            )
        if X is None:
            return self._inner_sets(self._sign_threshold(coverage, meaning, is_new=False))
        return self._sets_at(self._probabilities_at(X), self._new_threshold(coverage, meaning))

    def _new_threshold(self, coverage: float, meaning: str) -> float:
        return self._sign_threshold(coverage, meaning, is_new=True)

    def _sign_threshold(self, coverage: float, meaning: str, *, is_new: bool) -> float:
        if meaning == "meets":
            rows, scores = self._set_scores()
            return self._threshold(scores, rows, coverage)
        answers = self.answers
        assert answers is not None
        return self._threshold(self._truth_scores(answers, is_new), answers.rows, coverage, answers)

    @property
    @abstractmethod
    def _plural(self) -> str:
        """The kind of targets, for errors."""


def of_last_step(predict: Predict) -> Predict:
    """The same for a pipeline, whose last step predicts from transformed inputs."""

    def predicted(model: Any, X: Any) -> FloatArray:
        if isinstance(model, Pipeline):
            return predict(model[-1], before_last_step(model, X))
        return predict(model, X)

    return predicted


def held_out_signs(rows: Examined, predict: Predict, predict_member: Predict) -> FloatArray:
    """Probabilities of signs that are not calibrated, by models without the row's fold, ``(n, p)``.

    The members of a mixture are refitted alone: the mixture itself would cross-fit them once more
    in every fold.

    Parameters
    ----------
    rows : Examined
    predict, predict_member : callable
        Of the estimator, and of a member of its mixture.
    """
    last, folds = rows.last, rows.folds
    if folds is not None:
        rows.require_features()
    is_mixture = isinstance(getattr(last, "weights_", None), Mixture)
    if folds is None or not is_mixture or rows.model is not last:
        return rows.held_out(of_last_step(predict))
    kept = rows.kept
    taken = rows.candidates if kept.all_rows else rows.candidates[kept.rows]
    inputs = rows.taken_inputs
    members, shares = last.weights_.checked()
    members = [member for member, share in zip(members, shares, strict=True) if share > 0]
    shares = shares[shares > 0]
    deals = folds.deals(0)
    phase = Phase("cross-examination", len(members) * n_folds_of(deals))

    def of_deal(dealt: IntArray) -> FloatArray | None:
        rows.require_information(dealt)
        last = phase.count + len(members) * n_folds_of([dealt])
        parts = []
        with config_context(assume_finite=True):
            for member in members:
                if phase.stopped:
                    return None
                parts.append(
                    held_out_predictions(
                        member, inputs, taken, kept.weights, dealt, predict_member, phase
                    )
                )
        return None if phase.stopped and phase.count < last else mixed(shares, parts)

    total = mean_over(deals, of_deal)
    phase.finish()
    everywhere = np.zeros((kept.n, total.shape[1]))
    everywhere[kept.rows] = total
    return rows.with_rest(everywhere, predict)


def calibrated(
    rows: Examined, shares: FloatArray, signs: AnyArray
) -> tuple[SignCalibration, FloatArray]:
    """The calibration of held-out shares ``(n, p)`` by the observed signs, and what it gives.

    With too few observed signs it is that of the estimator.
    """
    weights = np.zeros(len(shares))
    weights[rows.kept.rows] = rows.kept.sample_weight
    found = fit_sign_calibration(shares, signs, weights)
    if not found.is_fitted:
        found = rows.last._calibration_
    return found, found(shares)


def suspicion_of(probabilities: FloatArray, signs: AnyArray) -> FloatArray:
    """One minus the mean probability of the observed signs of each row; 0 if there is none.

    Examples
    --------
    >>> p = np.array([[0.75, 0.25], [0.5, 0.5]])
    >>> suspicion_of(p, np.array([[1, -1], [0, 0]])).tolist()
    [0.25, 0.0]
    """
    contradiction = np.where(signs > 0, 1.0 - probabilities, probabilities) * (signs != 0)
    n_observed = np.count_nonzero(signs, axis=1)
    suspicion: FloatArray = contradiction.sum(axis=1) / np.maximum(n_observed, 1)
    return np.clip(suspicion, 0.0, 1.0)
