"""Curves of answers: what is drawn, and what is refused."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from disambig.plots import QuestionCurveDisplay
from disambig.trust import QuestionCurve


def test_curve_band_and_expectation():
    ax = Figure().add_subplot()
    first = QuestionCurveDisplay.from_curve(
        [0, 5, 10],
        [0.5, 0.6, 0.8],
        expected=[0.5, 0.7, 0.9],
        error=[0.1, 0.1, 0.2],
        name="doubt",
        ax=ax,
    )
    second = QuestionCurveDisplay.from_curve([0, 10], [0.5, 0.45], ax=ax)
    assert first.line_.get_xydata().tolist() == [[0, 0.5], [5, 0.6], [10, 0.8]]
    assert first.expected_line_.get_ydata().tolist() == [0.5, 0.7, 0.9]
    assert first.expected_line_.get_linestyle() == "--"
    assert first.expected_line_.get_color() == first.line_.get_color()
    ends = first.band_.get_paths()[0].vertices[:, 1]
    np.testing.assert_allclose([ends.min(), ends.max()], [0.4, 1.0])
    assert second.expected_line_ is None
    assert second.band_ is None
    assert second.line_.get_color() != first.line_.get_color()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["doubt (+30.0 points)", "doubt, expected", "-5.0 points"]
    again = first.plot(Figure().add_subplot(), name="other", c="k")
    assert again.line_.get_label() == "other (+30.0 points)"
    assert again.line_.get_color() == "k"


def test_a_curve_of_a_simulation():
    right, expected = np.array([0.5, 0.75]), np.array([0.5, 0.8])
    curve = QuestionCurve(np.array([0, 4]), right, expected, np.array([6.0]), 20)
    ax = Figure().add_subplot()
    display = QuestionCurveDisplay.from_curve(curve, name="doubt", ax=ax)
    assert display.line_.get_xydata().tolist() == [[0, 0.5], [4, 0.75]]
    assert display.expected_line_.get_ydata().tolist() == [0.5, 0.8]
    for options in ({"share_right": right}, {"expected": expected}):
        with pytest.raises(ValueError, match="a QuestionCurve has share_right and expected"):
            QuestionCurveDisplay.from_curve(curve, ax=ax, **options)
    with pytest.raises(ValueError, match=r"share_right must hold 2 numbers"):
        QuestionCurveDisplay.from_curve([0, 4], ax=ax)


@pytest.mark.parametrize(
    ("n_answers", "share", "options", "message"),
    [
        ([], [], {}, r"n_answers must hold at least one number; got shape \(0,\)"),
        ([0, 1], [0.5], {}, r"share_right must hold 2 numbers, as n_answers; got shape \(1,\)"),
        (
            [0, 1],
            [0.5, 1.5],
            {},
            r"share_right must be numbers from 0 to 1; got 1\.5 at position 1",
        ),
        ([0, -1], [0.5, 0.5], {}, r"n_answers must be numbers >= 0; got -1\.0 at position 1"),
        ([1, 1], [0.5, 0.5], {}, r"n_answers must increase"),
        ([0, 1], [0.5, 0.5], {"expected": [0.5, np.nan]}, r"expected must be .* got nan"),
        ([0, 1], [0.5, 0.5], {"error": [0.1]}, r"error must hold 2 numbers"),
    ],
)
def test_errors(n_answers, share, options, message):
    with pytest.raises(ValueError, match=message):
        QuestionCurveDisplay.from_curve(n_answers, share, ax=Figure().add_subplot(), **options)
