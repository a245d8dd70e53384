"""The columns of result tables, by kind of target."""

from typing import TYPE_CHECKING, Any

import numpy as np

from disambig.candidates.labels.classes import listed
from disambig.candidates.look_alikes import spelling
from disambig.notation import AnyArray, BoolArray
from disambig.tables import Table, TablePlan

if TYPE_CHECKING:
    from disambig.table_models.predictor import TablePredictor

_SET = "set"
NO_TAGS = ("none", "no tags")
"""What says that a row has no tag; the second if there is a tag "none"."""
PROBABILITIES = (
    "confidence", "runner_up_confidence", "doubtful_pair_confidence", "doubtful_tag_confidence",
    "suspicion", "wrong_set_probability", "probability", "inclusion",
)  # fmt: skip
"""Columns that are written with six digits."""
FLAGS = ("resolved", "outside", "is_answered", "is_outside", "is_random")
"""Columns that are written as yes and no."""
RESERVED = {
    *PROBABILITIES, *FLAGS, _SET, "row", "label", "prediction", "answer", "candidates", "reason",
    "runner_up", "lower", "upper", "lower_90", "upper_90", "doubtful_pair", "doubtful_tag",
}  # fmt: skip
"""Columns of results, which an identifier cannot be called."""


def texts_of(names: Any) -> list[str]:
    """Classes, items or tags as texts."""
    return [str(name) for name in listed(names)]


def order_texts(ranks: AnyArray, items: Any) -> AnyArray:
    """Rankings ``(n, m)`` as texts, the first item first.

    Examples
    --------
    >>> order_texts(np.array([[1, 0, 2]]), np.array(["a", "b", "c"])).tolist()
    ['b>a>c']
    """
    names = np.array(texts_of(items), dtype=object)
    return _objects([">".join(row) for row in names[np.argsort(ranks, axis=1)]])


def tag_texts(bits: AnyArray, tags: Any) -> AnyArray:
    """Rows of bits ``(n, m)`` as texts: the tags that are present, or that there are none.

    Examples
    --------
    >>> tag_texts(np.array([[1, 0, 1], [0, 0, 0]]), np.array(["a", "b", "c"])).tolist()
    ['a|c', 'none']
    """
    names = np.array(texts_of(tags), dtype=object)
    has_none = any(spelling(name) == NO_TAGS[0] for name in names)
    empty = NO_TAGS[1] if has_none else NO_TAGS[0]
    return _objects(["|".join(names[row]) or empty for row in np.asarray(bits) == 1])


def set_texts(mask: BoolArray, classes: Any) -> AnyArray:
    """Sets of classes ``(n, K)`` as texts."""
    names = np.array(texts_of(classes), dtype=object)
    return _objects(["|".join(names[row]) for row in mask])


def _objects(texts: list[str]) -> AnyArray:
    found = np.empty(len(texts), dtype=object)
    found[:] = texts
    return found


def row_names(table: Table) -> dict[str, AnyArray]:
    """The identifiers of the rows of a table, or their positions from 0 on."""
    if table.ids is None:
        return {"row": np.arange(len(table))}
    ids = table.ids
    # Dates as the CSV files have them, so that they are recognised there.
    values = ids.astype(str) if ids.dtype.kind == "M" else ids
    return {str(table.plan.id): values.to_numpy()}


def refuse_reserved(table: Table) -> None:
    """Raise if the identifier has the name of a column of the results."""
    if table.plan.id is not None and str(table.plan.id) in RESERVED:
        raise table.source.error(
            "is the identifier, and results have a column of this name, too. Rename it.",
            None,
            table.plan.id,
        )


def prediction_columns(
    predictor: "TablePredictor",
    inputs: AnyArray,
    predicted: AnyArray,
    proba: bool,
    coverage: float | None,
) -> dict[str, Any]:
    """The columns of predictions ``(q,)`` for preprocessed inputs ``(q, d)``."""
    model, kind = predictor.estimator, predictor.kind
    if kind == "labels":
        columns: dict[str, Any] = _label_columns(model, inputs, predicted, proba)
    elif kind == "numbers":
        columns = {"prediction": predicted}
    elif kind == "orders":
        columns = {"prediction": order_texts(predicted, model.items_)}
        if proba:
            columns |= _pair_columns(model, inputs)
    else:
        columns = {"prediction": tag_texts(predicted, model.loss_.tags)}
        if proba:
            shares, tags = model.predict_proba(inputs), texts_of(model.loss_.tags)
            columns |= {f"P({tag})": shares[:, k] for k, tag in enumerate(tags)}
    if coverage is not None:
        assert predictor.set_rule is not None
        columns |= _set_columns(predictor.set_rule.predict(model, inputs, coverage), kind)
    return columns


def _label_columns(
    model: Any, inputs: AnyArray, predicted: AnyArray, proba: bool
) -> dict[str, Any]:
    shares, classes = model.predict_proba(inputs), texts_of(model.classes_)
    place = {name: code for code, name in enumerate(listed(model.classes_))}
    codes = np.array([place.get(label, -1) for label in listed(predicted)], dtype=np.intp)
    own = np.where(codes >= 0, shares[np.arange(len(codes)), codes], np.nan)
    columns: dict[str, Any] = {"prediction": predicted, "probability": own}
    if proba:
        columns |= {f"P({name})": shares[:, k] for k, name in enumerate(classes)}
    return columns


def _pair_columns(model: Any, inputs: AnyArray) -> dict[str, AnyArray]:
    pairs, names = model.pairwise_proba(inputs), texts_of(model.items_)
    first, second = np.triu_indices(len(names), 1)
    return {
        f"P({names[i]}>{names[j]})": pairs[:, i, j]
        for i, j in zip(first.tolist(), second.tolist(), strict=True)
    }


def _set_columns(found: Any, kind: str) -> dict[str, Any]:
    if kind == "numbers":
        return {"lower": found[..., 0], "upper": found[..., 1]}
    if kind == "labels":
        return {_SET: set_texts(found.mask, found.classes)}
    return {_SET: np.array(candidate_texts(found, kind), dtype=object)}


def candidate_texts(candidates: Any, kind: str) -> list[str]:
    """Partial orders or partial bits as texts: observed pairs, or what is known of each tag."""
    if kind == "orders":
        names = texts_of(candidates.items)
        return [
            ", ".join(f"{names[i]}>{names[j]}" for i, j in np.argwhere(before).tolist())
            for before in candidates.before
        ]
    names = texts_of(candidates.tags)
    return [
        ", ".join(f"{name}={'?' if bit < 0 else bit}" for name, bit in zip(names, row, strict=True))
        for row in candidates.bits.tolist()
    ]


def feature_names(pipeline: Any, plan: TablePlan) -> AnyArray:
    """The columns of the preprocessed inputs, in words of the table, ``(d,)``."""
    texts = [str(column.name) for column in plan.features.columns if column.type == "text"]
    found = []
    for name in pipeline[0].get_feature_names_out():
        part, _, rest = str(name).partition("__")
        if part.startswith("text"):
            rest = f"{texts[int(part[4:])]} (text)"
        elif rest.startswith("missingindicator_"):
            rest = f"{rest.removeprefix('missingindicator_')} (missing)"
        found.append(rest)
    return np.array(found, dtype=object)
