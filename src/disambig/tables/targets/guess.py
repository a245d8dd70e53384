"""Which kind of target one column holds, and how it is written; asks back if that is unclear."""

from itertools import pairwise
from typing import Any

import numpy as np

from disambig.candidates.look_alikes import joined_labels, spelling, written_sets
from disambig.tables.number_texts import NumberTexts, parsed_texts, plain_numbers
from disambig.tables.source import Source, shown
from disambig.tables.targets.label_texts import (
    bracketed,
    is_negative,
    label_parts,
    without_negation,
)
from disambig.tables.targets.options import TargetOptions
from disambig.tables.targets.orders import order_text
from disambig.tables.targets.target import TargetFormat
from disambig.tables.values import Values

# Whole numbers up to this one are codes of classes if few are left out; more distinct ones than
# the second are no codes.
_MAX_CODE, _MIN_DISTINCT_NUMBERS = 30, 50
# More bands than this are no classes.
_MAX_BANDS = 20
# More half-lines than this are bounds of numbers.
_MAX_HALF_LINES = 5
# Beside "a|b", which nobody writes inside one label.
_SEPARATORS = (";", ",", " or ")
_PLAIN_SIGNS = frozenset("0123456789-–—+ to.")


def column_format(values: Values, options: TargetOptions, source: Source) -> TargetFormat:
    """How the target of one column is written: as the options say, else guessed."""
    if not values.values:
        raise source.error("no row says anything about the target.", None, values.column)
    kind, reason = (options.kind, "") if options.kind else _kind(values, options, source)
    base = TargetFormat(
        str(kind), (values.column,), "", missing=options.missing, names=options.classes
    )
    if kind == "numbers":
        return _with(base, values, reason, "numbers or intervals", notation="texts")
    if kind == "orders":
        separator = options.separator or ">"
        return _with(
            base,
            values,
            reason,
            "orders of items",
            notation="chains",
            separator=separator,
            case_sensitive=options.case_sensitive,
        )
    if kind == "bits":
        raise source.error(
            "bits need one column a tag. Name all columns of tags.", None, values.column
        )
    return _label_format(base, values, options, reason, source)


def _with(
    base: TargetFormat, values: Values, reason: str, what: str, **fields: Any
) -> TargetFormat:
    because = f", because {reason}" if reason else ", as was set"
    sentence = f"Column {shown(values.column)} holds {what}{because}."
    return TargetFormat(**{**base.__dict__, **fields, "sentence": sentence})


# ---------------------------------------------------------------------- kinds


def _kind(values: Values, options: TargetOptions, source: Source) -> tuple[str, str]:
    """The kind of a column and the reason; raises if it may be several."""
    if options.path or options.parents:
        return "labels", "a taxonomy was named"
    if options.decimal:
        return "numbers", "a decimal mark was named"
    if not values.are_texts:
        return _kind_of_objects(values, source)
    texts = values.texts
    chains = [_is_chain(text) for text in texts]
    if any(chains) and options.separator in (None, ">"):
        return _orders_or_labels(values, chains, source)
    if options.separator:
        return "labels", f"the separator {options.separator!r} was named"
    parsed = parsed_texts(texts, None)
    if not isinstance(parsed, NumberTexts):
        # Currencies, units and decimal marks are of numbers, and they contradict each other.
        code = parsed.place
        raise source.error(
            f"{parsed.reason}. Correct it, or pass kind='labels'.",
            int(values.first[code]),
            values.column,
        )
    is_number = np.array([segments is not None for segments in parsed.segments])
    if is_number.all():
        return _numbers_or_labels(values, parsed, source)
    if is_number.mean() >= 0.5 and is_number.sum() > 2:
        code = int(np.argmin(is_number))
        raise source.error(
            f"{shown(texts[code])} is no number, while {is_number.sum()} of {len(texts)} different "
            f"values are: correct it and pass kind='numbers', pass missing=[{texts[code]!r}] if "
            f"it says nothing, or pass kind='labels'.",
            int(values.first[code]),
            values.column,
        )
    return "labels", ""


def _kind_of_objects(values: Values, source: Source) -> tuple[str, str]:
    """The kind of cells that are not all texts: numbers, lists, truth values."""
    found = values.values
    lists = [value for value in found if isinstance(value, tuple)]
    if lists:
        pairs = all(len(v) == 2 and all(_is_real(e) for e in v) for v in lists)
        if not pairs:
            return "labels", "its cells are lists"
        if any(float(e) != int(e) for v in lists for e in v if np.isfinite(e)):
            return "numbers", "its cells are pairs of numbers"
        raise source.error(
            f"{shown(list(lists[0]))} may be the interval from {lists[0][0]} to {lists[0][1]}, or "
            f"a set of labels: pass kind='numbers' or kind='labels'.",
            int(values.first[next(i for i, v in enumerate(found) if isinstance(v, tuple))]),
            values.column,
        )
    if all(_is_real(value) for value in found):
        numbers = plain_numbers(found).tolist()
        if any(number != np.floor(number) for number in numbers):
            return "numbers", "its cells are numbers with a fraction"
        return _codes_or_numbers(values, numbers, source)
    if all(hasattr(value, "left") for value in found):
        return "numbers", "its cells are intervals"
    return "labels", ""


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _codes_or_numbers(values: Values, numbers: list[float], source: Source) -> tuple[str, str]:
    """Whole numbers: codes of classes, or numbers."""
    distinct = set(numbers)
    low, high = min(distinct), max(distinct)
    few = len(distinct) <= 2 or len(distinct) >= (high - low + 1) / 2
    if low + 1 >= 0 and high <= _MAX_CODE and few:
        return (
            "labels",
            f"its values are the {len(distinct)} whole numbers from {low:g} to {high:g}",
        )
    if len(distinct) > _MIN_DISTINCT_NUMBERS:
        return "numbers", f"it has {len(distinct)} different numbers"
    raise source.error(
        f"{shown(values.values[0])} and {len(distinct) - 1} other whole numbers may be numbers, or "
        f"codes of classes: pass kind='numbers' or kind='labels'.",
        int(values.first[0]),
        values.column,
    )


def _numbers_or_labels(values: Values, parsed: NumberTexts, source: Source) -> tuple[str, str]:
    """Texts that are all numbers or intervals: these, or names of bands, or codes."""
    texts, column = values.texts, values.column
    ends = [segments[0] for segments in parsed.segments if segments is not None]
    example = next((t for t, (a, b) in zip(texts, ends, strict=True) if a != b), texts[0])
    reason = f"its {len(texts)} different values are numbers or intervals such as {shown(example)}"
    is_decorated = bool(parsed.unit or parsed.currency)
    if all(a == b for a, b in ends):
        if any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts):
            return "labels", "its numbers have zeros in front"
        if not is_decorated and all(text.lstrip("+-").isdigit() for text in texts):
            return _codes_or_numbers(values, [a for a, _ in ends], source)
        return "numbers", f"its {len(texts)} different values are numbers such as {shown(texts[0])}"
    brackets = [text for text in texts if bracketed(text) is not None]
    if len(brackets) == len(texts) and all(float(e) == e // 1 for pair in ends for e in pair):
        inner = shown(brackets[0])
        raise source.error(
            f"{inner} may be the interval from {ends[0][0]:g} to {ends[0][1]:g}, or a set of "
            f"labels: pass kind='numbers' or kind='labels'.",
            int(values.first[0]),
            column,
        )
    if (not is_decorated and _are_bands(texts, ends)) or _are_few_half_lines(ends):
        code = texts.index(example)
        raise source.error(
            f"{shown(example)} may be the interval {_from_to(*ends[code])}, or a label: pass "
            f"kind='numbers' or kind='labels'.",
            int(values.first[code]),
            column,
        )
    return "numbers", reason


def _are_bands(texts: list[str], ends: list[tuple[float, float]]) -> bool:
    """Whether all texts are bands of whole numbers that do not overlap: 18-25, 26-35, 36+."""
    if len(texts) > _MAX_BANDS or any(a == b for a, b in ends):
        return False
    if not all(set(text) <= _PLAIN_SIGNS for text in texts) or any("." in text for text in texts):
        return False
    ordered = sorted(ends)
    return all(first[1] <= second[0] for first, second in pairwise(ordered))


def _are_few_half_lines(ends: list[tuple[float, float]]) -> bool:
    """Whether all of few texts are half-lines: "<=50K" and ">50K" may be the names of classes."""
    are_half_lines = all(np.isinf(pair).sum() == 1 for pair in ends)
    return 1 < len(ends) <= _MAX_HALF_LINES and are_half_lines


def _from_to(low: float, high: float) -> str:
    if low == -np.inf:
        return f"up to {high:g}"
    return f"from {low:g} up" if high == np.inf else f"from {low:g} to {high:g}"


def _is_chain(text: str) -> bool:
    """Whether a text is a chain a>b>c; "> 5" is none."""
    parts = [part.strip() for part in order_text(text).replace(";", ">").split(">")]
    return ">" in order_text(text) and all(parts) and "<" not in text


def _orders_or_labels(values: Values, chains: list[bool], source: Source) -> tuple[str, str]:
    """Some texts are chains: orders if the others are single items."""
    texts = [order_text(text) for text in values.texts]
    items = {
        spelling(item)
        for text, chain in zip(texts, chains, strict=True)
        if chain
        for item in text.replace(";", ">").split(">")
    }
    example = shown(next(t for t, chain in zip(values.texts, chains, strict=True) if chain))
    for code, (text, chain) in enumerate(zip(texts, chains, strict=True)):
        if not chain and spelling(text) not in items:
            raise source.error(
                f"{shown(text)} is no order, while {example} may be one: pass kind='orders' or "
                f"kind='labels'.",
                int(values.first[code]),
                values.column,
            )
    tree = _tree(texts, ">")
    # A single item beside chains that begin with it: an order of one item says nothing.
    if tree == "certain" or (tree == "possible" and not all(chains)):
        code = chains.index(True)
        raise source.error(
            f"{example} may be an order, or the path of a label in a taxonomy: pass kind='orders' "
            f"or path='>'.",
            int(values.first[code]),
            values.column,
        )
    return "orders", f"'>' stands between items in it, as in {example}"


# ---------------------------------------------------------------------- labels


def _label_format(
    base: TargetFormat, values: Values, options: TargetOptions, reason: str, source: Source
) -> TargetFormat:
    """How labels are written in one column."""
    fields: dict[str, Any] = {
        "notation": "sets",
        "separator": options.separator,
        "path": options.path,
        "parents": None if options.parents is None else dict(options.parents),
        "case_sensitive": options.case_sensitive,
    }
    _refuse_none(values, options, source)
    texts = values.texts
    what, why = "one label a row", reason
    if not texts:
        what = "sets of labels" if isinstance(values.values[0], tuple) else what
    elif written_sets(texts) and options.separator is None:
        fields["notation"] = "written"
        what, why = "sets of labels", f"they are written as {shown(written_sets(texts)[0])}"
        fields["separator"] = "|" if any("|" in text for text in texts) else None
    elif options.separator is not None:
        what, why = "sets of labels", reason
    else:
        separator, path, why_split = _splitting(values, options, source)
        fields["separator"] = separator
        fields["path"] = options.path or path
        if separator:
            what, why = "sets of labels", why_split
        elif path:
            what, why = "nodes of a taxonomy", why_split
    if fields["path"] or fields["parents"]:
        what = "nodes of a taxonomy"
    fields["negatives"] = _has_negatives(texts, fields)
    if fields["negatives"]:
        text = next(text for text in texts if is_negative(text))
        what = f"{what}, of which {shown(text)} excludes some"
    if not why and not options.kind:
        why = f"it has {len(values.values)} different values that are no numbers and no orders"
    return _with(base, values, why, what, **fields)


def _refuse_none(values: Values, options: TargetOptions, source: Source) -> None:
    """The word "none" may say nothing, or be a class; a word that was not named is unclear."""
    if options.classes is not None or "none" in map(spelling, options.missing or ()):
        return
    for text, n in values.silent.items():
        if spelling(text) == "none":
            raise source.error(
                f"{shown(text)} (rows: {n}) may say nothing, or be a class: pass missing=['none'], "
                f"or classes= with all classes and {shown(text)} among them.",
                values.silent_rows[text],
                values.column,
            )


def _has_negatives(texts: list[str], fields: dict[str, Any]) -> bool:
    """Whether "not a" excludes a: other labels must be left. "spam", "not spam" are two labels."""
    if not any(map(is_negative, texts)):
        return False
    written = fields["notation"] == "written"
    found = {
        spelling(label)
        for text in texts
        for label in label_parts(text, fields["separator"], written=written, negatives=True).labels
        if isinstance(label, str)
    }
    return len(found) > 1


def _splitting(
    values: Values, options: TargetOptions, source: Source
) -> tuple[str | None, str | None, str]:
    """The separator of sets, the separator of paths, and the reason."""
    # "not (a or b)" has the separator of "a or b".
    original = {without_negation(text): text for text in values.texts}
    texts = list(original)
    if any("|" in text for text in texts):
        return "|", None, "'|' separates labels in it"
    if options.path or options.parents:
        return None, None, ""
    for separator in _SEPARATORS:
        holding = [text for text in texts if separator in text]
        joined = [text for text, _ in joined_labels(texts, separators=(separator,))]
        if not holding or (not joined and separator != ";"):
            continue
        if len(joined) == len(holding):
            reason = f"{separator.strip()!r} stands between labels that occur elsewhere too"
            return separator, None, reason
        if separator == ";" or len(joined) >= len(holding) / 2:
            odd = next(text for text in holding if text not in joined)
            raise source.error(
                f"{shown(odd)} may be a set of labels, or one label: pass separator={separator!r}, "
                f"or separator='|' for one label.",
                values.row_of(original[odd]),
                values.column,
            )
    return _slashes(values, source)


def _slashes(values: Values, source: Source) -> tuple[str | None, str | None, str]:
    """A slash: the path of a label in a taxonomy, a separator, or a part of a name."""
    texts = values.texts
    holding = [text for text in texts if "/" in text]
    if not holding:
        return None, None, ""
    tree = _tree(texts, "/")
    joined = joined_labels(texts, separators=("/",))
    if tree == "certain":
        return None, "/", f"{shown(holding[0])} and others are paths of one tree"
    if tree == "none" and len(joined) == len(holding):
        return "/", None, "'/' stands between labels that occur elsewhere too"
    if tree == "possible" or joined:
        raise source.error(
            f"{shown(holding[0])} may be a path in a taxonomy, a set of labels, or one label: pass "
            f"path='/', separator='/', or separator='|' for one label.",
            values.row_of(holding[0]),
            values.column,
        )
    return None, None, ""


def _tree(texts: list[str], separator: str) -> str:
    """Whether texts are paths of one tree: "certain", "possible" or "none".

    They are not if a name has two parents, or is a root and has a parent. Sets would do that soon:
    two nodes with two children each, and no such name, are certain enough.
    """
    parents: dict[str, tuple[str, ...]] = {}
    children: dict[tuple[str, ...], set[str]] = {}
    for text in texts:
        levels = tuple(spelling(level) for level in text.split(separator))
        if not all(levels):
            return "none"
        for depth, name in enumerate(levels):
            if parents.setdefault(name, levels[:depth]) != levels[:depth]:
                return "none"
            children.setdefault(levels[:depth], set()).add(name)
    branching = [node for node, below in children.items() if node and len(below) > 1]
    if len(branching) > 1:
        return "certain"
    alone = {(spelling(text),) for text in texts if separator not in text}
    return "possible" if branching or alone & set(children) else "none"
