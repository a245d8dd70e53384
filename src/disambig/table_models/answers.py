"""Answers in a table: the true targets of some rows, as people write them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from disambig.candidates.labels.classes import listed
from disambig.candidates.look_alikes import spelling
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.table_models.columns import NO_TAGS, row_names, texts_of
from disambig.tables import RawTable, Table, read_target
from disambig.tables.reading import raw_table
from disambig.tables.source import Source, shown
from disambig.tables.values import column_values
from disambig.trust import Examination
from disambig.trust.refitting import without_answers

if TYPE_CHECKING:
    from disambig.table_models.model import TableModel

ANSWER = "answer"
_ROW = re.compile(r"\brow (\d+)\b")
_FORMULA = re.compile(r"'(?=[=+\-@\t\r])")


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """Answers of some rows.

    Attributes
    ----------
    rows : int array (m,)
    labels : list or array, m entries
        In the form that `Examination.refit` takes.
    inclusion : float array (m,) or None
        The probability with which each row was drawn; NaN where it was not drawn at random. None:
        the table does not say.
    """

    rows: IntArray
    labels: Any
    inclusion: FloatArray | None

    def __len__(self) -> int:
        return len(self.rows)


def read_answer_table(table: Table, examination: Examination, data: Any) -> AnswerTable:
    """Read answers to questions about the rows of a table.

    Parameters
    ----------
    table : Table
        The training table.
    examination : Examination
    data : path, open file or frame
        With the column of the identifier (or ``row``) and ``answer``.
    """
    given = _unescaped(raw_table(data))
    source, columns = given.source, list(given.frame.columns)
    key = str(table.plan.id) if table.plan.id is not None else "row"
    for name in (key, ANSWER):
        if name not in columns:
            raise source.error(
                f"there is no column {name!r}; there are {', '.join(map(repr, columns[:20]))}. "
                f"Answers need {key!r}, which names the row, and {ANSWER!r}."
            )
    said = _said(given, examination)
    if not said.size:
        raise source.error("all answers are blank.", column=ANSWER)
    rows = _row_numbers(table, given, key, said)
    part = RawTable(given.frame.iloc[said], _part_of(source, said))
    labels = _labels(part, table, examination)
    _refuse_contradictions(part, key, rows, labels)
    return AnswerTable(rows, labels, _inclusion(part))


def _unescaped(given: RawTable) -> RawTable:
    """The cells without the apostrophes of ``--excel-safe``."""
    frame = given.frame.copy()
    frame.columns = [_plain(name) for name in frame.columns]
    for name in frame.columns:
        if frame[name].dtype.kind not in "iufbM":
            frame[name] = frame[name].map(_plain)
    return RawTable(frame, given.source, given.notes)


def _plain(cell: Any) -> Any:
    return _FORMULA.sub("", cell, count=1) if isinstance(cell, str) and cell[:1] == "'" else cell


def _said(given: RawTable, examination: Any) -> IntArray:
    """Rows with an answer: neither blank nor a word such as "?", unless it is a name."""
    cells = given.frame[ANSWER]
    known = column_values(cells, given.source, None).codes >= 0
    names: list[str] = list(NO_TAGS) if hasattr(examination, "tags") else []
    for attribute in ("classes", "tags"):
        names += texts_of(getattr(examination, attribute, np.zeros(0)))
    is_name = cells.map(lambda cell: spelling(str(cell))).isin([spelling(one) for one in names])
    return np.flatnonzero(known | is_name.to_numpy())


def _part_of(source: Source, rows: IntArray) -> Source:
    return Source(source.name, rows if source.lines is None else np.asarray(source.lines)[rows])


def _row_numbers(table: Table, given: RawTable, key: str, said: IntArray) -> IntArray:
    """The row of the training table that each answer is about."""
    names: dict[str, list[int]] = {}
    for row, name in enumerate(next(iter(row_names(table).values())).tolist()):
        names.setdefault(_key(name), []).append(row)
    found = []
    for row in said.tolist():
        name = given.frame[key].iloc[row]
        at = names.get(_key(name), [])
        if len(at) != 1:
            raise given.source.error(
                f"{shown(name)} is "
                + ("no row of the training table." if not at else f"{len(at)} rows of it."),
                row,
                key,
            )
        found.append(at[0])
    return np.array(found, dtype=np.intp)


def _refuse_contradictions(part: RawTable, key: str, rows: IntArray, labels: Any) -> None:
    """Raise if a row has two different answers."""
    first: dict[int, int] = {}
    for place, row in enumerate(rows.tolist()):
        other = first.setdefault(row, place)
        if not np.array_equal(labels[place], labels[other]):
            names, cells = part.frame[key], part.frame[ANSWER]
            raise part.source.error(
                f"{shown(names.iloc[place])} has the answer {shown(cells.iloc[place])} here, and "
                f"{shown(cells.iloc[other])} in {Source(None, part.source.lines).where(other)}. An "
                "answer is the one true target: decide on one.",
                place,
                ANSWER,
            )


def _key(name: Any) -> str:
    """A name of a row or a class: whole numbers may be written as 7, "7", 7.0 or "7.0"."""
    text = str(name).strip()
    try:
        number = float(text)
    except ValueError:
        return text
    is_plain = re.fullmatch(r"-?(0|[1-9]\d*)(\.0*)?", text) is not None
    return str(int(number)) if is_plain and abs(number) < 2**53 else text


def _labels(part: RawTable, table: Table, examination: Examination) -> Any:
    assert table.target is not None
    kind, form = table.target.kind, table.target.format
    if kind == "labels":
        return _classes(part, examination)
    if kind == "bits":
        return _bits(part, examination)
    options: dict[str, Any] = {"kind": kind}
    if kind == "numbers":
        options["decimal"] = form.decimal
    else:
        options["classes"] = list(examination.candidates.items)
        options["separator"] = form.separator if form.notation == "chains" else None
    read = read_target(part, ANSWER, **options).candidates
    if kind == "orders":
        _refuse(part, ~np.asarray(read.is_total), "is not the complete order, as 'a>b>c'.")
        return read.ranks()
    _refuse(part, ~np.asarray(read.is_point), "is not one number.")
    values: FloatArray = read.lower[:, 0]
    _refuse_other_units(part, values, examination)
    return values


def _refuse_other_units(part: RawTable, values: FloatArray, examination: Any) -> None:
    """Raise at numbers far from all intervals: of another unit, or with another decimal mark."""
    hull = examination.candidates.hull
    ends = np.concatenate([hull.lower.ravel(), hull.upper.ravel()])
    ends = ends[np.isfinite(ends)]
    low, high = float(ends.min()), float(ends.max())
    reach = max(high - low, abs(low), abs(high)) if low == high else high - low
    far = (values < low - reach) | (values > high + reach)
    if far.any():
        row = int(np.argmax(far))
        raise part.source.error(
            f"{shown(part.frame[ANSWER].iloc[row])} is read as {values[row]:g}, far from all "
            f"intervals of the table ({low:g} to {high:g}). Write it with the decimal mark and in "
            "the unit of the table.",
            row,
            ANSWER,
        )


def _refuse(part: RawTable, wrong: AnyArray, message: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        cell = shown(part.frame[ANSWER].iloc[row])
        raise part.source.error(f"{cell} {message} An answer is the one truth.", row, ANSWER)


class _Names:
    """Classes or tags by their texts, whatever their case and blanks.

    Parameters
    ----------
    names : array (K,)
    what : {"class", "tag"}
    """

    def __init__(self, names: Any, what: str) -> None:
        self.texts = texts_of(names)
        self._what = what
        self._exact = {text: code for code, text in enumerate(self.texts)}
        self._alike: dict[str, list[int]] = {}
        for form in (spelling, _key):
            for code, text in enumerate(self.texts):
                known = self._alike.setdefault(form(text), [])
                if code not in known:
                    known.append(code)

    def get(self, text: str) -> int | None:
        """The position of the name that a text means; None if there is none."""
        if text in self._exact:
            return self._exact[text]
        for form in (spelling, _key):
            alike = self._alike.get(form(text), [])
            if len(alike) == 1:
                return alike[0]
        return None

    def place(self, part: RawTable, row: int, text: str) -> int:
        """The same; raises if there is none."""
        code = self.get(text)
        if code is None:
            some = ", ".join(self.texts[:10]) + (", ..." if len(self.texts) > 10 else "")
            raise part.source.error(
                f"{shown(text)} is no {self._what} of the training table; there are {some}.",
                row,
                ANSWER,
            )
        return code


def _classes(part: RawTable, examination: Any) -> list[Any]:
    classes = listed(examination.classes)
    names = _Names(examination.classes, "class")
    return [
        classes[names.place(part, row, str(text).strip())]
        for row, text in enumerate(part.frame[ANSWER].tolist())
    ]


def _bits(part: RawTable, examination: Any) -> AnyArray:
    """The tags that are listed are present, and the others are not."""
    names = _Names(examination.tags, "tag")
    bits = np.zeros((len(part.frame), len(names.texts)), dtype=np.int8)
    for row, cell in enumerate(part.frame[ANSWER].tolist()):
        text = str(cell).strip()
        if names.get(text) is None and spelling(text) in NO_TAGS:
            continue
        for entry in [text] if names.get(text) is not None else text.split("|"):
            is_known = names.get(entry.strip()) is not None
            for one in [entry] if is_known else entry.split(","):
                bits[row, names.place(part, row, one.strip())] = 1
    return bits


def _inclusion(part: RawTable) -> FloatArray | None:
    """The column ``inclusion`` of questions that were drawn at random."""
    if "inclusion" not in part.frame.columns:
        return None
    found = []
    for row, cell in enumerate(part.frame["inclusion"].tolist()):
        text = "" if cell is None else str(cell).strip()
        try:
            found.append(float(text) if text else float("nan"))
        except ValueError:
            raise part.source.error(f"{shown(cell)} is no probability.", row, "inclusion") from None
    return np.array(found)


def answered(
    model: "TableModel", examination: Examination, answers: AnswerTable, calibrate: bool
) -> "TableModel":
    """The model after answers; see `TableModel.answer`."""
    with _named_rows(model.table):
        if calibrate:
            return replace(model, examination=_calibrated(examination, answers))
        found = examination.refit(answers.rows, answers.labels)
    pipeline = Pipeline(
        [*model.pipeline.steps[:-1], (model.pipeline.steps[-1][0], found.estimator)]
    )
    return replace(model, examination=found, pipeline=pipeline)


@contextmanager
def _named_rows(table: Table) -> Iterator[None]:
    """Errors about rows by their numbers become errors about their identifiers."""
    try:
        yield
    except ValueError as error:
        if table.ids is None or type(error) is not ValueError:
            raise
        names = next(iter(row_names(table).values()))
        text = _ROW.sub(lambda found: f"row {shown(names[int(found[1])])}", str(error))
        raise ValueError(text) from error


def _calibrated(examination: Examination, answers: AnswerTable) -> Examination:
    """The examination with these answers, and with those that calibrated it before."""
    inclusion = answers.inclusion
    if inclusion is not None and not np.isfinite(inclusion).all():
        raise ValueError(
            f"answer: {np.count_nonzero(~np.isfinite(inclusion))} of {len(answers)} rows were not "
            "drawn at random, and cannot calibrate. Leave them out, or use the answers to fit "
            "again."
        )
    if examination.answers is None:
        return examination.with_answers(answers.rows, answers.labels, inclusion=inclusion)
    before = examination.answers
    is_uniform = before.is_uniform and (inclusion is None or np.ptp(inclusion) == 0)
    if not is_uniform:
        raise ValueError(
            "answer: rows that were drawn with different probabilities cannot be joined with "
            "earlier ones. Give all answers together to a new fit."
        )
    rows = np.concatenate([before.rows, answers.rows])
    labels = [*examination._named(before).tolist(), *np.asarray(answers.labels).tolist()]
    return without_answers(examination).with_answers(rows, labels)
