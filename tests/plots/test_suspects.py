"""Suspects: ranks, marks and counts, against sums over rows."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from disambig import PartialLabelClassifier
from disambig.plots import SuspectsDisplay
from disambig.trust import cross_examine

RNG = np.random.default_rng(1)
SUSPICION = np.round(RNG.random(50), 2)
WRONG = RNG.random(50) < SUSPICION
FORMS = ([3, 7, 8], np.isin(np.arange(50), [3, 7, 8]), SimpleNamespace(rows=np.array([3, 7, 8])))


def axes():
    return Figure().add_subplot()


def ticks(collection) -> list[float]:
    return sorted(path.vertices[0, 0] for path in collection.get_paths())


@pytest.mark.parametrize("suspects", FORMS, ids=["positions", "mask", "object"])
def test_ranks_of_rows_suspects_and_known_sets(suspects):
    is_wrong = np.where(np.arange(50) < 20, WRONG, np.nan)
    display = SuspectsDisplay.from_suspicion(
        SUSPICION, suspects, is_wrong=is_wrong, name="votes", ax=axes()
    )
    x, y = display.line_.get_data()
    assert x.tolist() == list(range(1, 51))
    np.testing.assert_array_equal(y, np.sort(SUSPICION)[::-1])
    np.testing.assert_allclose(
        sorted(display.suspects_line_.get_ydata()), sorted(SUSPICION[[3, 7, 8]])
    )
    rank = {row: place + 1 for place, row in enumerate(np.argsort(-SUSPICION, kind="stable"))}
    assert ticks(display.wrong_ticks_) == sorted(rank[r] for r in range(20) if WRONG[r])
    assert ticks(display.right_ticks_) == sorted(rank[r] for r in range(20) if not WRONG[r])
    n_wrong = int(WRONG[[3, 7, 8]].sum())
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts[:2] == ["votes (50 rows)", f"3 suspects ({n_wrong} of 3 known are wrong)"]
    assert texts[2:] == [
        f"set is wrong ({WRONG[:20].sum()})",
        f"set is right ({20 - WRONG[:20].sum()})",
    ]


def test_plain_without_suspects_and_truth():
    display = SuspectsDisplay.from_suspicion(SUSPICION, ax=axes())
    assert display.suspects_line_ is None
    assert display.wrong_ticks_ is None
    assert display.right_ticks_ is None
    assert display.ax_.get_ylim()[0] > -0.1
    assert len(SuspectsDisplay.from_suspicion(SUSPICION, [], ax=axes()).suspects) == 0


def test_answers_of_an_examination_say_which_sets_are_wrong():
    X = RNG.normal(size=(90, 1))
    truth = np.where(X[:, 0] > 0, "b", "a")
    y = truth.copy()
    y[:4] = np.where(truth[:4] == "a", "b", "a")
    exam = cross_examine(PartialLabelClassifier("neighbors"), X, y)
    display = SuspectsDisplay.from_examination(exam, [0, 1], ax=axes())
    np.testing.assert_array_equal(display.suspicion, exam.suspicion)
    assert len(display.wrong) == len(display.right) == 0
    rows = np.arange(0, 90, 2)
    answered = exam.with_answers(rows, truth[rows])
    display = SuspectsDisplay.from_examination(answered, [0, 1], ax=axes())
    assert display.wrong.tolist() == [0, 2]
    assert display.right.tolist() == rows[2:].tolist()
    assert "PartialLabelClassifier (90 rows)" in display.line_.get_label()


@pytest.mark.parametrize(
    ("suspicion", "suspects", "is_wrong", "message"),
    [
        ([0.5, 2.0], None, None, r"suspicion must be a number from 0 to 1; got 2\.0 in row 1"),
        ([0.5, 0.6], [2], None, r"rows has 2; there are 2 training rows"),
        ([0.5, 0.6], None, [True], r"suspicion has 2 rows and is_wrong has shape \(1,\)"),
        ([0.5, 0.6], None, [0, 3], r"is_wrong must hold True, False or NaN; got 3\.0 in row 1"),
    ],
)
def test_errors(suspicion, suspects, is_wrong, message):
    with pytest.raises((ValueError, IndexError), match=message):
        SuspectsDisplay.from_suspicion(suspicion, suspects, is_wrong=is_wrong, ax=axes())


def test_a_model_is_no_examination():
    with pytest.raises(TypeError, match=r"needs the result of cross_examine; got Partial.*first"):
        SuspectsDisplay.from_examination(PartialLabelClassifier("neighbors"))
