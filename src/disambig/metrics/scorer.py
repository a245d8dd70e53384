"""From a metric to a scorer for ``scoring=``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["SetScorer"]


@dataclass(frozen=True)
class SetScorer:
    """``sign * score(y, estimator.predict(X), ...)``, with what the estimator knows of its targets.

    scikit-learn's own scorers take a mask for a multilabel target, and partial orders for nothing
    at all. This one also finds the fitted estimator inside searches and pipelines.

    Parameters
    ----------
    name : str
        The name it goes by in reports.
    score : callable
        ``score(y, y_pred, *, sample_weight, ...) -> float``.
    sign : float
        1 where larger is better, -1 where smaller is.
    reads : tuple of pairs (option, attribute)
        Options of the metric, and the attributes of the estimator that hold them. An option whose
        attribute is not there keeps the default of the metric.
    """

    name: str
    score: Callable[..., float]
    sign: float
    reads: tuple[tuple[str, str], ...]

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        inner = _innermost(estimator)
        options = {
            option: getattr(inner, attribute)
            for option, attribute in self.reads
            if hasattr(inner, attribute)
        }
        y_pred = estimator.predict(X)
        return self.sign * self.score(y, y_pred, sample_weight=sample_weight, **options)

    def __repr__(self) -> str:
        return self.name


def _innermost(estimator: Any) -> Any:
    """The estimator that was fitted on sets, inside searches and pipelines."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator
