"""What a fit did, as plain data for ``summary.json`` and for programs."""

import hashlib
from typing import Any

import numpy as np

from disambig.estimators.selection.trial_texts import weights_text
from disambig.persistence.description import library_versions
from disambig.report.inputs import judge_name
from disambig.table_models.columns import texts_of
from disambig.table_models.model import TableModel
from disambig.tables import RawTable
from disambig.tables.source import pandas, plain_data

SUMMARY_SCHEMA = 1
_MAX_TRIALS = 20
_MAX_CLASSES = 200
_MAX_BAGS = 200


def table_hash(table: RawTable) -> str:
    """A hash of the names and the cells of a table as they were read.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig.tables.reading import raw_table
    >>> one, other = (raw_table(pd.DataFrame({"a": [1, k]})) for k in (2, 3))
    >>> table_hash(one) == table_hash(one), table_hash(one) == table_hash(other)
    (True, False)
    """
    found = hashlib.sha256()
    for name in table.frame.columns:
        series = table.frame[name]
        found.update(repr(name).encode())
        if series.dtype == object and pandas().api.types.infer_dtype(series) != "string":
            # Lists and arrays have no hash, and that of pandas is the same for 1 and "1".
            series = series.map(_typed_text)
        hashes = pandas().util.hash_pandas_object(series, index=False).to_numpy()
        found.update(np.ascontiguousarray(hashes).tobytes())
    return found.hexdigest()


def _typed_text(cell: Any) -> str:
    """A cell as a text that shows its type, unlike its usual one."""
    value = cell.tolist() if hasattr(cell, "tolist") else cell
    return f"{type(value).__name__} {value!r}"


def summary_of(model: TableModel) -> dict[str, Any]:
    """What was read, chosen and found; numbers, texts and lists only."""
    table, exam = model.table, model.examination
    assert table.target is not None
    form = table.target.format
    return {
        "schema": SUMMARY_SCHEMA,
        "kind": model.kind,
        "rows": len(table),
        "target": {
            "columns": [str(name) for name in form.columns],
            "notation": form.notation,
            "sentence": form.sentence,
            "rows_without_information": int(np.count_nonzero(table.target.uninformative)),
            "names": None if form.names is None else [str(name) for name in form.names],
        },
        "features": [
            {"column": str(column.name), "type": column.type} for column in table.features.columns
        ],
        "dropped": {str(name): why for name, why in table.features.dropped.items()},
        "labels": _labels(model),
        "confidence": {
            "mean": float(np.mean(model.confidence)),
            "resolve_at": model.settings.resolve_at,
            "resolved": int(model.resolved.sum()),
            "by": judge_name(exam),
            "answers": 0 if exam is None or exam.answers is None else len(exam.answers),
        },
        "wrong_sets": _wrong_sets(model),
        "bags": _bags(model),
        "chosen": {
            "estimator": type(model.estimator).__name__,
            "weights": weights_text(model.estimator.weights_),
            "trials": _trials(model.estimator.trials_),
        },
        "settings": model.settings.to_dict(),
        "notes": list(model.notes),
        "warnings": list(model.warnings),
        "seconds": {name: round(value, 3) for name, value in model.seconds.items()},
        "versions": library_versions(),
    }


def _labels(model: TableModel) -> dict[str, Any]:
    """Counts of classes, the range of numbers, or shares of tags."""
    labels, estimator = model.estimator.labels_, model.estimator
    if model.examination is not None:
        labels = model.examination.labels
    if model.kind == "labels":
        names, counts = np.unique(np.asarray(texts_of(labels)), return_counts=True)
        order = np.lexsort((names, -counts))[:_MAX_CLASSES]
        return {
            "counts": {str(names[k]): int(counts[k]) for k in order},
            "classes": len(estimator.classes_),
        }
    if model.kind == "numbers":
        low, middle, high = np.quantile(labels, [0.0, 0.5, 1.0])
        return {"least": float(low), "median": float(middle), "largest": float(high)}
    if model.kind == "bits":
        shares = np.mean(np.asarray(labels) == 1, axis=0)
        tags = texts_of(estimator.loss_.tags)
        return {"shares": dict(zip(tags, shares.round(6).tolist(), strict=True))}
    places = np.mean(labels, axis=0) + 1
    items = texts_of(estimator.items_)
    return {"mean_places": dict(zip(items, places.round(6).tolist(), strict=True))}


def _bags(model: TableModel) -> dict[str, Any] | None:
    """What is known of bags, and how the recovered labels keep it; None without bags."""
    found = model.bags
    if found is None:
        return None
    column = model.table.plan.bags
    return {
        "column": None if column is None else str(column),
        "bags": len(found),
        "kept": int(found["kept"].sum()),
        "table": found.head(_MAX_BAGS).to_dict("records"),
    }


def _wrong_sets(model: TableModel) -> dict[str, Any] | None:
    if model.examination is None:
        return None
    found = model.suspects()
    return {
        "share": float(getattr(model.examination, "wrong_share", 0.0)),
        "suspects": len(found),
        "statement": found.statement,
    }


def _trials(trials: Any) -> list[dict[str, Any]]:
    return [
        {"weights": weights_text(trial.weights), "score": float(trial.score)}
        for trial in trials[:_MAX_TRIALS]
    ]


def plain_summary(value: Any) -> Any:
    """A summary without NaN, which JSON does not know."""
    value = plain_data(value)
    if isinstance(value, dict):
        return {key: plain_summary(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_summary(entry) for entry in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
