"""Displays of sets, labels, pairs, tags, intervals, trials and traces, against counts by hand."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from disambig import (
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.candidates import Intervals, IntervalUnions, LabelSets, PartialBits, PartialOrders
from disambig.estimators.selection.protocol import Trial
from disambig.plots import (
    CandidateConfusionDisplay,
    IntervalsDisplay,
    LabelCountsDisplay,
    LearningTraceDisplay,
    PairMatrixDisplay,
    SelectionDisplay,
    SetSizesDisplay,
    TagMatrixDisplay,
    TagRowsDisplay,
)
from disambig.solvers.loop import Progress
from disambig.weights import NeighborWeights

RNG = np.random.default_rng(0)


def axes():
    return Figure().add_subplot()


def heights(bars):
    return [bar.get_height() for bar in bars]


def test_sizes_of_label_sets():
    mask = RNG.random((200, 5)) < 0.4
    mask[np.arange(200), RNG.integers(0, 5, 200)] = True
    display = SetSizesDisplay.from_candidates(LabelSets(mask, list("abcde")), ax=axes())
    sizes, counts = np.unique(mask.sum(axis=1), return_counts=True)
    assert heights(display.bars_) == counts.tolist()
    assert display.names == [f"all {size}" if size == 5 else str(size) for size in sizes]


def test_many_sizes_are_counted_together():
    mask = np.tril(np.ones((30, 30), dtype=bool))
    display = SetSizesDisplay.from_candidates(LabelSets(mask, list(range(30))), ax=axes())
    assert len(display.names) == 12
    assert display.names[-1] == "12 to 30"
    assert display.counts.sum() == 30


def test_sizes_of_bits_orders_and_intervals():
    bits = PartialBits.from_any([[1, -1], [-1, -1], [0, 1]], zero="absent")
    assert SetSizesDisplay.of(bits).names == ["0", "1", "all 2"]
    orders = PartialOrders.from_strings(["a>b>c", "a>b", "c>a"])
    assert SetSizesDisplay.of(orders).counts.tolist() == [1.0, 2.0]
    intervals = Intervals.from_any([(0, 1), (0, 2), 3.0, ">= 2", "?"], unlabeled="?")
    found = SetSizesDisplay.of(intervals)
    assert found.names[0] == "a number"
    assert found.names[-2:] == ["one end", "no end"]
    assert found.counts.sum() == 5
    unions = IntervalUnions.from_any([[(0, 1), (4, 5)], [(1, 2)]])
    assert SetSizesDisplay.of(unions).counts.sum() == 2
    with pytest.raises(TypeError, match="expected label sets"):
        SetSizesDisplay.of([1, 2])


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4, 3e8])
def test_lengths_are_counted_between_round_numbers(scale):
    upper = scale * RNG.uniform(0.3, 7.0, 500)
    display = SetSizesDisplay.of(Intervals(np.zeros(500), upper))
    assert len(display.names) <= 10
    assert display.counts.sum() == 500
    edges = [[float(end) for end in name.split("–")] for name in display.names]
    for (low, high), count in zip(edges, display.counts, strict=True):
        assert count == np.count_nonzero((upper >= low) & (upper < high))
    if scale >= 1.0:
        assert not any("e" in name for name in display.names)


def test_label_counts_and_their_order():
    y = LabelSets.from_any([{"a", "b"}, {"b"}, {"b", "c"}, {"a", "b", "c"}])
    display = LabelCountsDisplay.from_candidates(y, np.array(["a", "b", "b", "b"]), ax=axes())
    # The last row says nothing, so that it is a candidate for nobody.
    assert display.allowed.tolist() == [1, 3, 1]
    assert display.recovered.tolist() == [1, 3, 0]
    widths = [bar.get_width() for bar in display.recovered_bars_]
    assert widths == [3, 1, 0]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["b", "a", "c"]
    short = LabelCountsDisplay.of(y, np.array(["a", "b", "b", "b"])).plot(axes(), max_names=2)
    assert len(short.order_) == 2
    assert short.ax_.get_title(loc="right") == "and 1 more"


def test_label_counts_of_tags():
    X = RNG.normal(size=(60, 2))
    truth = (X > 0).astype(int)
    given = np.where(RNG.random((60, 2)) < 0.3, -1, truth)
    y = PartialBits.from_any(given, zero="absent")
    model = PartialMultilabelClassifier(weights="neighbors").fit(X, y)
    display = LabelCountsDisplay.from_estimator(model, y, ax=axes())
    rows = (given >= 0).any(axis=1)
    assert display.allowed.tolist() == (given[rows] != 0).sum(axis=0).tolist()
    assert display.recovered.tolist() == (model.labels_ == 1).sum(axis=0).tolist()
    matrix = TagMatrixDisplay.from_estimator(model, ax=axes())
    both = (model.labels_ == 1).all(axis=1).sum()
    assert matrix.shares[0, 1] == pytest.approx(both / (model.labels_[:, 0] == 1).sum())
    with pytest.raises(TypeError, match="expected label sets or bits"):
        LabelCountsDisplay.of(Intervals.from_any([1.0]), [1.0])


def test_tags_that_no_row_has():
    display = TagMatrixDisplay.from_bits([[0, 1], [0, 1]], ["a", "b"], ax=axes())
    assert np.isnan(display.shares[0, 1])
    assert display.shares[0, 0] == 0
    assert display.order_.tolist() == [1, 0]
    with pytest.raises(ValueError, match="expected 3 bits"):
        TagMatrixDisplay.of([[0, 1]], ["a", "b", "c"])


def test_pairs_of_recovered_orders():
    X = RNG.normal(size=(50, 2))
    y = PartialOrders.from_strings(["a>b>c" if x > 0 else "c>b" for x in X[:, 0]])
    model = PartialRanker("neighbors").fit(X, y)
    display = PairMatrixDisplay.from_estimator(model, ax=axes())
    for i in range(3):
        for j in range(3):
            if i != j:
                share = np.mean(model.labels_[:, i] < model.labels_[:, j])
                assert display.shares[i, j] == pytest.approx(share)
    assert np.isnan(np.diagonal(display.shares)).all()
    assert display.order_.tolist() == np.argsort(display.places, kind="stable").tolist()
    with pytest.raises(ValueError, match="ranks of 2 items"):
        PairMatrixDisplay.of([[0, 1, 2]], ["a", "b"])


def test_intervals_along_a_feature():
    X = np.sort(RNG.uniform(size=(40, 1)), axis=0)
    y = Intervals.from_bounds(X[:, 0] - 0.2, X[:, 0] + 0.1)
    model = IntervalRegressor("kernel_ridge").fit(X, y)
    display = IntervalsDisplay.from_estimator(model, X, y, ax=axes())
    np.testing.assert_array_equal(display.x, X[:, 0])
    np.testing.assert_array_equal(display.recovered, model.labels_)
    np.testing.assert_allclose(display.curve_.get_ydata(), model.predict(X))
    ends = np.array([path.vertices[:, 1] for path in display.segments_.get_paths()])
    np.testing.assert_allclose(ends, np.column_stack([y.lower, y.upper]))


def test_intervals_in_the_order_of_their_numbers():
    y = Intervals.from_any([(3, 5), (0, 2), ">= 4"])
    display = IntervalsDisplay.from_candidates(y, [4.0, 1.0, 4.5], ax=axes())
    assert display.recovered.tolist() == [1.0, 4.0, 4.5]
    assert display.curve_ is None
    low, high = display.ax_.get_ylim()
    # A segment without an end stops at the edge.
    assert max(path.vertices[:, 1].max() for path in display.segments_.get_paths()) == high
    assert low < 0
    unions = IntervalUnions.from_any([[(0, 1), (4, 5)], [(1, 2)]])
    many = IntervalsDisplay.from_candidates(unions, [0.5, 1.5], ax=axes())
    assert many.segment_rows.tolist() == [0, 0, 1]
    few = IntervalsDisplay.of(Intervals.from_points(np.arange(50.0)), np.arange(50.0), max_rows=7)
    assert len(few.x) == 7
    with pytest.raises(TypeError, match="intervals of one column"):
        IntervalsDisplay.of([1, 2], [1, 2])


def test_trials_best_first_with_the_chosen_one_marked():
    weights = [NeighborWeights(k) for k in (3, 5, 9)]
    trials = [Trial(w, None, s, s) for w, s in zip(weights, (0.3, 0.1, 0.2), strict=True)]
    display = SelectionDisplay.from_trials(trials, weights[2], ax=axes())
    assert display.scores.tolist() == [0.1, 0.2, 0.3]
    assert display.shares.tolist() == [0, 1, 0]
    assert display.chosen_points_.get_xdata().tolist() == [0.2]
    assert "n_neighbors=9" in display.names[1]
    few = SelectionDisplay.of(trials, weights[0]).plot(axes(), max_trials=1)
    # What was chosen is drawn, however bad.
    assert few.points_.get_xdata().tolist() == [0.1, 0.3]


def test_trials_of_estimators():
    X = RNG.normal(size=(80, 2))
    labels = np.where(X[:, 0] > 0, "up", "down")
    model = PartialLabelClassifier("neighbors").fit(X, labels)
    with pytest.raises(ValueError, match=r'tried nothing.*weights="auto"'):
        SelectionDisplay.from_estimator(model)


def test_cells_without_a_value_are_grey():
    # On any background: what is transparent would be black on a dark page.
    y = LabelSets.from_any([{"a", "b"}, {"a", "c"}, {"b", "c"}])
    displays = [
        CandidateConfusionDisplay.from_candidates(y, ["a", "a", "b"], ax=axes()),
        PairMatrixDisplay.from_ranks([[0, 1, 2], [1, 0, 2]], ["a", "b", "c"], ax=axes()),
        TagMatrixDisplay.from_bits([[1, 0], [1, 0]], ["a", "b"], ax=axes(), cmap="viridis"),
    ]
    for display in displays:
        image = display.image_
        values = np.ma.filled(image.get_array(), np.nan)
        assert np.isnan(values).any()
        shown = image.cmap(image.norm(np.ma.masked_invalid(values)))[np.isnan(values)]
        np.testing.assert_allclose(shown, [[0.9, 0.9, 0.9, 1.0]] * len(shown), atol=0.01)


def test_names_of_trials_differ_where_their_ends_do():
    names = [
        f"KernelRidgeWeights(bandwidth=2.91, kernel='laplacian', regularization={ridge}) on scaled "
        "features"
        for ridge in (1e-6, 1e-4)
    ]
    display = SelectionDisplay(names, [0.1, 0.2]).plot(axes())
    shown = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert shown[0] != shown[1]
    assert all(max(map(len, text.split("\n"))) <= 52 for text in shown)


def test_tags_of_rows_given_and_recovered():
    given = PartialBits.from_any([[1, -1, 0], [-1, 0, 1], [0, -1, 1], [-1, 1, 0]], zero="absent")
    labels = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1], [1, 1, 0]])
    display = TagRowsDisplay.from_candidates(given, labels, ax=axes())
    # 3 on as given, 2 on recovered, 1 off recovered, 0 off as given.
    assert display.states.tolist() == [[3, 2, 0], [2, 0, 3], [0, 1, 3], [2, 3, 0]]
    drawn = np.asarray(display.image_.get_array())
    expected = display.states[np.ix_(display.row_order_, display.order_)]
    np.testing.assert_array_equal(drawn, expected)
    assert display.order_[0] == 0
    on = labels[display.row_order_][:, display.order_].tolist()
    assert on == sorted(on, reverse=True)
    sampled = TagRowsDisplay.of(given, labels, max_rows=2)
    np.testing.assert_array_equal(sampled.bits, labels[sampled.rows])
    with pytest.raises(TypeError, match="expected PartialBits"):
        TagRowsDisplay.of(labels, labels)
    with pytest.raises(ValueError, match=r"4 rows and 3 tags; got shape \(4, 2\)"):
        TagRowsDisplay.of(given, labels[:, :2])


def test_the_trace_of_a_run_and_its_stages():
    trace = [
        Progress("temperature 1", 0, 3.0, 5),
        Progress("temperature 1", 1, 2.0, 2),
        Progress("decoding", 0, 1.5, 0),
    ]
    display = LearningTraceDisplay.from_trace(trace, ax=axes())
    assert display.line_.get_ydata().tolist() == [3.0, 2.0, 1.5]
    assert display.undecided_line_.get_ydata().tolist() == [5, 2, 0]
    (above,) = display.ax_.child_axes
    names = [text.get_text() for text in above.get_xticklabels()]
    assert names == ["temperature 1", "decoding"]
    # Where the first step of each stage begins.
    assert above.get_xticks().tolist() == [0.5, 2.5]
    with pytest.raises(ValueError, match="the trace is empty"):
        LearningTraceDisplay.of(())


@pytest.mark.parametrize("name", ["$$", "$x_2$", "a$b"])
def test_names_with_dollars_are_no_formulas(name):
    ranks, other = [[0, 1], [1, 0]], "other"
    figure = Figure()
    drawn = [
        PairMatrixDisplay.from_ranks(ranks, [name, other], ax=figure.add_subplot(2, 2, 1)),
        TagMatrixDisplay.from_bits(ranks, [name, other], ax=figure.add_subplot(2, 2, 2)),
        CandidateConfusionDisplay.from_candidates(
            [{name}, {name, other}], ax=figure.add_subplot(2, 2, 3)
        ),
    ]
    figure.draw_without_rendering()
    for display in drawn:
        texts = {text.get_text(): text.get_parse_math() for text in display.ax_.get_yticklabels()}
        assert texts == {name: False, other: False}
