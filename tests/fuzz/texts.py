"""Texts close to valid ones, through every parser of texts and lists."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from disambig import Intervals, LabelSets, PartialBits, PartialOrders
from disambig.candidates import ClassCounts, Hierarchy, IntervalUnions, number_sets
from disambig.candidates.reading import is_missing
from disambig.tables import read_target
from disambig.trust import combine_annotations
from tests.fuzz.case import ODD_VALUES, Case, Made
from tests.fuzz.targets import targets
from tests.fuzz.verdict import attempt, expect

WRITTEN: dict[str, list[str]] = {
    "labels": ["a", "b", "c", "A", "a ", "?", ""],
    "sets": ["a|b", "b", "a|b|c", "c|a", "?", ""],
    "commas": ["a, b", "b", "a,b,c", "unknown"],
    "brackets": ["{a, b}", "['a']", "{b}", "[]", "{'c', 'a'}"],
    "negatives": ["not a", "!b", "a", "not a|not b", "b"],
    "paths": ["x/a", "x/b", "y/c", "x", "y"],
    "intervals": ["1-2", "[0, 1]", "> 3", "<= 5", "1.5", "30-40k", "≥ 7", "about 3", "1 to 2"],
    "unions": ["[0, 1] | [2, 3]", "1", "> 5", "1-2 or 4-5", "(0, 1] ∪ [2, ∞)"],
    "units": ["1 kg", "2-3 kg", "500 g", "< 4 kg", "5"],
    "money": ["€ 30,000", "$1.5k", "20.000 €", "> 100,000", "1-2"],
    "commas of numbers": ["1,5", "2,25-3,5", "1.000,5", "4"],
    "errors": ["3 ± 1", "3±0.5", "2 +/- 1", "5"],
    "orders": ["a>b>c", "b>a", "c > a; b > c", "a", ""],
    "places": ["1", "2", "3", "1.5", ""],
    "bits": ["0", "1", "", "yes", "no", "-1"],
    "dates": ["2024-01-31", "2024", "31/01/2024", "2023-12-01"],
}
_SIGNS = list(
    "|;,/<>=~[]{}()-+.!?'\"\\ \t\n\x00±≥∞∪×²½１٣−–—\u200b\u202e\ufeffßİﬁ🙂eEkM%€$#&*_:0123456789ab"
)


def mutated(case: Case, text: str) -> str:
    """The text with a few signs inserted, removed, doubled or exchanged."""
    for _ in range(case.size(1, 4) if case.is_odd(1.0) else 1):
        place = case.random.randrange(len(text) + 1)
        how = case.pick(["insert", "insert", "remove", "double", "swap", "long", "case"])
        if how == "insert":
            text = text[:place] + case.pick(_SIGNS) + text[place:]
        elif how == "remove":
            text = text[:place] + text[place + 1 :]
        elif how == "double":
            text = text + case.pick([text, "|" + text, " " + text, ">" + text, "-" + text])
        elif how == "swap":
            text = text[place:] + text[:place]
        elif how == "long":
            text = text[:place] + case.pick(["9" * 400, "a" * 5000, "(" * 200, "-" * 50, "1e999"])
        else:
            text = text.swapcase()
    return text


def written(case: Case) -> tuple[str, list[Any]]:
    """Rows of texts of one kind, some of them mutated."""
    kind = case.pick(sorted(WRITTEN))
    rows: list[Any] = [case.pick(WRITTEN[kind]) for _ in range(case.size(1, 10))]
    for _ in range(case.size(1, 4) if case.is_odd(1.0) else 1):
        place = case.random.randrange(len(rows))
        odd = case.pick([None, np.nan, 3, 2.5, b"a", ["a"], {"a"}, pd.NA, True])
        rows[place] = odd if case.chance(0.1) else mutated(case, str(rows[place]))
    case.note(f"{kind}: {rows!r:.300}")
    return kind, rows


def text_case(case: Case) -> None:
    """Texts, through the reader of tables and the readers of candidates."""
    _, rows = written(case)
    separator = case.option("separator", ["|", ">", ","], ["", None, 3, "||", " "], 0.3)
    parents = {"a": "x", "b": "x", "c": "y"}
    readers: dict[str, Callable[[], Any]] = {
        "table": lambda: read_target(pd.DataFrame({"label": rows, "x": range(len(rows))}), "label"),
        "table of labels": lambda: _read(rows, "labels"),
        "table of numbers": lambda: _read(rows, "numbers"),
        "table of orders": lambda: _read(rows, "orders"),
        "table of bits": lambda: _read(rows, "bits"),
        "table of paths": lambda: _read(rows, "labels", path="/"),
        "table of parents": lambda: _read(rows, "labels", parents=parents),
        "strings": lambda: LabelSets.from_strings(rows, separator),
        "negatives": lambda: LabelSets.from_negatives(rows, ["a", "b", "c"], separator=separator),
        "hierarchy": lambda: LabelSets.from_hierarchy(rows, parents, separator=separator),
        "labels": lambda: LabelSets.from_any(rows, unlabeled="?"),
        "numbers": lambda: number_sets(rows, case.pick(["error", "whole"])),
        "intervals": lambda: Intervals.from_any(rows),
        "unions": lambda: IntervalUnions.from_any(rows),
        "orders": lambda: PartialOrders.from_strings(rows, separator=separator),
        "any order": lambda: PartialOrders.from_any(rows),
        "bits": lambda: PartialBits.from_any(rows),
    }
    name = case.pick(sorted(readers))
    case.note(name)
    found = attempt(readers[name])
    check_sets(getattr(found, "candidates", found), len(rows))


def _read(rows: list[Any], kind: Any, **options: Any) -> Any:
    frame = pd.DataFrame({"label": pd.Series(rows, dtype=object), "x": range(len(rows))})
    return read_target(frame, "label", kind=kind, **options)


def check_sets(sets: Any, n: int | None = None) -> None:
    """What holds for candidate sets of every kind."""
    expect(n is None or len(sets) == n, "other rows than were given")
    expect(isinstance(repr(sets), str), "no text")
    if isinstance(sets, LabelSets | ClassCounts):
        expect(sets.mask.any(axis=1).all(), "an empty set")
        expect(sets.mask.shape == (len(sets), len(sets.classes)), "a mask of another shape")
        missing = [label for label in sets.classes.tolist() if is_missing(label)]
        expect(not missing, "a class is NaN")
        if sets.weights is not None:
            expect(np.allclose(sets.weights.sum(axis=1), 1.0), "weights do not sum to one")
    elif isinstance(sets, Intervals | IntervalUnions):
        ends = np.stack([sets.lower, sets.upper])
        expect(not np.isnan(ends).any(), "an end is NaN")
        expect((ends[0] <= ends[1]).all(), "ends are swapped")
    elif isinstance(sets, PartialOrders):
        both = sets.before & np.swapaxes(sets.before, 1, 2)
        expect(not both.any(), "an order with a cycle")
    else:
        expect(np.isin(sets.bits, (-1, 0, 1)).all(), "a bit is none of 1, 0 and not known")


# ------------------------------------------------------------------ arrays and lists


def candidates_case(case: Case) -> None:
    """Arrays, lists and frames through the readers of candidates."""
    kind = case.pick(["labels", "numbers", "orders", "bits"])
    # Targets of one kind are also odd targets of the others.
    shown = case.pick(["labels", "numbers", "orders", "bits"]) if case.is_odd(0.3) else kind
    y = targets(case, shown, case.size(1, 10), share=0.9)
    unlabeled = case.option("unlabeled", [None, -1, "?", ["?", -1]], list(ODD_VALUES), 0.3)
    names = case.option(
        "names", [None, None, ["a", "b", "c"], [0, 1, 2]], [*ODD_VALUES, ["a", "a"], [None]], 0.25
    )
    readers: dict[str, dict[str, Callable[[], Any]]] = {
        "labels": {
            "any": lambda: LabelSets.from_any(y, names, unlabeled),
            "mask": lambda: LabelSets.from_mask(y, names, unlabeled),
            "weights": lambda: LabelSets.from_weights(y, names, unlabeled),
            "labels": lambda: LabelSets.from_labels(y, names, unlabeled),
            "sets": lambda: LabelSets.from_sets(y, names, unlabeled),
            "negatives": lambda: LabelSets.from_negatives(y, names, unlabeled),
            "hierarchy": lambda: LabelSets.from_hierarchy(y, _parents(case), names, unlabeled),
            "init": lambda: LabelSets(y, names),
            "counts": lambda: ClassCounts(LabelSets.from_any(y), _bounds(case)),
            "balanced": lambda: ClassCounts.balanced(LabelSets.from_any(y)),
        },
        "numbers": {
            "any": lambda: number_sets(y, case.pick(["error", "whole", "x"]), unlabeled),
            "intervals": lambda: Intervals.from_any(y, "whole", unlabeled),
            "points": lambda: Intervals.from_points(y, unlabeled=unlabeled),
            "centers": lambda: Intervals.from_centers(y, case.pick([1.0, -1, y, "r", np.inf])),
            "bounds": lambda: Intervals.from_bounds(y, case.pick([1.0, np.inf, y, None])),
            "unions": lambda: IntervalUnions.from_any(y, "whole", unlabeled),
            "init": lambda: Intervals(y, names),
        },
        "orders": {
            "any": lambda: PartialOrders.from_any(y, names, unlabeled=unlabeled),
            "places": lambda: PartialOrders.from_any(y, names, ranks="places", unlabeled=unlabeled),
            "error": lambda: PartialOrders.from_any(y, names, "error", unlabeled),
            "scores": lambda: PartialOrders.from_scores(y, names, unlabeled=unlabeled),
            "margin": lambda: PartialOrders.from_scores(y, margin=_value(case)),
            "signs": lambda: PartialOrders.from_signs(y, names, unlabeled),
            "pairs": lambda: PartialOrders.from_pairs(y, names, unlabeled),
            "top": lambda: PartialOrders.from_top_k(y, names, unlabeled),
            "buckets": lambda: PartialOrders.from_buckets(y, names),
        },
        "bits": {
            "any": lambda: PartialBits.from_any(y, names, unlabeled=unlabeled),
            "absent": lambda: PartialBits.from_any(y, names, zero="absent", unlabeled=unlabeled),
            "unknown": lambda: PartialBits.from_any(y, zero=case.pick(["unknown", 0, True])),
            "init": lambda: PartialBits(y, names),
        },
    }
    name = case.pick(sorted(readers[kind]))
    case.note(f"{kind}: {name}")
    check_sets(attempt(readers[kind][name]))


def _value(case: Case) -> Any:
    value = case.pick(ODD_VALUES)
    return value() if isinstance(value, Made) else value


def _bounds(case: Case) -> Any:
    odd = [None, 3, "ab", [], [[0, 1]], [[2, 1]] * 3, [[np.nan, 1]] * 3, [[0, np.inf]] * 3]
    return case.pick([*odd, [[0, 9]] * 3, [[-1, 9]] * 3, [[0.5, 2.5]] * 3, [["a", "b"]] * 3])


def _parents(case: Case) -> Any:
    good = {"a": "x", "b": "x", "c": "y"}
    odd: list[Any] = [{}, {"a": "a"}, {"a": "b", "b": "a"}, [("a", "x")], None, "x", {"a": None}]
    odd += [{"a": []}, {1: "x", "a": 1}, {"a": np.nan}, Hierarchy(good), {("a",): "x"}]
    return case.pick([good, good, *odd])


def annotations_case(case: Case) -> None:
    """What annotators said."""
    labels: list[Any] = ["a", "b", "c", {"a", "b"}, None, np.nan, ("a",), set()]
    odd: list[Any] = [1, "", 2.5, [["a"]], {"a": 1}, pd.NA, b"a", 1j, {None}, object(), [np.nan]]
    n = case.size(0, 8)
    rows: Any = [
        [case.pick(odd) if case.chance(0.05) else case.pick(labels) for _ in range(case.size(0, 4))]
        for _ in range(n)
    ]
    if case.chance(0.3):
        table = [[case.pick(["a", "b", None, np.nan, 1]) for _ in range(3)] for _ in range(n)]
        forms = [np.array(table, dtype=object), pd.DataFrame(table), iter(rows), {"a": rows}]
        rows = case.pick([*forms, np.zeros((n, 3)), np.zeros(n), "rows", None, [1] * n])
    rule = case.option("rule", ["union", "intersection", "majority", "shares"], ["x", None], 0.1)
    classes = case.option("classes", [None, ["a", "b", "c"]], [*ODD_VALUES, ["a", "a"]], 0.15)
    case.note(f"{rows!r:.300}")
    check_sets(attempt(combine_annotations, rows, rule, classes))
