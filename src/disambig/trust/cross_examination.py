"""`cross_examine`: hide the set of a row, and let the others judge it."""

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets, PartialBits, PartialOrders, number_sets
from disambig.estimators.fitting import check_lengths, kept_rows, validated_inputs
from disambig.losses.bits.hamming import BoundHamming
from disambig.metrics.scorer import innermost
from disambig.threads import limit_threads
from disambig.trust.examination import Examination
from disambig.trust.examined import Examined, step_options
from disambig.trust.folds import PREFIT, Folds, check_folds
from disambig.trust.labels import examine_labels


@limit_threads(1)
def cross_examine(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    repeats: int = 1,
    groups: Any = None,
    sample_weight: Any = None,
) -> Any:
    """Judge every row by models from which its set was hidden.

    The estimator is fitted on all rows. Then the sets of one fold at a time are hidden, the other
    rows are disambiguated with the same weights and solver, and they predict the hidden rows. What
    ``weights="auto"`` chose is not chosen again (`selection_saw_sets`).

    Parameters
    ----------
    estimator : estimator of `disambig`, or a Pipeline that ends in one
        Unfitted; it is cloned. Fitted for ``cv="prefit"``.
    X : array-like or sparse matrix (n, d)
    y : candidate sets, n rows
    cv : int, splitter, iterable of (train, test), or "prefit", default 5
        Rows with equal inputs, and groups, stay in one fold. "prefit": the estimator was fitted on
        other rows, and judges all of these; promises of coverage are then exact.
    repeats : int, default 1
        How often the rows are dealt into folds; the judgements are averaged.
    groups : array-like (n,), optional
        Rows that are hidden together.
    sample_weight : array-like (n,), optional

    Returns
    -------
    Examination
        Of the kind of the targets, immutable: `labels`, `confidence`, `suspicion`, `frame()`,
        `with_answers`, `predict_set`, `accept`.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.trust import cross_examine
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 2)) + 5.0 * np.repeat([[0, 0], [1, 0], [0, 1]], 30, axis=0)
    >>> truth = np.repeat(["a", "b", "c"], 30)
    >>> y = [{label, other} for label, other in zip(truth, rng.permutation(truth))]
    >>> exam = cross_examine(PartialLabelClassifier("neighbors"), X, y)
    >>> bool((exam.labels == truth).all()), bool(exam.confidence.mean() > 0.95)
    (True, True)
    """
    check_folds(cv, repeats)
    is_split = isinstance(cv, str) and cv == PREFIT
    if is_split:
        if groups is not None or sample_weight is not None:
            raise ValueError(
                "cross_examine: groups and sample_weight are for folds and fits; with cv='prefit' "
                "there are none."
            )
        check_is_fitted(estimator)
        model = estimator
    else:
        model = clone(estimator)
        options = {"sample_weight": sample_weight, "groups": groups}
        given = {name: value for name, value in options.items() if value is not None}
        model.fit(X, y, **step_options(model, given))
    last = innermost(model)
    candidates = _read(last, y)
    inputs = X if not isinstance(model, Pipeline) else model[:-1].transform(X)
    checked = validated_inputs(last, inputs, reset=False, missing=True)
    check_lengths(checked, candidates)
    kept = kept_rows(sample_weight, checked, groups)
    folds = None
    if not is_split:
        taken = candidates if kept.all_rows else candidates[kept.rows]
        own = checked if kept.all_rows else checked[kept.rows]
        folds = Folds(cv, repeats, own, kept, taken.informative)
    return _examine(Examined(model, X, checked, candidates, kept, folds))


def _examine(rows: Examined) -> Examination:
    if isinstance(rows.candidates, LabelSets):
        return examine_labels(rows)
    raise TypeError(f"cross_examine: {type(rows.candidates).__name__} cannot be examined.")


def _read(last: Any, y: Any) -> Any:
    """The candidate sets of y, as a fitted estimator reads them."""
    if hasattr(last, "classes_"):
        sets = y.sets if getattr(y, "couples_rows", False) else y
        return LabelSets.from_any(sets, classes=last.classes_, unlabeled=last.unlabeled)
    if hasattr(last, "items_"):
        return PartialOrders.from_any(
            y, items=last.items_, ties=last.ties, unlabeled=last.unlabeled, ranks=last.ranks
        )
    if isinstance(getattr(last, "loss_", None), BoundHamming):
        return PartialBits.from_any(y, last.loss_.tags, unlabeled=last.unlabeled)
    if hasattr(last, "missing"):
        return number_sets(y, missing=last.missing, unlabeled=last.unlabeled)
    raise TypeError(
        f"cross_examine: {type(last).__name__} has no probabilities that hidden sets could be "
        "judged by. For class labels use PartialLabelClassifier; outputs of a StructuredTask "
        "cannot be examined."
    )
