"""The report and the figure of the rate experiments tell what was measured."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import rates
from benchmarks.rates_report import report
from reproduce.rate_plan import Rates, pooled_slope
from reproduce.rate_settings import RateSetting, separated_clusters
from reproduce.rates import RATE_METHODS, RatePoint


def made(setting: RateSetting, n: int, **_: int) -> RatePoint:
    """Errors as the theory has them, spread by a tenth over two draws of the inputs."""
    clusters = len(setting.laws)
    k = setting.n_neighbors(n)
    infimum = 1.5 * max(law.eta for law in setting.laws) ** k
    errors = {"IL": infimum, "AC": infimum, "DF": 1.5 * np.exp(-0.02 * n)}
    errors["DF, infimum start"] = errors["DF"] * (1.0 if clusters > 1 else 0.5)
    asked = np.full((2, clusters), 10**6)
    around = np.array([[0.9], [1.1]])
    wrong = {m: around * asked * min(0.9, errors.get(m, 0.0)) for m in RATE_METHODS}
    return RatePoint(setting.name, n, k, wrong, asked, 50)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Rates]:
    monkeypatch.setattr(rates, "measure_rate", made)
    return rates.run()


def test_slopes_stand_beside_the_theory(found: dict[str, Rates]) -> None:
    text = report(found, "the command")
    assert "- Command: `the command`" in text
    assert "| 0.9 | 0.04 | IL | 900-1900 | -0.00421 [" in text
    assert "| 0.9 | 0.04 | DF | 100-350 | -0.02000 [" in text
    assert text.count("| -0.00421 | -0.02532 |") == 3
    assert found["rates"].slopes["IL"].slope == pytest.approx(0.04 * np.log(0.9))


def test_the_other_start_has_a_column_where_it_matters(found: dict[str, Rates]) -> None:
    text = report(found, "the command")
    # Two settings of one cluster, in which `made` lets the starts differ.
    assert text.count("| DF, infimum start |") == 2
    assert "| DF here | DF elsewhere |" in text
    assert "nan" not in text
    assert "0 ± 0" not in text


def test_a_pooled_cluster_errs_when_all_its_sets_hold_a_rival() -> None:
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
