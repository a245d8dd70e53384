"""The report and the figure of the rate experiments."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import rates
from benchmarks.rates_report import report
from reproduce.rate_plan import Rates, pooled_slope
from reproduce.rate_settings import RateSetting, separated_clusters
from reproduce.rates import RATE_METHODS, RatePoint


def made(setting: RateSetting, n: int, **_: int) -> RatePoint:
    """Errors of the theory, a tenth below and above in two draws of the inputs."""
    clusters = len(setting.distributions)
    k = setting.n_neighbors(n)
    infimum = 1.5 * max(distribution.eta for distribution in setting.distributions) ** k
    errors = {"IL": infimum, "AC": infimum, "DF": 1.5 * np.exp(-0.02 * n)}
    errors["DF, infimum start"] = errors["DF"] * (1.0 if clusters > 1 else 0.5)
    n_predictions = np.full((2, clusters), 10**6)
    around = np.array([[0.9], [1.1]])
    wrong = {m: around * n_predictions * min(0.9, errors.get(m, 0.0)) for m in RATE_METHODS}
    return RatePoint(setting.name, n, k, wrong, n_predictions, 50)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Rates]:
    monkeypatch.setattr(rates, "measure_rate", made)
    return rates.run()


def test_the_report_compares_slopes_with_the_theory(found: dict[str, Rates]) -> None:
    text = report(found, "the command")
    assert "- Command: `the command`" in text
    assert "| 0.9 | 0.04 | IL | 900-1900 | -0.00421 [" in text
    assert "| 0.9 | 0.04 | DF | 100-350 | -0.02000 [" in text
    assert text.count("| -0.00421 | -0.02532 |") == 3
    assert found["rates"].slopes["IL"].slope == pytest.approx(0.04 * np.log(0.9))


def test_the_infimum_start_has_a_column_where_it_differs(found: dict[str, Rates]) -> None:
    text = report(found, "the command")
    # Two settings of one cluster, in which `made` lets the starts differ.
    assert text.count("| DF, infimum start |") == 2
    assert "| DF here | DF elsewhere |" in text
    assert "nan" not in text
    assert "0 ± 0" not in text


def test_the_pooled_slope_is_that_of_one_wrong_class_in_all_sets() -> None:
    setting = separated_clusters(0.7)
    members = np.random.default_rng(0).binomial(40, 0.25, size=400_000)
    simulated = np.mean(0.7**members)
    assert np.exp(40 * pooled_slope(setting)) == pytest.approx(simulated, rel=0.01)


def test_the_figure_is_drawn(found: dict[str, Rates], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("PIL")
    from benchmarks.rates_figure import draw

    draw(found, tmp_path / "rates.png")
    assert 1e4 < (tmp_path / "rates.png").stat().st_size < 1e5
