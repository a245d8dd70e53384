"""`cross_examine`: hide the set of a row, and let the others judge it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import (
    Intervals,
    IntervalUnions,
    LabelSets,
    MeanBounds,
    PartialBits,
    PartialOrders,
    number_sets,
)
from disambig.candidates.labels.class_counts import ClassCounts, is_in_bags
from disambig.estimators.alternation.refits import step_options
from disambig.estimators.base import CandidateEstimator
from disambig.estimators.fitting import (
    check_lengths,
    validated_inputs,
)
from disambig.estimators.held_out.kept_judgements import KeptJudgement, kept_judgements
from disambig.estimators.progress.reporting import reporting
from disambig.estimators.queries.mixins import InputShiftMixin
from disambig.estimators.rows.kept import kept_rows
from disambig.estimators.rows.parts_choice import gathered_if_few
from disambig.losses.bits.protocol import BoundBitLoss
from disambig.metrics.scorer import innermost
from disambig.notation import FloatArray
from disambig.parameters import check_callback, check_integer
from disambig.solvers.loop import Callback
from disambig.sparse_arrays import check_sparse
from disambig.threads import limit_threads
from disambig.trust.examination import Examination
from disambig.trust.examined import Examined, before_last_step, named_rows
from disambig.trust.folds import PREFIT, Folds, check_folds
from disambig.trust.kinds.bits import examine_bits
from disambig.trust.kinds.labels import examine_labels, require_judged_bags
from disambig.trust.kinds.numbers import examine_numbers
from disambig.trust.kinds.orders import examine_orders
from disambig.weights.divided.rows import DividedRows, is_divided


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
    callback: Callback | None = None,
    verbose: int = 0,
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
        Or rows in parts, such as those of `disambig.dask.dask_rows`.
    y : candidate sets, n rows
        Sets in bags (`disambig.candidates.bag_counts`) are hidden while all bags stay whole; if few
        rows have sets and there are 20 bags, whole bags are hidden.
    cv : int, splitter, iterable of (train, test), or "prefit", default 5
        Rows with equal inputs, and groups, stay in one fold. "prefit": the estimator was fitted on
        other rows, and judges all of these; promises of coverage are then exact.
    repeats : int, default 1
        How often the rows are dealt into folds; the judgements are averaged.
    groups : array-like (n,), optional
        Rows that are hidden together.
    sample_weight : array-like (n,), optional
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every step of every phase of the fit and of
        the cross-examination; returning True ends the phase, which uses what it has found so far.
        If some rows have no judgement then, `StoppedError` is raised.
    verbose : int, default 0
        From 1 on, every step is logged (logger "disambig").

    Returns
    -------
    Examination
        Of the kind of the targets, immutable: `labels`, `confidence`, `suspicion`, `frame()`,
        `suspects`, `with_answers`, `predict_set`, `accept`.

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
    check_callback("cross_examine", callback)
    check_integer("cross_examine", "verbose", verbose, least=0)
    with reporting("cross_examine", callback, verbose):
        return _cross_examined(estimator, X, y, cv, repeats, groups, sample_weight)


def _cross_examined(
    estimator: Any, X: Any, y: Any, cv: Any, repeats: int, groups: Any, sample_weight: Any
) -> Examination:
    check_folds(cv, repeats)
    if is_divided(X):
        X = _examined_parts(estimator, X, cv)
    if sp.issparse(X):
        check_sparse("cross_examine: X", X)
        # Other sparse formats have no rows to take.
        X = X.tocsr()
    is_split = isinstance(cv, str) and cv == PREFIT
    if is_split:
        if groups is not None or sample_weight is not None:
            raise ValueError(
                "cross_examine: groups and sample_weight are for folds and fits; with cv='prefit' "
                "there are none."
            )
        check_is_fitted(estimator)
        model = estimator
        judgements: list[KeptJudgement] = []
    else:
        model = clone(estimator)
        options = {"sample_weight": sample_weight, "groups": groups}
        given = {name: value for name, value in options.items() if value is not None}
        with kept_judgements() as judgements:
            model.fit(X, y, **step_options(model, given))
    found: Examination = examine_fitted(
        model,
        X,
        y,
        cv=cv,
        repeats=repeats,
        groups=groups,
        sample_weight=sample_weight,
        judgements=judgements,
    )
    return found


@limit_threads(1)
def examine_fitted(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    repeats: int = 1,
    groups: Any = None,
    sample_weight: Any = None,
    given: Any = None,
    distance: FloatArray | None = None,
    judgements: Sequence[KeptJudgement] = (),
) -> Any:
    """`cross_examine` for a model that was fitted on these rows already, with the same options.

    Parameters
    ----------
    model : fitted estimator or Pipeline
        On these rows and sets; for ``cv="prefit"`` on others.
    X, y, cv, repeats, groups, sample_weight
        As of `cross_examine`.
    given : candidate sets, optional
        Those before answers became the only candidates in y: the folds are dealt by them.
    distance : float array (d,), optional
        For numbers: what counts as right; see `NumberExamination`.
    judgements : sequence of KeptJudgement
        The one of the fit, if it was kept. It is used if the same would come out again.
    """
    last = innermost(model)
    counts = y if isinstance(y, ClassCounts) else None
    if isinstance(y, MeanBounds):
        raise ValueError(
            "cross_examine: numbers in bags of known means are not judged, because folds would cut "
            "the bags; their confidence is by the intervals of the rows (see confidence_kind_)."
        )
    if is_in_bags(y):
        require_judged_bags(model, y, cv)
    candidates = _read(last, y)
    inputs = before_last_step(model, X)
    # Rows in parts are those of the fit, which has checked them.
    is_checked = is_divided(inputs)
    read = inputs if is_checked else validated_inputs(last, inputs, reset=False, missing=True)
    checked = last._completed(read) if isinstance(last, InputShiftMixin) else read
    check_lengths(checked, candidates)
    kept = kept_rows(sample_weight, read, groups)
    judgement = next(iter(judgements), None)
    rows = Examined(model, X, checked, candidates, kept, None, counts, judgement)
    if not (isinstance(cv, str) and cv == PREFIT):
        pairwise = get_tags(model).input_tags.pairwise
        dealt = _dealt(candidates, counts, given)
        folds = Folds(cv, repeats, rows.taken_inputs, kept, dealt, groups, pairwise=pairwise)
        rows = replace(rows, folds=folds)
    return _examine(rows, distance)


def _examined_parts(estimator: Any, X: DividedRows, cv: Any) -> Any:
    """Rows in parts, or an array of them where "auto" gathers few; raises if nobody reads them."""
    if not isinstance(estimator, CandidateEstimator):
        raise TypeError(
            f"cross_examine: X is in parts, which {type(estimator).__name__} does not read. Pass a "
            "PartialLabelClassifier, an IntervalRegressor, a PartialMultilabelClassifier or a "
            "PartialRanker, and no Pipeline."
        )
    if isinstance(cv, str):
        raise ValueError(
            f"cross_examine: X is in parts, which are judged by folds; with cv={cv!r} pass an "
            "array, a part at a time."
        )
    return X if gathered_if_few(estimator, X) is X else named_rows(X, slice(None))


def _dealt(candidates: Any, counts: ClassCounts | None, given: Any) -> Any:
    """What the folds are dealt by: rows in bags may be hidden with their bags."""
    if given is not None:
        return given
    return counts if is_in_bags(counts) else candidates


def _examine(rows: Examined, distance: FloatArray | None) -> Examination:
    if isinstance(rows.candidates, LabelSets):
        return examine_labels(rows)
    if isinstance(rows.candidates, (Intervals, IntervalUnions)):
        return examine_numbers(rows, distance)
    if isinstance(rows.candidates, PartialOrders):
        return examine_orders(rows)
    if isinstance(rows.candidates, PartialBits):
        return examine_bits(rows)
    raise TypeError(f"cross_examine: {type(rows.candidates).__name__} cannot be examined.")


def _read(last: Any, y: Any) -> Any:
    """The candidate sets of y, as a fitted estimator reads them."""
    if isinstance(getattr(last, "loss_", None), BoundBitLoss):
        return _read_bits(last, y)
    if hasattr(last, "classes_"):
        sets = y.sets if getattr(y, "couples_rows", False) else y
        return LabelSets.from_any(sets, classes=last.classes_, unlabeled=last.unlabeled)
    if hasattr(last, "items_"):
        return PartialOrders.from_any(
            y, items=last.items_, ties=last.ties, unlabeled=last.unlabeled, ranks=last.ranks
        )
    if hasattr(last, "missing"):
        return number_sets(y, missing=last.missing, unlabeled=last.unlabeled)
    raise TypeError(
        f"cross_examine: {type(last).__name__} has no probabilities that hidden sets could be "
        "judged by. For class labels use PartialLabelClassifier; outputs of a StructuredTask "
        "cannot be examined."
    )


def _read_bits(last: Any, y: Any) -> PartialBits:
    """The bits of y, under the rules of a fitted estimator."""
    if last._is_single:
        raise ValueError(
            "cross_examine: y is a vector of two classes. Pass a table with one column instead, 1 "
            "for the second class, 0 for the first and NaN where it is not known."
        )
    return PartialBits.from_any(
        y,
        last.tags_,
        zero=last.zero,
        unlabeled=last.unlabeled,
        implications=last.implications,
        tag_counts=last.tag_counts,
    )
