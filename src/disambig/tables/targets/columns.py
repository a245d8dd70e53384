"""Targets in several columns: which they are, and what they hold together."""

import difflib
import fnmatch
import re
from itertools import takewhile
from typing import Any

import numpy as np

from disambig.candidates.bits.tables import NO, YES
from disambig.exceptions import TableError
from disambig.notation import AnyArray, FloatArray
from disambig.tables.number_texts import point_values
from disambig.tables.source import Source, shown
from disambig.tables.targets.options import TargetOptions
from disambig.tables.targets.target import TargetFormat
from disambig.tables.values import Values

_TARGET_NAMES = ("label", "labels", "target", "targets", "y", "class", "candidates")
_LOWER = r"lower|low|lo|min|minimum|from|start|left|lb"
_UPPER = r"upper|high|hi|max|maximum|to|end|right|ub"
_WORD = r"(?:^|.*[\W_])(?:{})(?:[\W_].*|$)"
_LOWER_NAME = re.compile(_WORD.format(_LOWER), re.IGNORECASE)
_UPPER_NAME = re.compile(_WORD.format(_UPPER), re.IGNORECASE)
_MINUS_ONE = frozenset({"-1", "-1.0"})


def target_columns(names: list[Any], target: Any, source: Source) -> tuple[list[Any], str]:
    """The columns that `target` names, and a sentence if they were guessed.

    Parameters
    ----------
    names : names of all columns
    target : name, pattern such as "tag_*", list of both, or None
    source : Source

    Examples
    --------
    >>> target_columns(["tag_a", "tag_b", "size"], "tag_*", Source())
    (['tag_a', 'tag_b'], '')
    >>> target_columns(["size", "label"], None, Source())
    (['label'], "Column 'label' is the target, by its name.")
    """
    if target is None:
        return _guessed_columns(names, source)
    wanted = [target] if isinstance(target, str) or not hasattr(target, "__iter__") else [*target]
    found: list[Any] = []
    for one in wanted:
        if is_name(one, names):
            found.append(one)
            continue
        is_pattern = isinstance(one, str) and any(sign in one for sign in "*?[")
        matching = [
            name
            for name in names
            if is_pattern and isinstance(name, str) and fnmatch.fnmatchcase(name, one)
        ]
        if not matching:
            raise source.error(missing_columns([one], names))
        found += matching
    if not found:
        raise source.error("no target column was named.")
    return list(dict.fromkeys(found)), ""


def is_name(one: Any, names: list[Any]) -> bool:
    """Whether a value is among the names of columns; lists and arrays never are.

    Examples
    --------
    >>> is_name("size", ["size", "label"]), is_name(["size"], ["size", "label"])
    (True, False)
    """
    try:
        hash(one)
    except TypeError:
        return False
    return one in names


def missing_columns(missing: list[Any], names: list[Any]) -> str:
    """A message about columns that are not there, with what may be meant.

    Examples
    --------
    >>> missing_columns(["lable"], ["size", "label"])
    "there is no column 'lable'; is it 'label'? The columns are 'size', 'label'."
    """
    texts = [str(name) for name in names]
    near = difflib.get_close_matches(str(missing[0]), texts, n=1)
    hint = f"; is it {near[0]!r}?" if near else "."
    listed = ", ".join(map(shown, missing[:5])) + (" and more" if len(missing) > 5 else "")
    known = ", ".join(map(shown, names[:8])) + (
        f", ... {len(names)} in all" if len(names) > 8 else ""
    )
    noun = "column" if len(missing) == 1 else "columns"
    verb = "is" if len(missing) == 1 else "are"
    return f"there {verb} no {noun} {listed}{hint} The columns are {known}."


def has_target_name(names: list[Any]) -> bool:
    """Whether a column is called like a target of labels.

    Examples
    --------
    >>> has_target_name(["size", "Label"]), has_target_name(["size", "place"])
    (True, False)
    """
    return any(str(name).strip().lower() in _TARGET_NAMES for name in names)


def _guessed_columns(names: list[Any], source: Source) -> tuple[list[Any], str]:
    by_name = [name for name in names if str(name).strip().lower() in _TARGET_NAMES]
    if len(by_name) == 1:
        return by_name, f"Column {shown(by_name[0])} is the target, by its name."
    ends = [
        [name for name in names if pattern.fullmatch(str(name))]
        for pattern in (_LOWER_NAME, _UPPER_NAME)
    ]
    if not by_name and len(ends[0]) == len(ends[1]) == 1:
        sentence = (
            f"Columns {shown(ends[0][0])} and {shown(ends[1][0])} are the target, by their names."
        )
        return [ends[0][0], ends[1][0]], sentence
    found = f" {' and '.join(map(shown, by_name))} may be it." if by_name else ""
    raise source.error(
        f"which column is the target?{found} Pass target=; the columns are "
        f"{', '.join(map(shown, names[:30]))}{', ...' if len(names) > 30 else ''}."
    )


def several_format(
    columns: list[Values], options: TargetOptions, source: Source
) -> tuple[TargetFormat, Any]:
    """The format of a target in several columns, and the table of its numbers if it has one."""
    names = tuple(column.column for column in columns)
    base = TargetFormat(
        options.kind or "",
        names,
        "",
        missing=options.missing,
        names=options.classes,
        case_sensitive=options.case_sensitive,
    )
    if not any(column.values for column in columns):
        raise source.error("no row says anything about the target.", None, names[0])
    bits = binary_table(columns)
    if bits is not None and options.kind in (None, "labels", "bits"):
        return _binary_format(base, bits, options, source), bits
    if len(columns) == 2 and options.kind in (None, "numbers"):
        swapped = bool(
            _UPPER_NAME.fullmatch(str(names[0])) and _LOWER_NAME.fullmatch(str(names[1]))
        )
        named = bool(_LOWER_NAME.fullmatch(str(names[0])) and _UPPER_NAME.fullmatch(str(names[1])))
        if named or swapped or options.kind:
            order = names[::-1] if swapped else names
            why = "by their names" if named or swapped else "as was set"
            sentence = (
                f"Columns {shown(order[0])} and {shown(order[1])} are lower and upper ends, {why}."
            )
            return _changed(base, "numbers", "ends", sentence, columns=order), None
    if options.kind == "numbers":
        raise source.error(
            f"numbers need one column, or two with lower and upper ends; got {len(columns)}."
        )
    if options.kind == "bits":
        raise _no_bit(columns, source)
    numbers = _numbers_or_none(columns, source)
    if numbers is not None and options.kind in (None, "orders"):
        return _rank_format(base, numbers, options, source), numbers
    return _text_format(base, options, source), None


def _changed(
    base: TargetFormat, kind: str, notation: str, sentence: str, **fields: Any
) -> TargetFormat:
    new = {"kind": kind, "notation": notation, "sentence": sentence, **fields}
    return TargetFormat(**{**base.__dict__, **new})


def _listed(names: tuple[Any, ...]) -> str:
    return f"The {len(names)} columns from {shown(names[0])} to {shown(names[-1])}"


# ---------------------------------------------------------------------- zeros and ones


def binary_table(columns: list[Values]) -> AnyArray | None:
    """1, 0, -1 for blanks and -2 for a written -1, ``(n, m)`` of int8; None if others occur."""
    table = np.full((len(columns[0].codes), len(columns)), -1, dtype=np.int8)
    for place, column in enumerate(columns):
        bits = [_bit(value) for value in column.values]
        if any(bit is None for bit in bits):
            return None
        table[:, place] = np.array([*bits, -1], dtype=np.int8)[column.codes]
    return table


def _bit(value: Any) -> int | None:
    text = str(value).strip().casefold()
    if text in YES:
        return 1
    if text in NO:
        return 0
    return -2 if text in _MINUS_ONE else None


def _no_bit(columns: list[Values], source: Source) -> Exception:
    for column in columns:
        for code, value in enumerate(column.values):
            if _bit(value) is None:
                return source.error(
                    f"{shown(value)} is neither yes nor no. Write yes, no, 1, 0, x or a blank.",
                    int(column.first[code]),
                    column.column,
                )
    raise AssertionError("all cells are bits")


def _binary_format(
    base: TargetFormat, bits: AnyArray, options: TargetOptions, source: Source
) -> TargetFormat:
    """Zeros and ones: candidate classes, or tags."""
    names = base.columns
    has_yes, has_no, has_blank, has_minus = ((bits == value).any() for value in (1, 0, -1, -2))
    kind, blank, why = options.kind, options.blank, "as was set"
    if has_minus:
        if kind == "labels" or options.zero is None:
            raise source.error(
                "holds -1: pass kind='bits' with zero='absent' (0 is a known 0, -1 is not known), "
                "or zero='unknown' (0 is not known, -1 is a known 0).",
                int(np.argmax((bits == -2).any(axis=1))),
                names[int(np.argmax((bits == -2).any(axis=0)))],
            )
        kind = "bits"
    if has_blank and blank is None and (has_yes != has_no or kind == "labels"):
        row, column = np.argwhere(bits == -1)[0]
        if not (kind == "labels" and (bits == -1).all(axis=1)[(bits == -1).any(axis=1)].all()):
            raise source.error(
                "a blank may mean no, or not known: pass blank='no' or blank='unknown'.",
                int(row),
                names[int(column)],
            )
    if kind is None:
        kind, why = _classes_or_tags(bits, bool(has_blank), blank, names, source)
    notation, what = ("columns", "candidate classes") if kind == "labels" else ("tags", "tags")
    sentence = f"{_listed(names)} are {what}, {why}."
    return _changed(base, kind, notation, sentence, blank=blank, zero=options.zero)


def _classes_or_tags(
    bits: AnyArray, has_blank: bool, blank: str | None, names: tuple[Any, ...], source: Source
) -> tuple[str, str]:
    ones = (bits == 1).sum(axis=1)
    if has_blank and blank != "no":
        return "bits", "because some are neither yes nor no"
    if (ones == 1).all():
        return "labels", "because every row has exactly one of them"
    if (ones == 0).any():
        return "bits", "because some rows have none of them"
    row = int(np.argmax(ones > 1))
    raise source.error(
        f"{ones[row]} of the {len(names)} columns are marked, and none in no row: they may be the "
        f"candidates of one class, or tags: pass kind='labels' or kind='bits'.",
        row,
    )


# ---------------------------------------------------------------------- ranks and texts


def _numbers_or_none(columns: list[Values], source: Source) -> FloatArray | None:
    """The columns as numbers, ``(n, m)``; None if a cell is none."""
    try:
        return np.column_stack([point_values(column, None, source) for column in columns])
    except TableError:
        return None


def _rank_format(
    base: TargetFormat, numbers: FloatArray, options: TargetOptions, source: Source
) -> TargetFormat:
    m, known = numbers.shape[1], ~np.isnan(numbers)
    if np.isinf(numbers).any():
        row, place = np.argwhere(np.isinf(numbers))[0]
        raise source.error("a rank is infinite.", int(row), base.columns[int(place)])
    whole = numbers[known] == np.round(numbers[known])
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    are_ranks = bool(whole.all() and low >= 0 and high <= m and high - low < m)
    ranks, why = options.ranks, "as was set"
    if options.kind is None and not are_ranks:
        raise source.error(
            f"the {m} columns of numbers are neither zeros and ones nor ranks from 1 to {m}: pass "
            f"kind='orders' if smaller numbers stand before larger ones."
        )
    if options.kind is None:
        why = f"because their numbers are from {low:g} to {high:g}"
    if ranks is None:
        counts = known.sum(axis=1)
        incomplete = (counts > 0) & (counts < m)
        span = np.where(known, numbers, -np.inf).max(axis=1) - low + 1
        gaps = incomplete & (span > counts)
        ranks = "places" if are_ranks and gaps.any() else "order"
    meaning = "places among all items" if ranks == "places" else "compared, row by row"
    sentence = f"{_listed(base.columns)} are ranks, {why}; they are {meaning}."
    return _changed(base, "orders", "ranks", sentence, ranks=ranks)


def _text_format(base: TargetFormat, options: TargetOptions, source: Source) -> TargetFormat:
    if options.kind == "labels":
        sentence = f"{_listed(base.columns)} are labels of annotators: a row may have any of them."
        return _changed(base, "labels", "annotators", sentence)
    if options.kind == "orders":
        sentence = f"{_listed(base.columns)} are the best item, the second-best, and so on."
        return _changed(base, "orders", "top", sentence)
    raise source.error(
        f"{_listed(base.columns).lower()} hold texts, which may be the labels of several "
        f"annotators, or the best items in order: pass kind='labels' or kind='orders'."
    )


def short_names(names: tuple[Any, ...]) -> list[str]:
    """The names of classes, items or tags: column names without what all of them begin with.

    Examples
    --------
    >>> short_names(("rank_ann", "rank_bob")), short_names(("cat", "cow"))
    (['ann', 'bob'], ['cat', 'cow'])
    """
    texts = [str(name) for name in names]
    # What the first and the last in alphabetical order share, all of them share.
    low, high = (min(texts), max(texts)) if len(texts) > 1 else ("", "")
    pairs = zip(low, high, strict=False)
    shared = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    end = max(shared.rfind(sign) for sign in "_ .:-/") + 1
    short = [text[end:].strip() for text in texts]
    return short if all(short) and len(set(short)) == len(short) else texts
