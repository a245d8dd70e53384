"""The map: positions, groups, rings and the sample of rows."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from disambig.plots import MapDisplay
from disambig.plots.row_map import sampled_rows

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 4)) * [1.0, 5.0, 2.0, 0.0]


def axes():
    return Figure().add_subplot()


def test_positions_are_principal_components():
    display = MapDisplay.from_inputs(X, np.repeat(["a", "b"], 30), standardize=False, ax=axes())
    centered = X - X.mean(axis=0)
    _, values, directions = np.linalg.svd(centered, full_matrices=False)
    found = np.abs(centered @ directions[:2].T)
    np.testing.assert_allclose(np.abs(display.positions), found, atol=1e-9)
    np.testing.assert_allclose(display.explained, (values**2 / (values**2).sum())[:2])
    scaled = MapDisplay.of(X, np.repeat(["a", "b"], 30))
    assert scaled.explained[0] < display.explained[0]


def test_points_of_each_label_and_rings():
    labels = RNG.choice(["a", "b", "c"], 60)
    display = MapDisplay.from_inputs(X, labels, suspects=[5, 9], ax=axes())
    rows = np.concatenate([points.rows for points in display.points_])
    assert sorted(rows.tolist()) == list(range(60))
    counts = [len(points.rows) for points in display.points_]
    assert counts == sorted(counts, reverse=True)
    for points in display.points_:
        assert len(set(labels[points.rows])) == 1
        offsets = np.asarray(points.collection.get_offsets())
        np.testing.assert_allclose(offsets, display.positions[points.rows])
    np.testing.assert_allclose(np.asarray(display.rings_.get_offsets()), display.positions[[5, 9]])
    assert MapDisplay.from_inputs(X, labels, ax=axes()).rings_ is None


def test_many_labels_share_the_last_group():
    display = MapDisplay.from_inputs(X, np.arange(60).astype(str), ax=axes())
    assert [len(points.rows) for points in display.points_] == [1] * 12 + [48]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts[-1] == "48 other labels"


def test_numbers_have_a_scale_of_colours():
    display = MapDisplay.from_inputs(X, X[:, 0], confidence=np.linspace(0, 1, 60), ax=axes())
    (points,) = display.points_
    np.testing.assert_array_equal(points.collection.get_array(), X[:, 0])
    opacity = np.asarray(points.collection.get_alpha())
    assert opacity[0] < opacity[-1]


@pytest.mark.parametrize("values", [X[:, :1], X[:, 3:], np.zeros((60, 3))])
def test_one_feature_or_none_that_varies(values):
    display = MapDisplay.from_inputs(values, np.repeat("a", 60), ax=axes())
    assert np.isfinite(display.positions).all()
    assert display.positions.shape == (60, 2)


def test_the_sample_keeps_suspects():
    rows = sampled_rows(1000, np.array([7, 999]), 100, 0)
    assert len(rows) == len(np.unique(rows)) == 100
    assert {7, 999} <= set(rows.tolist())
    assert len(sampled_rows(1000, np.arange(900), 100, 0)) == 100
    assert (sampled_rows(1000, np.arange(900), 100, 0) >= 900).any()
    display = MapDisplay.of(np.repeat(X, 20, axis=0), np.repeat("a", 1200), max_rows=50)
    assert len(display.rows) == 50


def test_labels_of_other_rows_are_refused():
    with pytest.raises(ValueError, match=r"got shape \(60, 4\) and 3 labels"):
        MapDisplay.of(X, ["a", "b", "c"])
