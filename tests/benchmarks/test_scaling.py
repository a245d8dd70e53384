"""The scaling benchmark: data, measurements, limits, stored outcomes, and the figure."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import scaling, scaling_point
from benchmarks.kept_outcomes import KeptOutcomes
from benchmarks.scaling import APPROXIMATE, Curve
from benchmarks.scaling_point import BEST_ACCURACY, Outcome, Point, candidates, measure, sheets


@pytest.mark.parametrize(("m", "size"), [(3, 2), (4, 3), (10, 3), (100, 3)])
def test_the_class_is_among_few_candidates(m: int, size: int) -> None:
    X, truth = sheets(2000, 20, m)
    assert X.shape == (2000, 20)
    assert set(truth) == set(range(m))
    mask = candidates(truth, m)
    assert (mask.sum(axis=1) == size).all()
    assert mask[np.arange(2000), truth].all()


def test_the_best_accuracy_is_that_of_the_true_border() -> None:
    rng = np.random.default_rng(0)
    place, noise = rng.standard_normal((2, 200_000))
    seen = place + scaling_point._BORDER_NOISE * noise > 0
    assert np.mean(seen == (place > 0)) == pytest.approx(BEST_ACCURACY, abs=2e-3)


@pytest.mark.needs_jit
@pytest.mark.parametrize("method", ["neighbours, exact", "landmarks", "forest", "kernel ridge"])
def test_a_point_is_measured(method: str) -> None:
    found = measure(Point(method, 800))
    assert found.weights_cpu is not None
    assert 0 < found.weights_cpu < found.cpu
    assert found.right is not None
    # Chance would give a third and a tenth.
    assert min(found.recovered, found.right) > 0.5
    assert (found.recall == 1.0) == method.startswith("neighbours")
    assert found.gib > 0.01


def test_label_spreading_is_measured() -> None:
    found = measure(Point("LabelSpreading, knn", 4000))
    assert found.recovered > 0.4
    assert found.weights_cpu is None


def test_times_are_extrapolated_by_their_growth() -> None:
    assert scaling.expected([], [], 10.0) == 0.0
    assert scaling.expected([10.0], [1.0], 100.0) == pytest.approx(10.0)
    assert scaling.expected([10.0, 100.0], [1.0, 100.0], 1000.0) == pytest.approx(1e4)
    assert scaling.expected([10.0, 100.0], [1.0, 1.0], 1000.0) == pytest.approx(10.0)


def made(point: Point, cap: float) -> Outcome:
    """Seconds in proportion to n; kernel ridge needs more memory than there is."""
    if point.method == "kernel ridge" and point.n > 1000:
        return Outcome(limit="stopped: more than 8 GiB")
    seconds = point.n / 1000
    assert seconds <= cap
    return Outcome(seconds, 2 * seconds, seconds / 2, seconds, 0.5, 0.9, 0.8, 1.0)


def test_points_that_are_not_run_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "measure_in_process", made)
    stored = KeptOutcomes(tmp_path / "outcomes.jsonl", Outcome)
    results = [(curve, list(scaling.run(curve, stored))) for curve in scaling.curves(100.0)]
    text = scaling.report(results, cap=100.0, command="c")
    assert "| forest | 100,000 | 100.00 | 50.00 | 50.00 |" in text
    assert "| forest | 300,000 | not run: about 300 s expected |" in text
    assert "| kernel ridge | 2,000 | stopped: more than 8 GiB |" in text
    assert "| kernel ridge | 4,000 | not run: more than 8 GiB at a smaller one |" in text
    assert "At n = 300,000, d = 20: the graph of neighbours takes 150.0 CPU s" in text
    assert "finished within the limits: knn 100,000 in 100 s; rbf 100,000 in 100 s." in text
    assert text.count("| m | ") == len(scaling.VARIED["m"])


def test_stored_outcomes_are_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scaling, "measure_in_process", made)
    curve = Curve("n", (Point(APPROXIMATE, 1000),), 60.0)
    path = tmp_path / "outcomes.jsonl"
    first = list(scaling.run(curve, KeptOutcomes(path, Outcome)))
    monkeypatch.delattr(scaling, "measure_in_process")
    assert list(scaling.run(curve, KeptOutcomes(path, Outcome))) == first


def test_the_figure_shows_all_curves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks.scaling_figure import save_small, scaling_figure

    monkeypatch.setattr(scaling, "measure_in_process", made)
    stored = KeptOutcomes(tmp_path / "outcomes.jsonl", Outcome)
    results = [(curve, list(scaling.run(curve, stored))) for curve in scaling.curves(100.0)]
    figure = scaling_figure(results)
    axes = figure.axes
    assert len(axes) == 8
    assert len(axes[0].lines) == len(scaling.METHODS)
    named = {"".join(text.get_text().split()) for text in axes[0].texts}
    assert named == {method.replace(" ", "") for method in scaling.METHODS}
    save_small(figure, tmp_path / "scaling.png")
    assert 1e3 < (tmp_path / "scaling.png").stat().st_size < 1e5
