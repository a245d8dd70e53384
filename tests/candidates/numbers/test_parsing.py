"""Formats of y: arrays, lists and texts, and the errors for ambiguous or invalid ones."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from disambig.candidates import Intervals, IntervalUnions, LabelSets, number_sets
from disambig.exceptions import CandidateError

inf, nan = float("inf"), float("nan")


def error_message(y, read=number_sets, **options):
    with pytest.raises(CandidateError) as caught:
        read(y, **options)
    return str(caught.value)


class TestArrays:
    @pytest.mark.parametrize("dtype", [int, np.uint8, np.float32, float, object])
    def test_one_dimension_is_points(self, dtype):
        sets = number_sets(np.array([3, 1, 2], dtype=dtype))
        assert sets == Intervals([3, 1, 2], [3, 1, 2])
        assert sets.flat

    @pytest.mark.parametrize("dtype", [int, np.float32, float, object])
    def test_two_columns_are_always_ends(self, dtype):
        sets = number_sets(np.array([[1, 2], [3, 3]], dtype=dtype))
        assert list(sets) == [(1, 2), (3, 3)]
        # Even where they could be points of two outputs: those need `from_points`.
        points = np.array([[1.0, 2.0]])
        assert Intervals.from_any(points) != Intervals.from_points(points)
        assert "row 0 has its lower end 2.0 above" in error_message(points[:, ::-1])

    def test_one_column_warns_and_is_points(self):
        for read in (number_sets, Intervals.from_any, IntervalUnions.from_any):
            with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
                sets = read(np.array([[1.0], [2.0]]))
            assert sets.flat
            assert sets.is_point.all()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                read(np.array([1.0, 2.0]))

    def test_the_warning_points_to_the_caller(self):
        with pytest.warns(DataConversionWarning) as caught:
            Intervals.from_any(np.array([[1.0], [2.0]]))
        assert caught[0].filename == __file__

    def test_three_dimensions_are_boxes(self):
        boxes = number_sets(np.arange(12.0).reshape(2, 3, 2))
        assert (boxes.flat, boxes.n_columns) == (False, 3)
        assert boxes.lower.tolist() == [[0, 2, 4], [6, 8, 10]]
        assert number_sets(np.zeros((2, 1, 2))).shape == (2, 1, 2)

    def test_other_shapes(self):
        assert "two columns, lower and upper ends; got shape (2, 3)" in error_message(
            np.zeros((2, 3))
        )
        assert "boxes have shape (n, d, 2)" in error_message(np.zeros((2, 2, 3)))
        for shape in ((0,), (0, 2), (2, 0), (2, 0, 2), (1, 1, 1, 2)):
            assert f"got shape {shape}" in error_message(np.zeros(shape))
        assert "got shape (0,)" in error_message([])

    def test_infinite_ends(self):
        sets = number_sets(np.array([[-inf, 1], [1, inf], [-inf, inf]]))
        assert sets.informative.tolist() == [True, True, False]
        assert "row 1 holds no number" in error_message(np.array([1.0, inf]))
        assert "row 0 has its lower end inf above its upper end 1.0" in error_message(
            np.array([[inf, 1]])
        )
        assert "row 0 holds no number" in error_message(np.array([[inf, inf]]))

    @pytest.mark.parametrize("missing", [nan, None])
    def test_missing_values(self, missing):
        ends = np.array([[1, missing], [missing, 1], [missing, missing]], dtype=object)
        assert "row 0 lacks an end (3 such rows)" in error_message(ends)
        opened = number_sets(ends, missing="whole")
        assert list(opened) == [(1, inf), (-inf, 1), (-inf, inf)]
        points = np.array([1, missing], dtype=object)
        assert "row 1 lacks an end" in error_message(points)
        assert list(number_sets(points, missing="whole")) == [(1, 1), (-inf, inf)]
        boxes = np.array([[[0, 1], [missing, 1]]], dtype=object)
        assert "row 0 lacks an end" in error_message(boxes)
        assert number_sets(boxes, missing="whole").lower.tolist() == [[0, -inf]]

    def test_masked_entries_are_missing(self):
        y = np.ma.masked_array([[0.0, 1.0], [2.0, 3.0]], [[False, False], [True, False]])
        assert "row 1 lacks an end" in error_message(y)
        assert list(number_sets(y, missing="whole")) == [(0, 1), (-inf, 3)]
        points = np.ma.masked_array([0.0, 1.0], [False, True])
        assert "row 1 lacks an end" in error_message(points)
        unmasked = np.ma.masked_array([0.0, 1.0], [False, False])
        assert number_sets(unmasked).is_point.all()

    def test_structured_arrays_are_pairs(self):
        y = np.array([(0.0, 1.0), (2.0, 3.0)], dtype=[("lower", float), ("upper", float)])
        assert list(number_sets(y)) == [(0, 1), (2, 3)]

    def test_an_object_with_only_an_array_method(self):
        class Column:
            def __array__(self, dtype=None, copy=None):
                return np.array([[1.0, 2.0]])

        assert list(number_sets(Column())) == [(1, 2)]

    def test_dtypes_that_are_not_real_numbers(self):
        assert "Complex data not supported" in error_message(np.array([1j, 2]))
        assert "Complex data not supported" in error_message(np.array([[1j, 2]]))
        assert "got an array of bool" in error_message(np.array([True, False]))
        assert "got an array of bool" in error_message(np.array([[True, False]]))
        assert "days since the first date" in error_message(
            np.array(["2020-01-01"], "datetime64[D]")
        )
        assert "row 1 holds 'a', a str, where a number is expected (1 such row)" in error_message(
            np.array([[1, 2], ["a", 3]], dtype=object)
        )
        assert "got an array of <U1" in error_message(np.array([["1", "2"]]))
        assert "row 0 holds b'1'" in error_message(np.array([b"1"], dtype=object))
        assert "got an array of |S1" in error_message(np.array([b"1"]))

    def test_invalid_containers(self):
        assert "requires y to be passed, but the target y is None" in error_message(None)
        assert "Sparse data was passed" in error_message(sparse.csr_array(np.ones((2, 2))))
        for y in ("5", b"5", 5, {"a": 1}, {1, 2}, iter([1])):
            assert "expected a list, array, series or frame" in error_message(y)
        assert "these are candidates already" in error_message(LabelSets.from_any(["a", "b"]))


class TestLists:
    def test_all_formats_of_rows_in_one_list(self):
        y = [5, 2.5, (0, 1), [2, 3], np.array([4, 5]), "[6, 7]", np.float32(8), np.int64(9)]
        expected = [(5, 5), (2.5, 2.5), (0, 1), (2, 3), (4, 5), (6, 7), (8, 8), (9, 9)]
        assert list(number_sets(y)) == expected
        assert list(number_sets(tuple(y))) == expected
        array = np.empty(len(y), dtype=object)
        array[:] = y
        assert list(number_sets(array)) == expected

    def test_numbers_of_other_types(self):
        y = [Fraction(1, 2), Decimal("0.25"), (Fraction(1, 4), Decimal(2))]
        assert list(number_sets(y)) == [(0.5, 0.5), (0.25, 0.25), (0.25, 2)]
        assert number_sets([np.array(3.0), 4.0])[0] == (3, 3)

    def test_a_list_of_pairs_is_intervals_and_nested_ones_are_unions(self):
        assert isinstance(number_sets([(0, 1), (2, 3)]), Intervals)
        nested = number_sets([[(0, 1), (2, 3)], [(4, 5), (6, 7)]])
        assert nested[1] == ((4, 5), (6, 7))
        # As an array the same numbers are boxes.
        boxes = number_sets(np.array([[(0, 1), (2, 3)], [(4, 5), (6, 7)]]))
        assert boxes.n_columns == 2
        rows = number_sets([np.array([[0, 1], [2, 3]]), 5.0, [(0, 1)], ((0, 1), [2, 3])])
        assert [len(row) for row in rows] == [2, 1, 1, 2]

    @pytest.mark.parametrize("missing", [None, nan, Decimal("NaN"), np.float32("nan")])
    def test_missing_values(self, missing):
        y = [1.0, missing, (missing, 2), (3, missing), [(missing, 4), (5, 6)]]
        assert "row 1 lacks an end (4 such rows)" in error_message(y)
        assert list(number_sets(y, missing="whole")) == [
            ((1, 1),),
            ((-inf, inf),),
            ((-inf, 2),),
            ((3, inf),),
            ((-inf, 4), (5, 6)),
        ]

    def test_fast_and_slow_parsing_agree(self):
        values = [1, 2.5, -3, 1e10, 7]
        assert number_sets(values) == number_sets([np.float64(v) for v in values])
        pairs = [(1, 2.5), [-3, 7]]
        assert number_sets(pairs) == number_sets([(np.float64(a), b) for a, b in pairs])
        assert "row 1 lacks an end" in error_message([1.0, nan])

    @pytest.mark.parametrize(
        "row",
        [
            True,
            (True, 2),
            1j,
            b"5",
            [],
            (),
            [5.0],
            [1, 2, 3],
            [(0, 1), 5.0],
            [(0, 1), None],
            [(0, 1, 2)],
            [[(0, 1)]],
            [("a", 1)],
            ("[0, 1]", "[2, 3]"),
            {1, 2},
            {"lower": 1},
            pytest.param(object(), id="an object"),
        ],
        ids=repr,
    )
    def test_invalid_rows(self, row):
        text = error_message([0.0, row, row])
        assert text.startswith("Intervals: row 1 holds ")
        assert "which is no interval of numbers (2 such rows)" in text
        assert "'[800, 1200]', '800-1200', '800 to 1200', '800..1200', '>= 5', '65+'" in text

    def test_a_text_without_a_number_may_say_nothing(self):
        said = "If it says nothing, pass unlabeled='prefer not to say'."
        assert said in error_message([0.0, "prefer not to say"])
        number_sets([0.0, "prefer not to say"], unlabeled="prefer not to say")
        assert "unlabeled" not in error_message([0.0, "3 to many"])
        assert "unlabeled" not in error_message([0.0, "no " * 30])

    def test_integers_too_large_for_a_float(self):
        assert "row 1 has an end of 1.797" in error_message([0, 10**400])
        assert "row 1 has an end of -1.797" in error_message([(0, 1), (-(10**400), 1)])
        assert "overflows" in error_message([Decimal("1e400"), 0.0])
        assert number_sets([(-inf, Decimal("Infinity")), 0.0])[0] == (-inf, inf)


class TestTexts:
    @pytest.mark.parametrize(
        ("text", "ends"),
        [
            ("5", (5, 5)),
            (" -5.25e1 ", (-52.5, -52.5)),
            (".5", (0.5, 0.5)),
            ("5.", (5, 5)),
            ("[800, 1200]", (800, 1200)),
            ("(800,1200]", (800, 1200)),
            ("[ -1 , +1 )", (-1, 1)),
            ("]0, 1[", (0, 1)),
            ("(-inf, 5]", (-inf, 5)),
            ("[5, INF)", (5, inf)),
            ("[-Infinity, ∞]", (-inf, inf)),
            ("800..1200", (800, 1200)),
            ("-2 .. -1", (-2, -1)),
            ("800-1200", (800, 1200)),
            ("-3 – 5.5", (-3, 5.5)),
            ("1e-5-1e-3", (1e-5, 1e-3)),
            ("800 to 1200", (800, 1200)),
            ("-inf to -2", (-inf, -2)),
            ("between -2 and 3", (-2, 3)),
            ("from 3 to 5", (3, 5)),
            ("65+", (65, inf)),
            ("at least -5", (-5, inf)),
            ("Over 65", (65, inf)),
            ("5 or more", (5, inf)),
            ("at most 7", (-inf, 7)),
            ("less than .5", (-inf, 0.5)),
            ("under 18", (-inf, 18)),
            ("7 or less", (-inf, 7)),
            ("-5 +", (-5, inf)),
            ("1.5..2.5", (1.5, 2.5)),
            ("0..inf", (0, inf)),
            (">= 5", (5, inf)),
            (">5", (5, inf)),
            ("≥ -5", (-5, inf)),
            ("<= 3", (-inf, 3)),
            ("<.05", (-inf, 0.05)),
            ("≤3", (-inf, 3)),
            ("5 +- 2", (3, 7)),
            ("5+/-2", (3, 7)),
            ("-5 ± 0.5", (-5.5, -4.5)),
            ("−5", (-5, -5)),
            ("30,000", (30000, 30000)),
            ("1,200,300.5", (1200300.5, 1200300.5)),
            ("1.200,50", (1200.5, 1200.5)),
            ("1.200.300", (1200300, 1200300)),
            ("1,5", (1.5, 1.5)),
            ("0,125", (0.125, 0.125)),
            ("1 200 to 1 500", (1200, 1500)),
            ("1'200.50", (1200.5, 1200.5)),
            ("30-40k", (30000, 40000)),
            ("500-1k", (500, 1000)),
            (">100k", (100000, inf)),
            ("65k+", (65000, inf)),
            ("5 ± 2k", (3000, 7000)),
            ("between 30 and 40k", (30000, 40000)),
            ("1.2M", (1200000, 1200000)),
            ("3 million", (3e6, 3e6)),
            ("2bn", (2e9, 2e9)),
            ("$5", (5, 5)),
            ("-$5", (-5, -5)),
            ("$30,000 - $40,000", (30000, 40000)),
            ("> 100,000 €", (100000, inf)),
            ("EUR 1,200 to 1,500", (1200, 1500)),
            ("€ 30 k", (30000, 30000)),
            ("US$ 5", (5, 5)),
            ("-6.5 - -5.3", (-6.5, -5.3)),
            ("-6.5–-5.3", (-6.5, -5.3)),
            ("−6.5 − +5.3", (-6.5, 5.3)),
        ],
    )
    def test_the_grammar(self, text, ends):
        assert number_sets([text])[0] == ends
        assert number_sets(np.array([text]))[0] == ends
        assert Intervals.from_any([text, 0.0])[0] == ends

    def test_the_decimal_mark_is_that_of_the_whole_column(self):
        assert list(number_sets(["1.200,50", "1.200"])) == [(1200.5, 1200.5), (1200, 1200)]
        assert list(number_sets(["1,200.50", "1,200"])) == [(1200.5, 1200.5), (1200, 1200)]
        assert list(number_sets(["0,5", "1,200"])) == [(0.5, 0.5), (1.2, 1.2)]
        assert list(number_sets(["1.200", "5.5"])) == [(1.2, 1.2), (5.5, 5.5)]
        message = error_message(["1.5", "7", "1,5"])
        assert "row 2 holds '1,5', with a decimal comma, and row 0 holds '1.5'" in message
        # A marker is no number.
        assert number_sets(["1.5", "0,0"], unlabeled="0,0")[1] == (-inf, inf)

    def test_one_currency(self):
        assert list(number_sets(["$5", "6", "7 USD"])) == [(5, 5), (6, 6), (7, 7)]
        message = error_message(["$5", "6", "€7"])
        assert "row 2 holds '€7', and an earlier row has the currency '$'" in message

    def test_unions(self):
        assert number_sets(["[-2, -1] | [1, 2]", "3"])[0] == ((-2, -1), (1, 2))
        assert number_sets(["< -1 | 0 | > 1"])[0] == ((-inf, -1), (0, 0), (1, inf))

    @pytest.mark.parametrize(
        "text",
        [
            "about 5",
            "800--1200",
            "800 --1200",
            "800-1200-1600",
            "800 bis 1200",
            "between 800",
            "at least",
            "at least 5 or more",
            "from 3",
            "+",
            "$",
            "$5 to €7",
            "1,2,3",
            "12,34,567",
            "5m",
            "300 K",
            "12 1000",
            "1.2 to 1,5,7",
            "[1, 2, 3]",
            "[1; 2]",
            "[1, 2",
            "1, 2]",
            "5 +- -2",
            "> inf",
            "inf",
            "nan",
            "[nan, 2]",
            "5....7",
            ">=",
            "> 5 < 7",
            "3 < 5",
            "| 3",
            "3 |",
            "[1, 2] | *",
            "1_000",
            "5e",
            "--5",
        ],
    )
    def test_other_texts_are_refused_with_the_grammar(self, text):
        message = error_message(["1", text])
        assert message.startswith(f"Intervals: row 1 holds {text!r}, a str, which is no interval")
        assert "'[800, 1200]', '800-1200'" in message

    @pytest.mark.parametrize("text", ["", "  ", "*"])
    def test_texts_for_missing_values(self, text):
        assert "row 1 lacks an end" in error_message(["1", text])
        assert number_sets(["1", text], missing="whole")[1] == (-inf, inf)

    def test_ends_in_the_wrong_order(self):
        assert "row 0 has its lower end 2.0 above its upper end 1.0" in error_message(["[2, 1]"])

    @pytest.mark.parametrize(
        "text", ["1e400", "[0, 1e400]", "0..1e151", "> 1e200", "1e308 +- 1e308"]
    )
    def test_a_bound_that_overflows_is_not_read_as_no_bound(self, text):
        assert "the square of which overflows" in error_message([text])
