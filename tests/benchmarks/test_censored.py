"""The benchmark on Tobit and censored data: data are read, fitted, predicted and scored."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import censored
from benchmarks.censored_data import DATA, CensoredData, load
from disambig.candidates import Intervals
from disambig.exceptions import DatasetError

SIZES = {
    "affairs": (601, 8),
    "mroz87": (753, 6),
    "c_botulinum": (25, 2),
    "bcos": (94, 1),
    "diabetes": (731, 1),
    "tooth24": (4386, 2),
    "neuroblastoma": (3418, 117),
}
WIDEST = "neuroblastoma"


def loaded(name: str, folder: Path) -> CensoredData:
    try:
        return load(name, folder)
    except DatasetError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", DATA)
def test_a_data_set_is_read(name: str, data_dir: Path) -> None:
    data = loaded(name, data_dir)
    assert data.X.shape == SIZES[name]
    assert len(data.intervals) == len(data.X)
    assert np.isfinite(data.X).all()
    assert data.intervals.informative.all()


def test_values_at_a_limit_are_half_lines(data_dir: Path) -> None:
    """Counts of the published tables: 451 at zero; 325 women without losses work."""
    affairs, mroz = (loaded(name, data_dir).intervals for name in ("affairs", "mroz87"))
    assert np.isneginf(affairs.lower).sum() == 451
    assert np.isposinf(affairs.upper).sum() == 38
    assert np.isneginf(mroz.lower).sum() == 325
    assert mroz.is_point.sum() == 428


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name == WIDEST else pytest.mark.slow) for name in DATA],
)
def test_a_data_set_runs_end_to_end(
    name: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(censored, "N_TREES", 5)
    data = loaded(name, data_dir)
    rows = np.random.default_rng(0).permutation(len(data.X))[:40]
    part = CensoredData(data.X[rows], data.intervals[rows], data.target)
    found = censored.run(name, part, seed=0, n_folds=1)
    for method in censored.METHODS:
        assert np.isfinite(found.distances[method]).all()
        assert (found.distances[method] >= 0).all()
    for method in censored.OURS:
        assert found.certified[method] == 1
        assert 0 <= found.met[method][0] <= 1
    text = censored.report([found], ["other: why"], command="c", seed=0)
    assert text.count(f"| {name} |") == len(censored.METHODS)
    assert "Not run: other: why" in text


def test_the_constant_is_the_one_of_least_distance() -> None:
    sets = Intervals([-np.inf, 2.0, 5.0], [1.0, 3.0, np.inf])
    tried = np.linspace(0, 6, 6001)
    losses = [float((sets.distances(np.full((3, 1), c)) ** 2).sum()) for c in tried]
    assert censored._constant(sets) == pytest.approx(tried[int(np.argmin(losses))], abs=1e-3)


def test_missing_files_give_an_error(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"affairs: there is no file .*/Affairs\.csv"):
        load("affairs", tmp_path)
