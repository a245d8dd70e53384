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
    assert [(one.line, one.column, one.count) for one in found.problems] == [
        (6, None, 1),
        (10, None, 1),
        (13, "size", 2),
    ]
    assert found.problems[2].lines == (13, 21)
    assert found.problems[2].others == "So in 1 other place: line 21."
    assert not found.has_more
    assert found.table is not None
    assert len(found.table) == 58
    assert found.to_dict()["columns"][1]["use"] == "target (labels)"


def test_many_problems_are_cut(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("size,label\n" + "1\n" * 50 + good())
    found = check_table(file, "label")
    (ragged,) = found.problems
    assert ragged.count == 50
    assert ragged.lines == (2, 3, 4, 5, 6, 7)
    assert ragged.others == "So in 49 other places: lines 3, 4, 5, 6, 7 and 44 more."
    assert not found.has_more
    assert len(found.table) == 60
    assert str(file) in ragged.message
    # Every different cell takes a reading.
    words = "".join(f"word{row},ant\n" for row in range(50))
    text = "size,label\n" + words + good()
    found = check_table(io.StringIO(text), "label", types={"size": "number"})
    assert [one.count for one in found.problems] == [40]
    assert found.has_more
    assert found.table is None


def test_equal_cells_are_one_problem():
    text = "size,label\n" + good(3000) + "tall,ant\n" * 120
    found = check_table(io.StringIO(text), "label")
    assert [(one.line, one.count) for one in found.problems] == [(3002, 120)]
    assert not found.has_more
    assert found.table is not None


def test_quoted_line_breaks_cause_no_other_problems():
    """A problem beside a cell of several lines does not move the quotation marks of others."""
    notes = "".join(f'{row},"first\nsecond, ""third""",ant\n' for row in range(40))
    odd = '1,"two\nlines",ant,more\n2,"two\nlines"\nx,"a\n\nb",bee\n'
    text = "size,note,label\n" + notes + odd + notes
    found = check_table(io.StringIO(text), "label", types={"size": "number"})
    places = [(one.lines, one.column) for one in found.problems]
    assert places == [((82, 84), None), ((86,), "size")]
    assert len(found.table) == 81
    # Bytes that are no text, and control characters, inside of such a cell.
    for bad in (b"\xff", b"\x01"):
        data = text.replace("two", "tw\u00f6").encode().replace(b"second", b"sec" + bad, 1)
        found = check_table(io.BytesIO(data), "label", types={"size": "number"})
        assert [one.line for one in found.problems] == [3, 82, 86]
        assert len(found.table) == 81


def test_open_quotation_marks_are_one_problem():
    text = "size,label\n" + good(50) + '7,"ant\n' + good(5)
    found = check_table(io.StringIO(text), "label")
    assert [one.line for one in found.problems] == [52]
    assert "never closed" in found.problems[0].message
    text = "size,label\n" + good(50) + '7,"a"nt\n' + good(5)
    found = check_table(io.StringIO(text), "label")
    assert [one.line for one in found.problems] == [52]
    assert len(found.table) == 55


def test_lines_of_json_are_problems_of_their_own():
    rows = "".join(f'{{"size": {k % 7}, "label": "{"ab"[k % 2]}"}}\n' for k in range(40))
    found = check_table(io.StringIO(rows + '{"size": \n' * 3 + rows), "label")
    assert [(one.line, one.count) for one in found.problems] == [(41, 3)]
    assert len(found.table) == 80


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
    assert [one.lines for one in found.problems] == [(59,), (1,)]
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
