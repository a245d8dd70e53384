"""`fit_table`: read a table, recover its labels, judge them, and keep a model."""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from disambig.estimators.held_out.kept_judgements import KeptJudgement, kept_judgements
from disambig.estimators.progress.reporting import reporting
from disambig.exceptions import TableError, warn
from disambig.notation import AnyArray
from disambig.parameters import check_callback, check_integer
from disambig.solvers.loop import Callback
from disambig.table_models.columns import refuse_reserved
from disambig.table_models.model import TableModel
from disambig.table_models.settings import FitSettings
from disambig.tables import Table, load_table
from disambig.trust import Examination
from disambig.trust.cross_examination import examine_fitted


def fit_table(
    data: Any,
    target: Any = None,
    *,
    weights: Any = "auto",
    method: str = "disambiguation",
    tolerance: Any = None,
    time_limit: float | None = None,
    resolve_at: float = 0.9,
    seed: int | None = None,
    tag_frequencies: Any = None,
    tag_counts: Any = None,
    implications: Any = None,
    callback: Callback | None = None,
    verbose: int = 0,
    **reading: Any,
) -> TableModel:
    """Read a table, recover the label of every row, judge the labels, and learn to predict.

    The kind of target decides on the estimator: `PartialLabelClassifier`, `IntervalRegressor`,
    `PartialRanker`, or `PartialMultilabelClassifier` for tags. Feature columns of all types go
    through a pipeline of scikit-learn parts.

    Parameters
    ----------
    data : path, "-", open file, RawTable, Table or frame
    target : str or list of str, optional
        The columns of the target; see `disambig.tables.read_target` for how it may be written.
    weights, method, tolerance, time_limit, resolve_at, callback, verbose
        As of the estimators.
    seed : int, optional
        Of the folds in which labels are judged, and of the low-rank step of text columns.
    tag_frequencies, tag_counts, implications : optional
        As of `PartialMultilabelClassifier`, for tags only.
    **reading
        ``id``, ``features``, ``drop``, ``keep``, ``types``, ``missing``, ``kind``, ``sep`` and all
        other parameters of `disambig.tables.load_table`.

    Returns
    -------
    TableModel
        `labels`, `predict`, `suspects`, `ask`, `answer`, `save`; its text says what was read.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig import fit_table
    >>> frame = pd.DataFrame(
    ...     {
    ...         "size": [1.0, 1.2, 1.1, 5.0, 5.2, 5.1] * 6,
    ...         "colour": ["red", "red", "blue"] * 12,
    ...         "label": ["cat|dog", "cat", "Cat", "dog", "dog|cat", "dog"] * 6,
    ...     }
    ... )
    >>> model = fit_table(frame, "label", weights="neighbors")
    >>> model.labels["label"].tolist()[:6]
    ['cat', 'cat', 'cat', 'dog', 'dog', 'dog']
    """
    settings = FitSettings(
        weights,
        method,
        tolerance,
        time_limit,
        resolve_at,
        seed,
        tag_frequencies,
        tag_counts,
        implications,
    )
    start = time.perf_counter()
    if isinstance(data, Table):
        if target is not None or reading:
            raise ValueError(
                "fit_table: the table is read already; give target= and how to read it to "
                "load_table."
            )
        table = data
    else:
        table = load_table(data, target, **reading)
    if table.target is None:
        raise TableError("fit_table: the table has no target columns; read it by load_table.")
    seconds = {"read": time.perf_counter() - start}
    return fitted_model(table, settings, callback, verbose, seconds=seconds)


def fitted_model(
    table: Table,
    settings: FitSettings,
    callback: Callback | None = None,
    verbose: int = 0,
    *,
    seconds: dict[str, float] | None = None,
    pipeline: Pipeline | None = None,
    warned: Sequence[str] = (),
    keep: Callable[[Pipeline, Sequence[str]], None] | None = None,
) -> TableModel:
    """The model of a table that was read: fit it, then judge its rows.

    Parameters
    ----------
    table : Table
    settings : FitSettings
    callback, verbose
        As of the estimators.
    seconds : dict, optional
        What was spent before.
    pipeline : Pipeline, optional
        Of an earlier run with the same table and settings; it is not fitted again.
    warned : sequence of str
        What was warned of when it was fitted, to be said again.
    keep : callable, optional
        Called with the fitted pipeline and its warnings before the rows are judged.
    """
    start = time.perf_counter()
    refuse_reserved(table)
    check_callback("fit_table", callback)
    check_integer("fit_table", "verbose", verbose, least=0)
    with recorded_warnings() as texts, reporting("fit_table", callback, verbose):
        for text in warned:
            warn(text, UserWarning)
        inputs = None
        with kept_judgements() as judgements:
            if pipeline is None:
                pipeline, inputs = fit_pipeline(table, settings)
                if keep is not None:
                    keep(pipeline, texts())
        fitted = time.perf_counter()
        model = TableModel(table, pipeline, None, settings, known_inputs=inputs)
        examination, notes = examine_rows(model, judgements=judgements)
    spent = {"fit": fitted - start, "examine": time.perf_counter() - fitted}
    return TableModel(
        table,
        pipeline,
        examination,
        settings,
        (*table.notes, *notes),
        {**(seconds or {}), **spent},
        texts(),
        inputs,
    )


def fit_pipeline(table: Table, settings: FitSettings) -> tuple[Pipeline, AnyArray]:
    """Preprocessing and estimator, fitted on a table; and its preprocessed features ``(n, d)``."""
    assert table.target is not None
    features = table.make_preprocessor()
    settings.seed_texts(features)
    # Not `fit_transform`: the low-rank step of texts would return other last digits than it gives
    # the same rows later, and rows are recognised and dealt into folds by their features.
    inputs = np.asarray(features.fit(table.X).transform(table.X))
    estimator = settings.make_estimator(table.target.kind).fit(inputs, table.candidates)
    return Pipeline([("features", features), ("model", estimator)]), inputs


def examine_rows(
    model: TableModel,
    candidates: Any = None,
    distance: Any = None,
    judgements: Sequence[KeptJudgement] = (),
) -> tuple[Examination | None, tuple[str, ...]]:
    """The examination of the rows of a model, or None and a sentence that says why not.

    Parameters
    ----------
    model : TableModel
    candidates : candidate sets, optional
        With answers; by default those of the table.
    distance : float array, optional
        For numbers: what counts as right.
    judgements : sequence of KeptJudgement
        Of the fit of the model, if it was kept.
    """
    given = model.table.candidates
    try:
        examination: Examination = examine_fitted(
            model.estimator,
            model.inputs,
            given if candidates is None else candidates,
            cv=model.settings.folds(len(model.table)),
            given=given,
            distance=distance,
            judgements=judgements,
        )
    except ValueError as error:
        reason = str(error).removeprefix("cross_examine: ")
        if reason == str(error):
            raise
        return None, (f"Labels are not judged by rows that never saw their sets: {reason}",)
    return examination, ()


@contextmanager
def recorded_warnings() -> Iterator[Callable[[], tuple[str, ...]]]:
    """What returns the different texts of user warnings so far; they are shown after the block."""
    seen: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            yield lambda: tuple(
                dict.fromkeys(
                    str(one.message) for one in seen if issubclass(one.category, UserWarning)
                )
            )
    finally:
        for one in seen:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
