"""Targets as people write them: every kind is read right, or an error says what to pass."""

import json

import numpy as np
import pandas as pd
import pytest

from disambig.candidates import (
    Intervals,
    IntervalUnions,
    LabelSets,
    PartialBits,
    PartialOrders,
)
from disambig.exceptions import TableError
from disambig.tables import (
    TablePlan,
    TargetFormat,
    load_table,
    plan_features,
    read_table,
    read_target,
)
from disambig.tables.reading import raw_table
from disambig.tables.targets.reading import read_formatted

inf = np.inf


def column(values, **options):
    return read_target(pd.DataFrame({"label": values}), "label", **options)


def columns(table, **options):
    return read_target(pd.DataFrame(table), list(table), **options)


def refusal(values, **options):
    with pytest.raises(TableError) as caught:
        (columns if isinstance(values, dict) else column)(values, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def sets(target):
    assert isinstance(target.candidates, LabelSets)
    return [set(one) for one in target.candidates]


class TestLabels:
    @pytest.mark.parametrize(
        "texts",
        [
            ["a|b", "a", "c|b", "b", "c"],
            ["a | b", " a", "c |b", "b ", "c"],
            ["a;b", "a", "c; b", "b", "c"],
            ["a, b", "a", "c,b", "b", "c"],
            ["a or b", "a", "c or b", "b", "c"],
            ["a/b", "a", "b/c", "b", "c"],
            ["['a', 'b']", "['a']", "['c', 'b']", "['b']", "['c']"],
            ['["a", "b"]', '["a"]', '["c","b"]', '["b"]', '["c"]'],
            ["['a' 'b']", "['a']", "['c' 'b']", "['b']", "['c']"],
            ["{a, b}", "{a}", "{c, b}", "{b}", "c"],
            ["{'a', 'b'}", "{'a'}", "{'c', 'b'}", "{'b'}", "{'c'}"],
            ["frozenset({'a', 'b'})", "set(['a'])", "{'c', 'b'}", "('b',)", "{'c'}"],
            ["('a', 'b')", "('a',)", "('c', 'b')", "b", "c"],
            [["a", "b"], ["a"], ["c", "b"], ["b"], ["c"]],
            [("a", "b"), "a", {"c", "b"}, "b", ["c"]],
        ],
        ids=lambda texts: str(texts[0]),
    )
    def test_sets_in_every_syntax(self, texts):
        target = column(texts)
        assert target.kind == "labels"
        assert sets(target) == [{"a", "b"}, {"a"}, {"b", "c"}, {"b"}, {"c"}]
        assert "because" in target.sentence

    def test_single_labels_keep_their_types(self):
        assert column([3, 1, 2]).candidates.classes.tolist() == [1, 2, 3]
        assert column([True, False]).candidates.classes.tolist() == [False, True]
        assert column(["3", 1, 2, "a"]).candidates.classes.tolist() == ["1", "2", "3", "a"]
        assert column(["007", "008"]).candidates.classes.tolist() == ["007", "008"]

    def test_negatives(self):
        target = column(["not a", "b", "c", "!b", "not a|b", "not (a|c)", "a", "not a, not b"])
        assert "'|' separates" in target.sentence
        assert "excludes some" in target.sentence
        found = sets(column(["not a", "b", "c", "! b", "not a|b", "not (a|c)", "a"]))
        assert found == [{"b", "c"}, {"b"}, {"c"}, {"a", "c"}, {"c"}, {"b"}, {"a"}]

    def test_not_spam_is_a_label_beside_spam(self):
        assert sets(column(["spam", "not spam", "spam"])) == [{"spam"}, {"not spam"}, {"spam"}]

    def test_a_row_that_excludes_everything(self):
        assert "excludes every class" in refusal(["a", "b", "not a|b"])

    def test_spellings_are_merged_to_the_most_frequent(self):
        target = column(["cat", "Cat", "CAT ", "cat|Dog", "dog", "dog"])
        assert target.candidates.classes.tolist() == ["cat", "dog"]
        assert target.merged == {"Cat": "cat", "CAT": "cat", "Dog": "dog"}
        assert "'Cat' as 'cat'" in target.notes[1]
        apart = column(["cat", "Cat"], case_sensitive=True)
        assert apart.candidates.classes.tolist() == ["Cat", "cat"]

    def test_a_set_with_another_separator_is_named(self):
        texts = ["cat|dog", "dog", "cat/dog", "dog or cow", "cow|cat"]
        note = column(texts).notes[1]
        assert note == (
            "'cat/dog', 'dog or cow' are one label each, though their parts are labels too: if "
            "they are sets, write '|' for '/', 'or'."
        )
        classes = ["cat", "dog", "cow", "cat/dog", "dog or cow"]
        assert len(column(texts, classes=classes).notes) == 1
        assert len(column(["cat|dog", "dog", "and/or", "cat"]).notes) == 1

    def test_named_classes_decide_the_spelling(self):
        target = column(["cat", "cat", "CAT"], classes=["CAT", "DOG"])
        assert target.candidates.classes.tolist() == ["CAT", "DOG"]
        message = refusal(["cat", "cow"], classes=["CAT", "DOG"])
        assert message == "row 1, column 'label': 'cow' is not among the 2 classes."

    @pytest.mark.parametrize(
        "word",
        [
            *("", " ", "?", "unknown", "Unknown", "N/A", "NA", "-", "don't know"),
            *("Prefer not to say", None, np.nan),
        ],
    )
    def test_words_that_say_nothing(self, word):
        target = column(["a", "b", word, "c"])
        assert sets(target)[2] == {"a", "b", "c"}
        assert target.uninformative.tolist() == [False, False, True, False]
        assert target.notes[-1] == "1 of 4 rows say nothing about the target."

    def test_a_dash_beside_a_plus_is_a_label(self):
        assert sets(column(["+", "-"])) == [{"+"}, {"-"}]

    def test_words_may_be_named(self):
        assert sets(column(["a", "b", "?"], missing=[]))[2] == {"?"}
        assert sets(column(["a", "b", "x"], missing=["X"]))[2] == {"a", "b"}
        message = refusal(["a", "b", "None"])
        assert message.startswith("row 2, column 'label': 'None' (rows: 1) may say nothing, or be")
        assert sets(column(["a", "none"], missing=[]))[1] == {"none"}
        assert sets(column(["a", "b", "none"], missing=["none"]))[2] == {"a", "b"}

    def test_words_that_say_nothing_inside_sets(self):
        assert "'a|?' has '?', which says nothing" in refusal(["a|?", "b"])
        assert "'a|' has an empty part" in refusal(["a|", "b"])
        assert "'[]' has no candidate" in refusal(["['a', 'b']", "[]"])
        assert column(["['a', 'b']", "[]"], missing=["[]"]).uninformative.tolist() == [True, True]

    def test_names_with_commas_are_names(self):
        target = column(["Paris, France", "Lyon, France", "Rome, Italy"])
        assert target.candidates.n_classes == 3

    def test_paths_of_a_taxonomy(self):
        texts = ["animal/dog", "animal/cat", "plant/oak", "plant/elm", "animal", "Plant / oak"]
        target = column(texts)
        assert target.candidates.classes.tolist() == ["cat", "dog", "elm", "oak"]
        assert sets(target)[4] == {"cat", "dog"}
        assert sets(target)[5] == {"oak"}
        assert "taxonomy" in target.sentence
        # The same last level in two branches: the whole path is the name.
        twice = column(["a/x", "a/y", "b/x", "b/y", "a"], path="/")
        assert twice.candidates.classes.tolist() == ["a/x", "a/y", "b/x", "b/y"]
        both = column(["a/x|b", "a/y", "b/z", "b/w"], path="/")
        assert sets(both)[0] == {"x", "z", "w"}

    def test_a_taxonomy_that_is_given(self):
        parents = {"cat": "mammal", "dog": "mammal", "bee": "insect"}
        target = column(["Mammal", "bee", "?"], parents=parents)
        assert sets(target) == [{"cat", "dog"}, {"bee"}, {"cat", "dog", "bee"}]
        assert "which is not a node" in refusal(["fish"], parents=parents)

    def test_a_sign_of_orders_among_labels(self):
        assert "pass kind='orders' or kind='labels'" in refusal(["a>b", "c", "d"])

    def test_a_column_without_anything(self):
        assert "no row says anything" in refusal([None, "", "?"])


class TestQuestions:
    """What may be several things: the message shows them, and each of them can be set."""

    @pytest.mark.parametrize(
        ("values", "parts", "ways"),
        [
            (
                ["30-40", "40-50", "50+"],
                ["'30-40' may be the interval from 30 to 40, or a label"],
                [{"kind": "numbers"}, {"kind": "labels"}],
            ),
            (
                ["<=50K", ">50K", "<=50K"],
                ["'<=50K' may be the interval up to 50000, or a label"],
                [{"kind": "numbers"}, {"kind": "labels"}],
            ),
            (
                ["> 5 years", "< 5 years", "> 5 years"],
                ["'> 5 years' may be the interval from 5 up, or a label"],
                [{"kind": "numbers"}, {"kind": "labels"}],
            ),
            (
                ["3", "5", "1000", "77"],
                ["'3' and 3 other whole numbers may be numbers, or codes"],
                [{"kind": "numbers"}, {"kind": "labels"}],
            ),
            (
                ["[1, 2]", "[2, 3]"],
                ["'[1, 2]' may be the interval from 1 to 2, or a set of labels"],
                [{"kind": "numbers"}, {"kind": "labels"}],
            ),
            (
                [[1, 2], [2, 3]],
                ["[1, 2] may be the interval from 1 to 2, or a set of labels"],
                [{"kind": "numbers"}, {"kind": "labels"}],
            ),
            (
                ["1.200", "2.500"],
                ["'1.200' may be 1.200 or 1200: pass decimal='.' or decimal=','"],
                [{"decimal": "."}, {"decimal": ","}, {"kind": "labels"}],
            ),
            (
                ["$1.234", "$5.678"],
                ["'$1.234' may be 1.234 or 1234"],
                [{"decimal": "."}, {"decimal": ","}],
            ),
            (
                ["x", "1", "2.5", "3"],
                ["'x' is no number, while 3 of 4 different values are"],
                [{"missing": ["x"]}, {"kind": "labels"}],
            ),
            (
                ["cat/dog", "cat/cow", "fox"],
                ["'cat/dog' may be a path in a taxonomy, a set of labels, or one label"],
                [{"path": "/"}, {"separator": "/"}, {"separator": "|"}],
            ),
            (
                ["a;b", "c"],
                ["'a;b' may be a set of labels, or one label"],
                [{"separator": ";"}, {"separator": "|"}],
            ),
            (
                ["animal > dog", "animal > cat", "plant > oak", "plant > elm"],
                ["may be an order, or the path of a label"],
                [{"kind": "orders"}, {"path": ">"}],
            ),
            (["3 kg", "200 g"], ["'200 g' has another unit than 'kg'"], [{"kind": "labels"}]),
            (["$3", "€4"], ["'€4' has another currency than '$'"], [{"kind": "labels"}]),
            (["1.5", "1,5"], ["'1,5' has a decimal comma, and '1.5' a"], [{"kind": "labels"}]),
            (
                ["a>b", "c>a", "d"],
                ["'d' is no order, while 'a>b' may be one"],
                [{"kind": "orders"}],
            ),
            (
                {"x": [1, 0, 1], "y": [1, 1, 0]},
                ["may be the candidates of one class, or tags"],
                [{"kind": "labels"}, {"kind": "bits"}],
            ),
            (
                {"x": ["x", "", ""], "y": ["", "x", ""]},
                ["a blank may mean no, or not known"],
                [{"blank": "no"}, {"blank": "unknown"}, {"blank": "no", "kind": "labels"}],
            ),
            (
                {"x": [1, -1], "y": [0, 1]},
                ["holds -1", "zero='absent'", "zero='unknown'"],
                [{"zero": "absent"}, {"zero": "unknown"}],
            ),
            (
                {"first": ["cat", "dog"], "second": ["dog", "cow"]},
                ["labels of several annotators, or the best items in order"],
                [{"kind": "labels"}, {"kind": "orders"}],
            ),
            (
                {"u": [1.5, 2.5], "v": [3.5, 4.5], "w": [1.0, 2.0]},
                ["neither zeros and ones nor ranks"],
                [{"kind": "orders"}],
            ),
        ],
        ids=str,
    )
    def test_every_way_out_works(self, values, parts, ways):
        message = refusal(values)
        for part in parts:
            assert part in message
        for way in ways:
            target = (columns if isinstance(values, dict) else column)(values, **way)
            n = len(next(iter(values.values()))) if isinstance(values, dict) else len(values)
            assert len(target) == n


class TestNumbers:
    @pytest.mark.parametrize(
        ("text", "ends"),
        [
            ("30-40k", (30000, 40000)),
            ("> 100,000 €", (100000, inf)),
            ("5 ± 2", (3, 7)),
            ("30–40", (30, 40)),
            ("<5", (-inf, 5)),
            ("1.2e3", (1200, 1200)),
            ("10 to 20", (10, 20)),
            ("[10, 20)", (10, 20)),
            ("at least 65", (65, inf)),
            ("$1,200.50", (1200.5, 1200.5)),
            ("1 200", (1200, 1200)),
            ("-3", (-3, -3)),
        ],
    )
    def test_one_text(self, text, ends):
        # The second row makes the kind clear, the third says nothing.
        target = column([text, "0.5", "unknown"])
        assert isinstance(target.candidates, Intervals)
        assert list(target.candidates) == [ends, (0.5, 0.5), (-inf, inf)]
        assert target.uninformative.tolist() == [False, False, True]
        assert target.texts.tolist() == [text, "0.5", "unknown"]

    def test_units_of_a_column(self):
        assert list(column(["3 kg", "4-5 kg", "< 6 KG", "7"]).candidates) == [
            (3, 3),
            (4, 5),
            (-inf, 6),
            (7, 7),
        ]
        assert list(column(["1 year", "2.5 years"]).candidates) == [(1, 1), (2.5, 2.5)]

    def test_european_numbers(self):
        target = column(["1.200,50", "2.500", "> 3.000 €"])
        assert list(target.candidates) == [(1200.5, 1200.5), (2500, 2500), (3000, inf)]
        assert target.format.decimal == ","

    def test_three_decimals_of_a_program(self):
        target = column(["1.234", "5.678", "2.100"])
        assert target.candidates.lower.ravel().tolist() == [1.234, 5.678, 2.1]

    def test_numbers_and_unions(self):
        assert list(column([1.5, 2.5, None]).candidates)[2] == (-inf, inf)
        unions = column(["1-2 | 5-6.5", "3"])
        assert isinstance(unions.candidates, IntervalUnions)
        assert unions.candidates[0] == ((1, 2), (5, 6.5))
        intervals = column(pd.arrays.IntervalArray.from_tuples([(0, 1), (2, 3)]))
        assert list(intervals.candidates) == [(0, 1), (2, 3)]
        pairs = column([[0.5, 1], [2, 3.5]])
        assert list(pairs.candidates) == [(0.5, 1), (2, 3.5)]

    def test_many_whole_numbers_are_numbers(self):
        target = column([str(7 * k) for k in range(60)])
        assert (target.kind, target.candidates.is_point.all()) == ("numbers", True)
        assert column([5 * k for k in range(60)]).kind == "numbers"

    def test_errors_have_the_row(self):
        message = refusal(["3-5", "about 5"], kind="numbers")
        assert message.startswith("row 1, column 'label': 'about 5' is no number or interval.")
        message = refusal(["3-5", "5", "5-3"], kind="numbers")
        assert message.startswith("row 2, column 'label': has its lower end 5.0 above")

    def test_two_columns(self):
        table = {"y_low": ["1", "", "?"], "y_high": ["1,000", "5", None]}
        target = columns(table)
        assert list(target.candidates) == [(1, 1000), (-inf, 5), (-inf, inf)]
        assert (
            target.sentence
            == "Columns 'y_low' and 'y_high' are lower and upper ends, by their names."
        )
        swapped = read_target(pd.DataFrame(table), ["y_high", "y_low"])
        assert list(swapped.candidates) == list(target.candidates)
        assert target.texts.shape == (3, 2)
        plain = columns({"a": [1.5, 2.0], "b": [2.5, np.inf]}, kind="numbers")
        assert list(plain.candidates) == [(1.5, 2.5), (2, inf)]

    def test_errors_of_two_columns(self):
        message = refusal({"lower": [1, 5], "upper": [2, 3]})
        assert message.startswith("row 1, column 'lower': the lower end 5 is above the upper end 3")
        message = refusal({"lower": ["1", "2"], "upper": ["2", "x"]})
        assert message == "row 1, column 'upper': 'x' is no number."
        assert "got 3" in refusal({"a": [1], "b": [2], "c": [3]}, kind="numbers")


class TestOrders:
    def test_chains(self):
        target = column(["a>b>c", "C > a", "b", "?", "a ≻ b; a > c"])
        assert isinstance(target.candidates, PartialOrders)
        assert target.candidates.items.tolist() == ["a", "b", "c"]
        assert target.candidates[0] == {("a", "b"), ("a", "c"), ("b", "c")}
        assert target.candidates[1] == {("c", "a")}
        assert target.candidates[4] == {("a", "b"), ("a", "c")}
        assert target.uninformative.tolist() == [False, False, True, True, False]
        assert target.merged == {"C": "c"}

    def test_another_separator(self):
        target = column(["a,b,c", "c,a"], kind="orders", separator=",")
        assert target.candidates[1] == {("c", "a")}

    def test_errors_have_the_row(self):
        message = refusal(["a>b", "b>c", "c>a>c"])
        assert message.startswith("row 2, column 'label': contradicts itself")
        assert "row 1, column 'label'" in refusal(["a>b", "a>>b"], kind="orders")

    def test_rank_columns(self):
        table = {"rank_a": ["1", "2", ""], "rank_b": ["2", "1", "1"], "rank_c": ["3", "3", "2"]}
        target = columns(table)
        assert target.candidates.items.tolist() == ["a", "b", "c"]
        assert target.format.ranks == "order"
        assert target.candidates[2] == {("b", "c")}
        assert "compared, row by row" in target.sentence

    def test_ranks_with_gaps_are_places(self):
        table = {"a": ["1", ""], "b": ["2", "1"], "c": ["3", "3"]}
        target = columns(table)
        assert target.format.ranks == "places"
        assert target.candidates[1] == {("b", "a"), ("a", "c"), ("b", "c")}
        assert columns(table, ranks="order").candidates[1] == {("b", "c")}

    def test_best_items(self):
        target = columns({"1st": ["cat", "dog", "dog"], "2nd": ["Dog", "", "?"]}, kind="orders")
        assert target.candidates[0] == {("cat", "dog")}
        assert target.candidates[1] == {("dog", "cat")}
        assert "twice" in refusal({"1st": ["cat"], "2nd": ["cat"]}, kind="orders")


class TestColumns:
    def test_tags(self):
        target = columns({"tag_x": ["yes", "no", ""], "tag_y": ["N", "TRUE", "?"]})
        assert isinstance(target.candidates, PartialBits)
        assert target.candidates.tags.tolist() == ["x", "y"]
        assert target.candidates.bits.tolist() == [[1, 0], [0, 1], [-1, -1]]
        assert target.uninformative.tolist() == [False, False, True]

    def test_one_hot(self):
        target = columns({"is_cat": ["1", "0"], "is_dog": ["0", "1"]})
        assert sets(target) == [{"cat"}, {"dog"}]
        assert "because every row has exactly one" in target.sentence

    def test_candidate_columns(self):
        table = {"cat": [1, 0, 1], "dog": [1, 1, 0]}
        assert sets(columns(table, kind="labels")) == [{"cat", "dog"}, {"dog"}, {"cat"}]
        blank = {"cat": ["x", "", "no"], "dog": ["", "", "x"]}
        assert sets(columns(blank, kind="labels", blank="no")) == [
            {"cat"},
            {"cat", "dog"},
            {"dog"},
        ]
        assert sets(columns(blank, kind="labels", blank="unknown"))[0] == {"cat", "dog"}
        message = refusal({"a": [1, 0], "b": [1, 0]}, kind="labels")
        assert message.startswith("row 1: no class is a candidate.")

    def test_rows_without_any_are_tags(self):
        target = columns({"a": [1, 0, 1], "b": [1, 0, 0]})
        assert target.kind == "bits"
        assert "because some rows have none" in target.sentence

    def test_minus_one(self):
        table = {"x": [1, -1], "y": [0, 1]}
        assert columns(table, zero="absent").candidates[1] == {"y": 1}
        assert columns(table, zero="unknown").candidates[1] == {"x": 0, "y": 1}

    def test_no_bit(self):
        message = refusal({"x": ["1", "0"], "y": ["1", "maybe"]}, kind="bits")
        assert message.startswith("row 1, column 'y': 'maybe' is neither yes nor no.")

    def test_annotators(self):
        table = {"first": ["cat", "dog", ""], "second": ["Dog", "dog", None]}
        target = columns(table, kind="labels")
        assert sets(target) == [{"cat", "dog"}, {"dog"}, {"cat", "dog"}]

    def test_patterns_and_names(self):
        frame = pd.DataFrame({"tag_a": ["yes", ""], "tag_b": ["no", "yes"], "size": [1, 2]})
        assert read_target(frame, "tag_*").columns == ("tag_a", "tag_b")
        with pytest.raises(TableError, match=r"there is no column 'tag_c'; is it 'tag_[ab]'"):
            read_target(frame, "tag_c")
        with pytest.raises(TableError, match="which column is the target"):
            read_target(frame)
        guessed = read_target(pd.DataFrame({"size": [1, 2], "Label": ["a", "b"]}))
        assert guessed.sentence.startswith("Column 'Label' is the target, by its name. Column")
        guessed = read_target(pd.DataFrame({"y_min": [1], "y_max": [2], "size": [0]}))
        assert guessed.columns == ("y_min", "y_max")
        with pytest.raises(TableError, match="'label' and 'y' may be it"):
            read_target(pd.DataFrame({"label": ["a"], "y": ["b"]}))


class TestOptions:
    @pytest.mark.parametrize(
        "options",
        [
            {"kind": "label"},
            {"decimal": ";"},
            {"blank": "maybe"},
            {"kind": "numbers", "separator": "|"},
            {"kind": "labels", "decimal": ","},
            {"path": "/", "parents": {"a": "b"}},
            {"classes": "ab"},
            {"missing": "?"},
            {"case_sensitive": "no"},
            {"separator": ""},
        ],
        ids=str,
    )
    def test_no_option_is_ignored(self, options):
        with pytest.raises(ValueError, match="read_target: "):
            column(["a", "b"], **options)

    def test_bits_need_columns(self):
        assert "one column a tag" in refusal(["yes", "no"], kind="bits")


class TestFormat:
    @pytest.mark.parametrize(
        "table",
        [
            {"label": ["a|b", "A", "a", "c"]},
            {"label": ["x/a", "x/b", "y/c", "y/d"]},
            {"label": ["1.200,50", "2.500"]},
            {"label": ["a>b>c", "c>a"]},
            {"p": ["1", "2"], "q": ["2", "1"], "r": ["3", "3"]},
            {"p": ["yes", "no"], "q": ["", "yes"]},
            {"lower": ["1", "2"], "upper": ["2", ""]},
        ],
        ids=str,
    )
    def test_a_format_reads_the_next_table(self, table):
        frame = pd.DataFrame(table)
        first = columns(table)
        stored = TargetFormat.from_dict(json.loads(json.dumps(first.format.to_dict())))
        assert stored == first.format
        again = read_formatted(raw_table(frame.iloc[::-1]), stored)
        assert again.candidates == first.candidates[np.arange(len(frame))[::-1]]

    def test_new_labels_are_refused(self):
        format_ = column(["a", "b"]).format
        with pytest.raises(TableError, match="row 0, column 'label': 'z' is not among"):
            read_formatted(raw_table(pd.DataFrame({"label": ["z"]})), format_)
        with pytest.raises(TableError, match="there is no column 'label'"):
            read_formatted(raw_table(pd.DataFrame({"x": ["z"]})), format_)


class TestFoundByRandomTables:
    """Each of these once ended in an error that was not ours."""

    def test_integers_beyond_floats(self):
        # Older versions of pandas cannot find the type of such a column.
        for cells, options in (([10**400, 2], {"kind": "numbers"}), ([10**400, 2.5], {})):
            assert "overflows" in refusal(pd.Series(cells, dtype=object), **options)

    def test_lists_among_labels_of_annotators(self):
        message = refusal({"a": [["x"], "y"], "b": ["x", "y"]}, kind="labels")
        assert message == "row 0, column 'a': ['x'] is a list; expected one label."

    def test_a_list_beside_numbers_of_numpy(self):
        assert "[1, 2] may be the interval" in refusal([np.int8(2), [1, 2]])

    def test_infinite_ranks(self):
        message = refusal({"a": ["1", "inf"], "b": ["2", "1"]}, kind="orders")
        assert message == "row 1, column 'a': a rank is infinite."

    def test_paths_outside_the_classes(self):
        message = refusal(["x/a", "x/b"], path="/", classes=["a"])
        assert "has the candidate 'b', which is not among the classes" in message

    @pytest.mark.parametrize(
        "options", [{"blank": "no"}, {"zero": "absent"}, {"ranks": "order"}], ids=str
    )
    def test_options_of_other_targets(self, options):
        with pytest.raises(ValueError, match="does not apply here: the target is read as labels"):
            column(["a", "b"], **options)


def test_errors_of_files_have_the_line(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text('note,label\n"two\nlines",3\nx,1.5\ny,five\n')
    with pytest.raises(TableError) as caught:
        read_target(read_table(path), "label", kind="numbers")
    assert str(caught.value).startswith(f"{path}, line 5, column 'label': 'five' is no number")
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(path), 5, "label")


@pytest.mark.parametrize(
    ("first", "same", "other", "part"),
    [
        ({"y": ["4.1 kg", "3-5 kg"]}, ["3", "4 kg"], ["", "1500 g"], "'g'; expected 'kg'"),
        ({"y": ["$5", "$6-7.5"]}, ["$3", "4 USD"], ["?", "3-4 €"], "'€'; expected '$'"),
        ({"lo": ["1 kg"], "hi": ["2.5 kg"]}, ["3", "4 kg"], ["", "1500 g"], "'g'; expected 'kg'"),
    ],
)
def test_another_unit_in_the_next_table_is_refused(first, same, other, part):
    format_ = TargetFormat.from_dict(json.loads(json.dumps(columns(first).format.to_dict())))
    again = read_formatted(raw_table(pd.DataFrame(dict.fromkeys(first, same))), format_)
    assert [list(ends) for ends in again.candidates] == [[3, 3], [4, 4]]
    assert again.format.unit == format_.unit
    with pytest.raises(TableError, match=f"row 1, column '{next(iter(first))}'") as caught:
        read_formatted(raw_table(pd.DataFrame(dict.fromkeys(first, other))), format_)
    assert part in str(caught.value)


def test_two_columns_have_one_unit():
    assert "another unit than 'kg'" in refusal({"low": ["1 kg"], "high": ["1500 g"]})


def test_named_words_are_added_to_the_usual_ones():
    table = {
        "size": ["1.5", "NA", "2.5"],
        "colour": ["red", "NA", "blue"],
        "label": ["a", "b", "prefer not to say"],
    }
    read = load_table(pd.DataFrame(table), "label", missing=["prefer not to say"])
    assert sets(read.target)[2] == {"a", "b"}
    assert read.X["colour"].tolist() == ["red", "", "blue"]
    again = TablePlan.from_dict(json.loads(json.dumps(read.plan.to_dict()))).read(read.raw)
    assert again.X.equals(read.X)
    blanks_only = plan_features(pd.DataFrame(table), features=["colour"], missing=[])
    assert blanks_only.read(pd.DataFrame(table))["colour"].tolist() == ["red", "na", "blue"]


def test_a_class_called_none():
    texts = ["a", "none", "?", "a|none"]
    assert "may say nothing, or be a class" in refusal(texts)
    assert "may say nothing, or be a class" in refusal(texts, missing=["?"])
    found = column(texts, classes=["a", "none", "c"])
    assert sets(found) == [{"a"}, {"none"}, {"a", "none", "c"}, {"a", "none"}]
    again = read_formatted(raw_table(pd.DataFrame({"label": ["None", "?"]})), found.format)
    assert sets(again) == [{"none"}, {"a", "none", "c"}]


def test_the_half_lines_of_uci_adult_as_labels():
    found = column(["<=50K", ">50K", "<=50K"], kind="labels")
    assert sets(found) == [{"<=50K"}, {">50K"}, {"<=50K"}]


def test_many_half_lines_are_intervals():
    assert column([f"> {n}" for n in range(6)]).kind == "numbers"


def test_cells_of_labels_have_origins():
    found = column(["cat", "cat|dog", "not cat", "", "dog", "not cat"])
    expected = ["label", "set", "not", "unlabeled", "label", "not"]
    assert found.candidates.origins.tolist() == expected
    found = column(["animal/cat", "animal", "animal/dog|animal/cat", "plant/oak"], path="/")
    assert found.candidates.origins.tolist() == ["label", "node", "set", "label"]


def test_tags_that_are_never_no_are_named():
    table = {"a": ["yes", "", "Y"], "b": ["no", "y", ""], "c": ["", "n", ""], "d": ["x"] * 3}
    notes = columns(table, kind="bits").notes
    assert notes[1].startswith("'a': always 'yes' where it is filled in, so that nothing says")
    assert notes[2].startswith("'c': always 'no' where it is filled in")
    assert "tag_frequencies" in notes[1]
    assert len(notes) == 4


@pytest.mark.parametrize("zero", ["0,000", "> 0,000", "0.000"])
def test_a_zero_says_nothing_about_the_decimal_mark(zero):
    # "0,000" is zero with either mark; as a decimal comma it would make 15.36 of 15,360.
    found = column(["$15,360", "30-40k", zero, "20,000"], kind="numbers").candidates
    assert found.hull.lower.ravel().tolist() == [15360, 30000, 0, 20000]


def test_blank_cells_are_named_as_such():
    notes = load_table(pd.DataFrame({"x": [1, 2, 3, 4, 5], "y": ["a", "", "b", "?", "a|b"]}), "y")
    assert "These words say nothing: '?' (rows: 1). Blank cells say nothing (rows: 1)." in (
        notes.notes
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,5 Mio €", 1.5e6), ("2 Million €", 2e6), ("3 Mrd. €", 3e9), ("5 TSD €", 5e3), ("7 €", 7.0)],
)
def test_words_for_millions_in_any_case(text, value):
    # As a unit "Mio" would make 1.5 of it, beside 800000.
    found = column([text, "800.000 €", "1,25 €"], kind="numbers").candidates
    assert found.hull.lower[0, 0] == pytest.approx(value)
    assert found.hull.lower[1, 0] == 800_000


def test_a_root_beside_paths_is_no_order():
    message = refusal(["animal > dog", "animal > cat", "animal"])
    assert "kind='orders' or path='>'" in message
    nodes = column(["animal > dog", "animal > cat", "animal"], path=">").candidates
    assert nodes[2] == {"cat", "dog"}
    assert column(["a>b", "b>a", "a"]).kind == "orders"


def test_negations_have_the_separator_of_sets():
    found = column(["not (cat or dog)", "not cat", "cat", "dog", "cow", "!(dog or cow)"])
    assert found.candidates.classes.tolist() == ["cat", "cow", "dog"]
    assert [found.candidates[row] for row in (0, 1, 5)] == [{"cow"}, {"cow", "dog"}, {"cat"}]


@pytest.mark.parametrize(
    ("values", "note"),
    [
        (["cat & dog", "cat", "dog"], "write '|' for '&'"),
        ([0, 1, 2, -1], "-1 is a class"),
        (["cat:0.7|dog:0.3", "cat"], "'cat:0.7', 'dog:0.3': the number is a part of the label"),
        (["cat (70 %)", "cat"], "'cat (70 %)': the number"),
    ],
)
def test_classes_that_may_be_none_are_named(values, note):
    assert any(note in text for text in column(values).notes)


@pytest.mark.parametrize("values", [[-1, 1, 1], [-1, 0, 1], ["Rome (3)", "a=1"], ["a&b", "c"]])
def test_classes_that_are_some_are_not(values):
    assert len(column(values).notes) == 1
