"""`CompletedWeights`: weights of an estimator, and how inputs with holes are completed for them."""

from typing import Any

from sklearn.base import BaseEstimator

from disambig.inputs.completion import WAYS, Completion
from disambig.parameters import choice_message


class CompletedWeights(BaseEstimator):
    """Weights, and how inputs with holes are completed for them: for ``weights=`` of an estimator.

    Weights that are named get the mean of the column and indicators, and ``weights="auto"`` chooses
    what predicts hidden sets best. This names the way.

    Parameters
    ----------
    weights : str, weighting, callable or Mixture
        As `weights` of the estimator.
    completion : str or Completion, default="conditional"
        "mean": the mean of the column. "conditional": what the other cells of the row suggest, by
        near rows and by regression. Each also with " + indicators": further columns that say where
        a cell was missing. A `Completion`, such as `completion_` of an estimator, is used as it is.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.inputs import CompletedWeights
    >>> nan = float("nan")
    >>> X = [[0.0, 0.1], [0.1, nan], [0.2, 0.3], [5.0, 5.1], [nan, 5.2], [5.2, 5.2]]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> clf = PartialLabelClassifier(CompletedWeights("kernel_ridge", "mean")).fit(X, y)
    >>> clf.labels_.tolist(), clf.completion_.way
    (['a', 'a', 'a', 'b', 'b', 'b'], 'mean')
    """

    def __init__(self, weights: Any, completion: Any = "conditional") -> None:
        self.weights = weights
        self.completion = completion

    def checked_completion(self) -> Any:
        """The name of the way, or the completion; raises if it is neither."""
        if isinstance(self.completion, Completion):
            return self.completion
        if not isinstance(self.completion, str) or self.completion not in WAYS:
            raise ValueError(
                choice_message(
                    "CompletedWeights", "completion", self.completion, WAYS, "or a Completion"
                )
            )
        return self.completion


def plain_weights(weights: Any) -> Any:
    """The weights inside of `CompletedWeights`; others as they are."""
    return weights.weights if isinstance(weights, CompletedWeights) else weights
