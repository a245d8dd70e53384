"""What all metrics share: weighted means over informative rows, and scorers for ``scoring=``."""

import reprlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from disambig.exceptions import warn
from disambig.notation import BoolArray, FloatArray
from disambig.parameters import as_array


def row_weights(sample_weight: Any, n: int) -> FloatArray:
    """The weight of each of n rows, ``(n,)``, as float64; all one by default.

    Parameters
    ----------
    sample_weight : (n,) array-like, a number, or None for equal weights
        Not negative.
    n : int
    """
    if sample_weight is None:
        return np.ones(n)
    try:
        given = as_array(sample_weight)
        # Not by float64, which drops the imaginary part of complex numbers with a warning.
        given = given.astype(np.float64, casting="unsafe" if given.dtype.kind != "c" else "safe")
    except (TypeError, ValueError):
        raise ValueError(
            f"sample_weight must hold one finite number for each row, shape {(n,)}; got "
            f"{reprlib.repr(sample_weight)}."
        ) from None
    if given.shape not in ((), (n,)) or not np.isfinite(given).all():
        raise ValueError(
            f"sample_weight must hold one finite number for each row, shape {(n,)}; got shape "
            f"{given.shape} with {np.count_nonzero(~np.isfinite(given))} that are not finite."
        )
    weights = np.full(n, given)
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight: row {row} has {weights[row]}; weights must not be negative. Use 0 to "
            "leave a row out."
        )
    return weights


def mean_over(
    counted: BoolArray, values: FloatArray, sample_weight: Any, *, information: str
) -> float:
    """``sum_j w_j values_j / sum_j w_j`` over the rows `counted`; NaN, with a warning, if none is.

    The warning points to the line that calls the metric.

    Parameters
    ----------
    counted : (n,) of bool
    values : (n,) of float, finite also in rows that are not counted
    sample_weight : (n,) array-like, a number, or None for equal weights
    information : str
        The condition for a row to be counted, for the warning.

    Examples
    --------
    >>> import numpy as np
    >>> counted, values = np.array([True, False, True]), np.array([1.0, 7.0, 4.0])
    >>> mean_over(counted, values, [2.0, 1.0, 1.0], information="is informative")
    2.0
    """
    weights = counted * row_weights(sample_weight, len(counted))
    total = weights.sum()
    if not total > 0:
        warn(
            f"No row to score {information}; the score is NaN. Score on informative rows.",
            UserWarning,
        )
        return float("nan")
    return float(weights @ values / total)


# What `help` and the reference say about one scorer.
_DOC = """{what} of an estimator, larger is better.

For ``scoring=`` of `sklearn.model_selection.cross_val_score`, `GridSearchCV` and their like. It
reads candidate sets, and takes what `{metric}` has to know from the fitted estimator, inside of
searches and pipelines, too.

Parameters
----------
estimator : fitted estimator
X : array-like or sparse matrix (q, d)
y : q rows
    What is known of these rows, in any form that the estimator reads.
sample_weight : array-like (q,), optional

Returns
-------
float

Examples
--------
{example}
"""


@dataclass(frozen=True)
class SetScorer:
    """``sign * score(y, estimator.predict(X), ...)``, with options from the fitted estimator.

    scikit-learn's scorers would read a mask as a multilabel target, and cannot read partial orders.
    This scorer also finds the fitted estimator inside searches and pipelines.

    Parameters
    ----------
    name : str
        Its name in reports.
    score : callable
        ``score(y, y_pred, *, sample_weight, ...) -> float``.
    sign : float
        1 if larger is better, -1 if smaller is.
    reads : tuple of pairs (option, attribute)
        Options of the metric, and the attributes of the estimator that have their values. If the
        estimator does not have the attribute, the option keeps its default.
    method : {"predict", "predict_proba"}, default "predict"
        What is scored.
    example : str
        Lines of its docstring, in which ``scorer`` stands for its name.
    """

    name: str
    score: Callable[..., float]
    sign: float
    reads: tuple[tuple[str, str], ...]
    method: str = "predict"
    example: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        text = _DOC.format(
            what=f"{'Minus ' if self.sign < 0 else ''}`{self.score.__name__}`",
            metric=self.score.__name__,
            example=self.example.replace("scorer", self.name),
        )
        object.__setattr__(self, "__doc__", text)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        inner = innermost(estimator)
        options = {
            option: getattr(inner, attribute)
            for option, attribute in self.reads
            if hasattr(inner, attribute)
        }
        y_pred = getattr(estimator, self.method)(X)
        return self.sign * self.score(y, y_pred, sample_weight=sample_weight, **options)

    def __repr__(self) -> str:
        return self.name


def innermost(estimator: Any) -> Any:
    """The estimator that was fitted on sets, inside searches and pipelines."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator
