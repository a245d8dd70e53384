"""`JudgedDisplay`: what the displays share that draw confidences of labels."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

from disambig.plots.drawing import Display
from disambig.plots.judged_rows import JudgedRows, predicted_rows, recovered_rows


class JudgedDisplay(Display):
    """A display of rows with a confidence, from an estimator or from arrays."""

    # Whether it is known of every row if its label is right.
    _needs_truth: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def from_predictions(cls, confidence: Any, is_right: Any, **options: Any) -> Self:
        """Draw rows whose confidence is known."""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, name: str | None = None, **options: Any
    ) -> Self:
        """Draw predictions at new rows: the largest probability, and whether ``predict(X) == y``.

        Parameters
        ----------
        estimator : fitted classifier
            With `predict` and `predict_proba`; also a pipeline or a search.
        X : inputs, m rows
        y : array-like (m,)
            True labels; `ConfidenceHistogramDisplay` draws without them, too.
        name : str, optional
            For the legend, by default that of the class of the estimator.
        **options
            See `from_predictions`.
        """
        owner = f"{cls.__name__}.from_estimator"
        cls._require_truth(owner, "y", y)
        return cls._from_judged(predicted_rows(owner, estimator, X, y), name, options)

    @classmethod
    def from_recovered(
        cls,
        estimator: Any,
        y_true: Any = None,
        *,
        rows: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw training rows: ``confidence_``, and whether ``labels_ == y_true``.

        Parameters
        ----------
        estimator : fitted estimator that recovers labels
            Such as `PartialLabelClassifier`; also as the last step of a pipeline.
        y_true : array-like (m,)
            True labels of the rows; `ConfidenceHistogramDisplay` draws without them, too.
        rows : positions (m,) or mask (n,), optional
            The training rows to draw; by default all.
        name : str, optional
            For the legend, by default that of the class of the estimator.
        **options
            See `from_predictions`.
        """
        owner = f"{cls.__name__}.from_recovered"
        cls._require_truth(owner, "y_true", y_true)
        return cls._from_judged(recovered_rows(owner, estimator, y_true, rows), name, options)

    @classmethod
    def _require_truth(cls, owner: str, name: str, truth: Any) -> None:
        if cls._needs_truth and truth is None:
            raise ValueError(
                f"{owner}: {name} is None; true labels are needed to say which labels are right. "
                "ConfidenceHistogramDisplay draws confidences without them."
            )

    @classmethod
    def _from_judged(cls, judged: JudgedRows, name: str | None, options: dict[str, Any]) -> Self:
        name = judged.name if name is None else name
        return cls.from_predictions(judged.confidence, judged.is_right, name=name, **options)
