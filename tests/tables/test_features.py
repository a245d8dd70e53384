"""Feature columns: types, what is dropped, preprocessing, and new tables."""

import io
import json
import pickle
from datetime import date

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from disambig import PartialLabelClassifier
from disambig.exceptions import TableError
from disambig.tables import FeaturePlan, TablePlan, load_table, plan_features, read_table
from disambig.tables.features.dates import date_parts
from disambig.weights import NeighborWeights


def planned(values, **options):
    # A second column, so that one may be dropped.
    frame = pd.DataFrame({"x": values})
    frame["other"] = np.arange(len(frame)) % 2 + 0.5
    return plan_features(frame, **options), frame


def typed(values, **options):
    plan, frame = planned(values, **options)
    return plan.columns[0].type, plan.read(frame)


class TestTypes:
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            (["1", "2.5", ""], [1, 2.5, np.nan]),
            (["1,200", "3", "?"], [1200, 3, np.nan]),
            (["1.200,50", "3", "N/A"], [1200.5, 3, np.nan]),
            (["3 kg", "4.5 kg", "5"], [3, 4.5, 5]),
            (["$5", "$1,000", "unknown"], [5, 1000, np.nan]),
            (["10k", "1.5k", "-"], [10000, 1500, np.nan]),
            (["5%", "7.5 %", None], [5, 7.5, np.nan]),
            ([1, 2, None], [1, 2, np.nan]),
            ([1, "2.5", None], [1, 2.5, np.nan]),
            (pd.array([1, 2, None], dtype="Int64"), [1, 2, np.nan]),
            (pd.to_timedelta(["1s", "2m", None]), [1, 120, np.nan]),
        ],
        ids=str,
    )
    def test_numbers(self, values, expected):
        kind, frame = typed(values)
        assert kind == "number"
        np.testing.assert_array_equal(frame["x"], expected)

    @pytest.mark.parametrize(
        "values", [["yes", "No", ""], ["TRUE", "false", "?"], [True, False, None], ["y", "n", None]]
    )
    def test_truth_values(self, values):
        kind, frame = typed(values)
        assert kind == "boolean"
        np.testing.assert_array_equal(frame["x"], [1, 0, np.nan])

    def test_categories_ignore_case_and_blanks(self):
        kind, frame = typed(["Red", " red", "BLUE", None])
        assert kind == "category"
        assert frame["x"].tolist() == ["red", "red", "blue", ""]
        assert typed(pd.Categorical(["a", "b", "a"]))[0] == "category"

    def test_codes_with_zeros_in_front_are_categories(self):
        assert typed(["01234", "99999", "01234"])[0] == "category"

    @pytest.mark.parametrize(
        "values",
        [
            ["2024-01-31", "2024-02-29"],
            ["2024-01-31T00:00:00Z", "2024-02-29"],
            ["31.01.2024", "29.02.2024"],
            ["31/01/2024", "29/02/2024"],
            ["01/31/2024", "02/29/2024"],
            ["31 Jan 2024", "29 Feb 2024"],
            pd.to_datetime(["2024-01-31", "2024-02-29"]),
            pd.to_datetime(["2024-01-31", "2024-02-29"]).tz_localize("UTC"),
            [date(2024, 1, 31), date(2024, 2, 29)],
        ],
        ids=str,
    )
    def test_dates(self, values):
        kind, frame = typed(values)
        assert kind == "date"
        epoch = date(1970, 1, 1)
        days = [(date(2024, 1, 31) - epoch).days, (date(2024, 2, 29) - epoch).days]
        assert frame["x: days"].tolist() == days
        assert "x: hour sin" not in frame

    def test_times_and_missing_dates(self):
        kind, frame = typed(["2024-01-31 06:00", "2024-02-29 18:00", ""])
        assert kind == "date"
        np.testing.assert_allclose(frame["x: hour sin"], [1, -1, np.nan], atol=1e-6)

    def test_the_parts_of_dates_are_cycles(self):
        parts = date_parts(np.array([0.0, 7.0]), with_hours=False)
        assert parts["weekday sin"][0] == pytest.approx(parts["weekday sin"][1])
        year = date_parts(np.array([0.0, 365.2425 * 4]), with_hours=False)
        assert year["season cos"][0] == pytest.approx(year["season cos"][1], abs=1e-3)

    def test_texts(self):
        words = ["red", "green", "blue", "fast", "slow", "old"]
        rng = np.random.default_rng(0)
        prose = [" ".join(rng.choice(words, 6)) for _ in range(80)]
        plan, _ = planned(prose)
        assert (plan.columns[0].type, plan.columns[0].words) == ("text", True)
        names = [f"item {k % 50}" for k in range(200)]
        plan, _ = planned(names)
        assert (plan.columns[0].type, plan.columns[0].words) == ("text", False)

    def test_types_can_be_set(self):
        assert typed(["1", "2"], types={"x": "category"})[0] == "category"
        assert typed(["a", "b"], types={"x": "text"})[0] == "text"
        _, frame = typed(["01/02/2024", "03/04/2024"], types={"x": "date:%m/%d/%Y"})
        assert frame["x: days"].tolist() == [19724.0, 19786.0]
        _, frame = typed(["1.200", "3"], types={"x": "number:,"})
        assert frame["x"].tolist() == [1200, 3]


class TestQuestions:
    @pytest.mark.parametrize(
        ("values", "part"),
        [
            (["01/02/2024", "03/04/2024"], "row 0, column 'x': '01/02/2024' may be a date"),
            (["1"] * 30 + ["2", "oops"], "row 31, column 'x': 'oops' is no number, while 96.9%"),
            ([{"a": 1}, {"a": 2}], "row 0, column 'x': holds {'a': 1}"),
            ([["a"], ["b"]], "row 0, column 'x': ('a',) is no number, text"),
            ([1.0, np.inf], "row 1, column 'x': inf is infinite"),
            (["1.5", "2", "inf"], "row 2, column 'x': 'inf' is infinite"),
        ],
        ids=str,
    )
    def test_unclear_cells(self, values, part):
        with pytest.raises(TableError) as caught:
            planned(values)
        assert str(caught.value).startswith(part)
        assert "\n" not in str(caught.value)

    def test_a_column_that_is_left_out_may_hold_anything(self):
        plan, _ = planned([{"a": 1}, {"a": 2}], drop=["x"])
        assert plan.names == ["other"]

    def test_wrong_options(self):
        with pytest.raises(TableError, match="there is no column 'z'"):
            planned([1, 2], drop=["z"])
        with pytest.raises(TableError, match="types must be one of"):
            planned([1, 2], types={"x": "numbers"})
        with pytest.raises(TableError, match="there is no column 'z'"):
            planned([1, 2], types={"z": "number"})
        with pytest.raises(TableError, match="no feature column is left: 1 were dropped"):
            plan_features(pd.DataFrame({"x": [1, 1]}))


def made_up(n=60):
    rng = np.random.default_rng(0)
    label = rng.choice(["a", "b", "c"], n)
    frame = pd.DataFrame(
        {
            "key": [f"k{k:03d}" for k in range(n)],
            "row": np.arange(n) + 100,
            "unit": "cm",
            "empty": "",
            "size": rng.normal(size=n) + (label == "a") * 4,
            "width": rng.normal(size=n) + (label == "b") * 4,
            "colour": rng.choice(["red", "Red", "blue", ""], n),
            "truth": np.char.upper(label.astype(str)),
            "when": pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d")[rng.permutation(n)],
            "label": label,
        }
    )
    other = rng.choice(["a", "b", "c"], n)
    frame["label"] = np.where(
        rng.random(n) < 0.3, np.char.add(np.char.add(label, "|"), other), label
    )
    frame.loc[label == other, "label"] = label[label == other]
    return frame


class TestDropping:
    def test_each_has_a_word(self):
        plan = plan_features(made_up(), target=None)
        assert plan.dropped == {
            "key": "its 60 values are all different, as of an identifier (id= names rows by it)",
            "row": "its 60 different whole numbers count the rows",
            "unit": "all its cells are 'cm'",
            "empty": "it holds nothing",
        }

    def test_columns_that_give_the_target_away(self):
        frame = made_up()
        frame["label"] = frame["truth"].str.lower()
        table = load_table(frame, "label")
        assert table.features.dropped["truth"].startswith("it gives the target away: it equals whe")
        assert "truth" in load_table(frame, "label", keep=["truth"]).features.names
        assert any("'truth' is dropped" in note for note in table.notes)

    def test_ends_of_intervals(self):
        rng = np.random.default_rng(0)
        low = rng.normal(size=40)
        frame = pd.DataFrame({"low_copy": low * 2 + 1, "x": rng.normal(size=40), "lower": low})
        frame["upper"] = low + rng.random(40)
        table = load_table(frame, ["lower", "upper"])
        assert table.features.names == ["x"]
        assert "the lower end" in table.features.dropped["low_copy"]

    def test_keep_and_features(self):
        frame = made_up()
        assert plan_features(frame, keep=["row", "key"]).names[:2] == ["key", "row"]
        assert plan_features(frame, features=["size", "wid*"]).names == ["size", "width"]

    def test_prose_is_no_identifier(self):
        prose = [f"the cat number {k} sat" for k in range(40)]
        assert planned(prose)[0].columns[0].type == "text"


@pytest.fixture(scope="module")
def table():
    return load_table(made_up(), "label", id="key", drop=["truth"])


class TestNewTables:
    def test_order_more_columns_and_no_target(self, table):
        frame = made_up()
        new = frame[["when", "width", "size", "colour"]].assign(more=1)
        found = table.plan.read(new)
        pd.testing.assert_frame_equal(found.X, table.X)
        assert (found.target, found.ids) == (None, None)
        with pytest.raises(TableError, match="no target columns"):
            found.candidates  # noqa: B018
        again = table.plan.read(frame)
        assert again.candidates == table.candidates
        assert table.plan.read(frame, with_target=False).target is None

    def test_missing_columns_are_named(self, table):
        with pytest.raises(TableError, match="there are no columns 'size', 'width'") as caught:
            table.plan.read(made_up()[["colour", "when"]])
        assert "The columns are 'colour', 'when'" in str(caught.value)

    @pytest.mark.parametrize(
        ("column", "value", "part"),
        [
            ("size", "tall", "'tall' is no number"),
            ("size", np.inf, "is infinite"),
            ("when", "soon", "'soon' is no date of the form ISO8601"),
        ],
    )
    def test_cells_that_do_not_fit(self, table, column, value, part):
        new = made_up().astype(object)
        new.loc[7, column] = value
        with pytest.raises(TableError) as caught:
            table.plan.read(new)
        assert part in str(caught.value)
        assert (caught.value.line, caught.value.column) == (7, column)

    def test_unseen_categories_and_missing_cells(self, table):
        new = made_up().astype(object)
        new["colour"] = "green"
        new.loc[0, ["size", "when"]] = [None, ""]
        transformer = table.make_preprocessor().fit(table.X)
        numbers = transformer.transform(table.plan.read(new).X)
        assert np.isfinite(numbers).all()
        assert numbers.shape[1] == transformer.transform(table.X).shape[1]

    def test_the_plan_is_plain_data(self, table):
        stored = TablePlan.from_dict(json.loads(json.dumps(table.plan.to_dict())))
        assert stored == table.plan
        assert pickle.loads(pickle.dumps(table.plan)) == table.plan
        pd.testing.assert_frame_equal(stored.read(made_up()).X, table.X)
        with pytest.raises(ValueError, match="schema 99 is not"):
            TablePlan.from_dict({"schema": 99})

    def test_files_and_frames_are_read_alike(self, table, tmp_path):
        path = tmp_path / "train.csv"
        made_up().to_csv(path, index=False)
        found = load_table(path, "label", id="key", drop=["truth"])
        assert found.candidates == table.candidates
        pd.testing.assert_frame_equal(found.X, table.X)
        assert repr(found) == repr(table).replace("a frame", str(path))
        made_up().to_parquet(tmp_path / "train.parquet")
        pd.testing.assert_frame_equal(table.plan.read(tmp_path / "train.parquet").X, table.X)

    def test_identifiers(self, table):
        assert table.ids.tolist()[:2] == ["k000", "k001"]
        frame = made_up().assign(key="same")
        assert "repeat in 59 rows, first at row 1" in load_table(frame, "label", id="key").notes[-1]
        with pytest.raises(TableError, match="there is no column 'kex'; is it 'key'"):
            load_table(frame, "label", id="kex")
        with pytest.raises(TableError, match="cannot be the target"):
            load_table(frame, "label", id="label")
        with pytest.raises(TableError, match="is the target, and no feature"):
            load_table(frame, "label", features=["label", "size"])


class TestPreprocessing:
    def test_only_parts_of_scikit_learn(self):
        table = load_table(made_up(), "label")
        fitted = table.make_preprocessor().fit(table.X)

        def modules(thing, seen):
            if id(thing) in seen or not hasattr(thing, "get_params"):
                return set()
            seen.add(id(thing))
            found = {type(thing).__module__.partition(".")[0]}
            for part in thing.get_params(deep=True).values():
                found |= modules(part, seen)
            return found

        assert modules(fitted, set()) == {"sklearn"}

    def test_numbers_are_scaled_and_missing_ones_marked(self):
        frame = pd.DataFrame({"x": [1.0, 3.0, np.nan, 5.0], "c": ["a", "b", "a", "b"]})
        plan = plan_features(frame)
        found = plan.make_preprocessor().fit_transform(plan.read(frame))
        filled = np.array([1.0, 3.0, 3.0, 5.0])
        np.testing.assert_allclose(found[:, 0], (filled - filled.mean()) / filled.std())
        # The indicator, scaled, and one column for each category.
        assert len(set(found[:, 1].round(6))) == 2
        np.testing.assert_array_equal(found[:, 2:], [[1, 0], [0, 1], [1, 0], [0, 1]])

    def test_texts_become_few_columns(self):
        rng = np.random.default_rng(0)
        words = np.array([f"word{k}" for k in range(30)])
        frame = pd.DataFrame({"note": [" ".join(rng.choice(words, 8)) for _ in range(100)]})
        frame.loc[0, "note"] = ""
        plan = plan_features(frame)
        transformer = plan.make_preprocessor().fit(plan.read(frame))
        assert transformer.transform(plan.read(frame)).shape == (100, plan.columns[0].components)
        new = pd.DataFrame({"note": ["", "nothing that was seen"]})
        assert np.isfinite(transformer.transform(plan.read(new))).all()

    def test_a_pipeline_learns(self):
        frame = made_up()
        table = load_table(frame, "label", drop=["truth"])
        model = make_pipeline(
            table.make_preprocessor(), PartialLabelClassifier(NeighborWeights(5))
        ).fit(table.X, table.candidates)
        truth = frame["truth"].str.lower()
        assert (model.predict(table.X) == truth).mean() > 0.7


def test_a_plan_of_plain_data():
    plan = plan_features(pd.DataFrame({"x": ["1", "2"], "y": ["a", "b"]}), missing=["none"])
    assert FeaturePlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


def test_polars_frames_are_read():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"size": [1.0, 2.0, 4.0], "label": ["a|b", "a", "c"]})
    assert load_table(frame, "label").X["size"].tolist() == [1, 2, 4]


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="Expected a path"):
        load_table(5, "label")
    with pytest.raises(TableError, match="there are 0 rows"):
        load_table(pd.DataFrame({"a": []}), "a")
    with pytest.raises(TableError, match="have the same name"):
        load_table(pd.DataFrame([[1, 2]], columns=["a", "a"]), "a")


def test_raw_tables_pass_through(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("size,label\n1,a\n2,b\n4,a\n")
    assert len(load_table(read_table(path), "label")) == 3


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["1.5", "2.5", "4.0"], ["1,5", "2,5", "4,0"]),
        (["1,5", "2,5", "4,0"], ["1.5", "2.5", "4.0"]),
        ([1.5, 2.5, 4.0], ["1,5", "2,5", "4"]),
        (["1,5", "2,5", "4,0"], [1.5, 2.5, 4.0]),
    ],
)
def test_a_new_file_may_have_another_decimal_mark(first, second):
    plan = plan_features(pd.DataFrame({"x": first}))
    assert plan.read(pd.DataFrame({"x": second}))["x"].tolist() == [1.5, 2.5, 4.0]


def test_an_unclear_number_of_a_new_file_is_read_as_in_the_first():
    plan = plan_features(pd.DataFrame({"x": ["1.200,5", "2", "7"]}))
    assert plan.read(pd.DataFrame({"x": ["1.200", "2"]}))["x"].tolist() == [1200, 2]


@pytest.mark.parametrize(
    ("first", "same", "other", "part"),
    [
        (["1.5 kg", "2 kg"], ["3", "3 KG"], ["", "1500 g"], "the unit 'g'; expected 'kg'"),
        (["1,5 kg", "2 kg"], ["3 kg", "3"], ["", "1500 g"], "the unit 'g'; expected 'kg'"),
        (["$5", "7"], ["3", "3 USD"], ["?", "€7"], "the currency '€'; expected '$'"),
        (["5 years", "7"], ["3", "3 year"], ["?", "7 months"], "'month'; expected 'year'"),
    ],
)
def test_a_new_file_with_another_unit_is_refused(first, same, other, part):
    plan, _ = planned(first)
    plan = FeaturePlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert plan.read(pd.DataFrame({"x": same, "other": 1.5}))["x"].tolist() == [3, 3]
    with pytest.raises(TableError, match="row 1, column 'x'") as caught:
        plan.read(pd.DataFrame({"x": other, "other": 1.5}))
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("table", "part"),
    [
        (
            {"when": ["2024-01-31", "2024-03-01"], "when: days": [3.5, 7.25]},
            "column 'when: days': and column 'when' both become the feature 'when: days'",
        ),
        ({1: [3.5, 7.25], "1": [1.5, 2.5]}, "column '1': and column 1 both become the feature '1'"),
    ],
)
def test_columns_that_would_become_the_same_feature(table, part):
    frame = pd.DataFrame(table)
    with pytest.raises(TableError) as caught:
        plan_features(frame)
    assert part in str(caught.value)
    assert plan_features(frame, drop=[frame.columns[1]]).names == [frame.columns[0]]


def test_codes_of_a_file_and_of_a_frame_are_the_same():
    text = "k,size,label\n1,1.5,a\n2,2.5,b\nA,3.5,a\n"
    plan = load_table(io.StringIO(text), "label").plan
    plan = TablePlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    new = plan.read(pd.read_csv(io.StringIO("k,size\n1,1.5\n,2.5\n2,3.5\n")))
    assert new.X["k"].tolist() == ["1", "", "2"]
    assert new.notes == ()


def test_unseen_categories_are_counted():
    text = "k,size,label\n01,1.5,a\n02,2.5,b\nA,3.5,a\n"
    plan = load_table(io.StringIO(text), "label").plan
    new = plan.read(pd.read_csv(io.StringIO("k,size\n01,1.5\n,2.5\n02,3.5\n")))
    assert new.notes == (
        "Column 'k': 2 cells have categories that the first table did not have, such as '1'.",
    )
    assert plan.read(io.StringIO("k,size\n01,1.5\na,2.5\n,3.5\n")).notes == ()


def test_a_plan_with_numbers_of_numpy_as_names_is_json():
    names = list(np.arange(3))
    frame = pd.DataFrame({names[0]: ["k1", "k2", "k3"], names[1]: [1.5, 2.5, 4.5]})
    frame[names[2]] = ["a", "b", "a"]
    plan = load_table(frame, names[2], id=names[0]).plan
    again = TablePlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert again == plan
    assert again.read(frame).X.equals(plan.read(frame).X)
