"""Prediction sets at new inputs as plain data, so that a saved model can make them.

The threshold of a prediction set depends on its coverage and on the examined rows. A rule has the
thresholds of all coverages in steps of one percent, and needs neither the rows nor their sets.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from disambig.candidates import Intervals, LabelSets
from disambig.estimators.conformal import label_scores, least_rows, prediction_mask
from disambig.estimators.held_out.sign_likelihood import SignCalibration
from disambig.estimators.held_out.tag_shares import mixed_shares
from disambig.estimators.rankers.pairs import square
from disambig.notation import FloatArray
from disambig.trust.examination import Examination
from disambig.trust.kinds.bits import BitExamination
from disambig.trust.kinds.labels import LabelExamination
from disambig.trust.kinds.numbers import NumberExamination
from disambig.trust.kinds.sign_sets import bits_at, orders_at

_PERCENTS = range(50, 100)


@dataclass(frozen=True)
class SetRule:
    """Thresholds of prediction sets at new inputs.

    Attributes
    ----------
    kind : {"labels", "numbers", "orders", "bits"}
    meaning : {"meets", "truth", "estimate"}
        What the sets hold; see `Examination.predict_set`. "estimate" is for numbers without
        answers: the central range of the residuals that the hidden sets make likely.
    thresholds : dict of str to list of float or None
        By coverage in percent; for an "estimate" what is added to the prediction at both ends.
        None is infinite: too few rows to promise so much.
    temperature, wrong_share : float
        The calibration of signs, for orders and bits.
    is_calibrated : bool
        Whether signs are calibrated.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.trust import cross_examine
    >>> X = np.arange(40.0)[:, None]
    >>> y = [{"a"} if x < 19 else {"b"} if x > 21 else {"a", "b"} for x in X[:, 0]]
    >>> exam = cross_examine(PartialLabelClassifier("neighbors"), X, y)
    >>> rule = SetRule.of(exam)
    >>> rule.predict(exam.estimator, [[0.0], [39.0]], 0.8).mask.astype(int).tolist()
    [[1, 0], [0, 1]]
    >>> print(rule.statement(0.8))
    In about 80 % of rows the set has a target in common with the candidate set.
    """

    kind: str
    meaning: str
    thresholds: dict[str, list[float | None]]
    temperature: float = 1.0
    wrong_share: float = 0.0
    is_calibrated: bool = False

    @classmethod
    def of(cls, examination: Examination) -> "SetRule | None":
        """The rule of an examination: of the truth if there are answers.

        None without answers if no candidate set excludes anything, as in bags: then there is
        nothing that prediction sets could meet.
        """
        meaning = "meets"
        if examination.answers is not None:
            meaning = "truth"
        elif isinstance(examination, NumberExamination):
            meaning = "estimate"
        elif not np.asarray(examination.candidates.informative).any():
            return None
        thresholds = {}
        for percent in _PERCENTS:
            found = _threshold(examination, percent / 100, meaning)
            thresholds[str(percent)] = [
                float(value) if np.isfinite(value) else None for value in found
            ]
        if isinstance(examination, LabelExamination):
            return cls("labels", meaning, thresholds)
        if isinstance(examination, NumberExamination):
            return cls("numbers", meaning, thresholds)
        used: Any = examination
        kind = "bits" if isinstance(examination, BitExamination) else "orders"
        signs: SignCalibration = used.calibration
        return cls(kind, meaning, thresholds, signs.temperature, signs.wrong_share, signs.is_fitted)

    def predict(self, estimator: Any, X: Any, coverage: float) -> Any:
        """Prediction sets: candidate sets of the kind; ends ``(q, 2)`` for numbers.

        Parameters
        ----------
        estimator : fitted estimator
            The one that was examined.
        X : (q, d)
        coverage : float
            From 0.5 to 0.99, in steps of 0.01.
        """
        threshold = self._at(coverage)
        if self.kind == "labels":
            scores = label_scores(estimator.predict_proba(X))
            return LabelSets(prediction_mask(scores, float(threshold[0])), estimator.classes_)
        if self.kind == "numbers":
            found = np.asarray(estimator.predict(X), dtype=np.float64)
            if self.meaning == "estimate":
                return found[:, None] + threshold
            return np.stack([found - threshold[0], found + threshold[0]], axis=-1)
        calibration = SignCalibration(self.temperature, self.wrong_share, self.is_calibrated)
        if self.kind == "bits":
            shares = calibration(mixed_shares(estimator, X))
            return bits_at(shares, float(threshold[0]), estimator.loss_.tags)
        shares = square(calibration(estimator._shares(X)), len(estimator.items_))
        return orders_at(shares, float(threshold[0]), estimator.items_)

    def statement(self, coverage: float) -> str:
        """What is promised of prediction sets, as a sentence."""
        share = f"{100 * coverage:.0f} %"
        if self.meaning == "truth":
            return (
                f"The set contains the truth in {share} of rows like those with several "
                "candidates, by answers drawn at random among them."
            )
        if self.meaning == "estimate":
            return (
                f"The range holds the true number in about {share} of rows, if the chance of an "
                "interval is the same whichever of its numbers is true."
            )
        return f"In about {share} of rows the set has a target in common with the candidate set."

    def _at(self, coverage: float) -> FloatArray:
        percent = round(100 * coverage) if 0 < coverage < 1 else 0
        found = self.thresholds.get(str(percent))
        if found is None or abs(100 * coverage - percent) > 1e-9:
            raise ValueError(
                f"predict: the coverage of prediction sets must be 0.50, 0.51, ..., or 0.99; got "
                f"{coverage!r}."
            )
        return np.array([np.inf if value is None else value for value in found])

    def to_dict(self) -> dict[str, Any]:
        """The rule as plain data."""
        return asdict(self)


def _threshold(examination: Examination, coverage: float, meaning: str) -> FloatArray:
    answers = examination.answers
    if meaning == "truth" and (answers is None or len(answers) < least_rows(coverage)):
        return np.full(1, np.inf)
    if meaning == "estimate" and isinstance(examination, NumberExamination):
        whole = Intervals(np.full((1, 1), -np.inf), np.full((1, 1), np.inf), True)
        ends: FloatArray = examination.residuals.central(np.zeros((1, 1)), whole, coverage)
        return np.asarray(ends[0, 0])
    return np.atleast_1d(examination._new_threshold(coverage, meaning))
