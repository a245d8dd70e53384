"""Large tables: the page stays small, says what it leaves out, and opens."""

import numpy as np
import pandas as pd
import pytest

from disambig import fit_table
from tests.report.browser import browser_path, running_browser

pytestmark = pytest.mark.slow


def large_model(n):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 8, n)
    X = rng.normal(size=(8, 4))[truth] * 2 + rng.normal(size=(n, 4))
    names = np.array([f"class {k}" for k in range(8)])
    other = names[rng.integers(0, 8, n)]
    sets = [f"{a}|{b}" if a != b else a for a, b in zip(names[truth], other, strict=True)]
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        key=[f"row {row}" for row in range(n)], note=["some words " * 4] * n, label=sets
    )
    return fit_table(frame, "label", id="key", drop=["note"], weights="neighbors", resolve_at=0.999)


def test_ten_thousand_rows_are_less_than_five_megabytes():
    report = large_model(10_000).report()
    assert len(report.html.encode()) <= 5_000_000
    assert "2,000 of 10,000 rows are drawn" in report.html


@pytest.mark.skipif(browser_path() is None, reason="Chromium is not installed (Debian: chromium)")
def test_a_hundred_thousand_rows_open(tmp_path):
    model = large_model(100_000)
    report = model.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size <= 5_000_000
    assert "2,000 of 100,000 rows are drawn" in report.html
    n_open = int((~model.resolved).sum())
    assert f"The first 500 of {n_open:,} rows; labels.csv has all." in report.html
    with running_browser(str(browser_path())) as browser:
        page = browser.new_page()
        page.open(tmp_path / "report.html")
        assert page.messages == []
        assert page.run("document.querySelectorAll('#open-table tbody tr').length") == 10
