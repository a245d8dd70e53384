"""The matrix of candidates: cells, order, names, and estimators."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import IntervalRegressor, PartialLabelClassifier
from disambig.metrics import candidate_confusion
from disambig.plots import CandidateConfusionDisplay
from disambig.weights import NeighborWeights

RNG = np.random.default_rng(2)
NAMES = np.array(["ape", "bat", "cat", "dog"])
CODES = RNG.integers(4, size=80)
MASK = np.eye(4, dtype=bool)[CODES]
# Apes and dogs come together.
MASK[CODES == 0, 3] = MASK[CODES == 3, 0] = True
MASK[:10, 1] = True
SETS = [set(NAMES[row]) for row in MASK]


def axes():
    return Figure().add_subplot()


def names(ticks) -> list[str]:
    return [tick.get_text() for tick in ticks]


def test_cells_are_shares_in_the_order_of_the_ticks():
    display = CandidateConfusionDisplay.from_candidates(SETS, NAMES[CODES], ax=axes())
    shares = candidate_confusion(SETS, NAMES[CODES]).shares
    np.testing.assert_array_equal(display.shares, shares)
    drawn = np.ma.filled(display.image_.get_array().astype(float), np.nan)
    order = display.order_
    assert abs(order.tolist().index(0) - order.tolist().index(3)) == 1
    expected = shares[np.ix_(order, order)]
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(drawn[off], expected[off])
    assert np.isnan(drawn[~off]).all()
    assert names(display.ax_.get_xticklabels()) == NAMES[order].tolist()
    assert names(display.ax_.get_yticklabels()) == NAMES[order].tolist()
    # Numbers of the cells, row by row.
    written = [text.get_text() for text in display.ax_.texts]
    assert written == [f"{share:.0%}" for share in expected[off]]
    assert display.image_.norm.vmax == expected[off].max()
    unsorted = display.plot(axes(), sort=False, colorbar=False, cmap="Greys")
    assert unsorted.order_.tolist() == [0, 1, 2, 3]
    assert len(unsorted.figure_.axes) == 1


def test_from_an_estimator_and_in_a_pipeline():
    X = CODES[:, None] + 0.01 * RNG.normal(size=(80, 1))
    model = PartialLabelClassifier(NeighborWeights(3)).fit(X, SETS)
    expected = candidate_confusion(SETS, model.labels_).shares
    for one in (model, make_pipeline(StandardScaler(), PartialLabelClassifier(NeighborWeights(3)))):
        display = CandidateConfusionDisplay.from_estimator(one.fit(X, SETS), SETS, ax=axes())
        np.testing.assert_array_equal(display.shares, expected)
    numbers = IntervalRegressor(NeighborWeights(2)).fit([[0.0], [1.0]], [(0, 1), (1, 2)])
    with pytest.raises(TypeError, match="IntervalRegressor has no classes_"):
        CandidateConfusionDisplay.from_estimator(numbers, SETS)


@pytest.mark.parametrize("k", [2, 13, 41, 200])
def test_few_and_many_classes(k):
    mask = np.eye(k, dtype=bool)[np.arange(2 * k) % k]
    mask[np.arange(k), (np.arange(k) + 1) % k] = True
    classes = [f"a class with a very long name {i:03d}" for i in range(k)]
    display = CandidateConfusionDisplay.from_candidates(mask, classes=classes, ax=axes())
    assert len(display.ax_.texts) == (2 if k == 2 else 0)
    shown = names(display.ax_.get_xticklabels())
    if k > 40:
        assert shown == []
        assert display.ax_.get_title(loc="right") == f"{k} classes"
    else:
        assert len(set(shown)) == k
        assert all(len(name) <= 18 for name in shown)
    display.figure_.canvas.draw()


def test_a_class_without_rows_is_empty():
    display = CandidateConfusionDisplay.from_candidates(
        [{"a", "b"}, {"b"}], ["a", "b"], classes=["a", "b", "c"], ax=axes(), name="few"
    )
    assert np.isnan(display.shares[2]).all()
    assert display.ax_.get_title() == "few"
