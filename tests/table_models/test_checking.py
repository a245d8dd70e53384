"""All places of a table that cannot be read, in one go."""

import io

import pandas as pd
import pytest

from disambig.table_models.checking import check_table


def good(n=60):
    return "".join(f"{row * row % 61},{'ant' if row % 2 else 'bee'}\n" for row in range(n))


def test_every_place_is_named():
    lines = ["size,label", *good().splitlines()]
    lines[5] += ",more"
    lines[9] = "1"
    lines[12] = "tall,ant"
    lines[20] = "wide,bee"
    found = check_table(io.StringIO("\n".join(lines)), "label")
    assert [(one.line, one.column) for one in found.problems] == [
        (6, None),
        (10, None),
        (13, "size"),
        (21, "size"),
    ]
    assert not found.has_more
    assert found.table is not None
    assert len(found.table) == 58
    assert found.to_dict()["columns"][1]["use"] == "target (labels)"


def test_many_problems_are_cut(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("size,label\n" + "1\n" * 50 + good())
    found = check_table(file, "label")
    assert len(found.problems) == 20
    assert found.has_more
    assert found.table is None
    assert str(file) in found.problems[0].message


def test_a_good_table_says_what_would_be_done():
    frame = pd.read_csv(io.StringIO("size,label\n" + good())).assign(
        unit="cm", key=[f"k{row}" for row in range(60)], other=1.5
    )
    before = frame.copy()
    found = check_table(frame, "label", id="key", features=["size", "unit"])
    assert found.problems == ()
    uses = {name: use for name, use, _ in found.columns()}
    assert uses == {
        "size": "number",
        "label": "target (labels)",
        "unit": "dropped",
        "key": "identifier",
        "other": "dropped",
    }
    pd.testing.assert_frame_equal(frame, before)


def test_bad_cells_of_a_frame_and_the_frame_stays():
    frame = pd.DataFrame({"size": ["1", "x"] + ["2"] * 58, "pay": ["5"] * 58 + ["5-6", "much"]})
    before = frame.copy()
    found = check_table(frame, "pay", kind="numbers")
    assert [(one.line, one.column) for one in found.problems] == [(59, "pay"), (1, "size")]
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("text", ["", "a,b\n", '"a,b\n1,2'])
def test_what_cannot_be_read_at_all(text):
    found = check_table(io.StringIO(text), "b")
    assert found.table is None
    assert len(found.problems) == 1
    assert found.to_dict()["rows"] is None


def test_questions_about_the_target_are_problems():
    found = check_table(pd.DataFrame({"x": [1, 2, 3], "age": ["18-25", "26-35", "36+"]}), "age")
    assert found.table is None
    assert "may be" in found.problems[0].message
