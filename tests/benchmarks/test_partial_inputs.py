"""The cells that the benchmark hides in part, what fills them, and what it says of its figures."""

import numpy as np
import pytest

from benchmarks.partial_inputs import (
    EXPECTED,
    FORMS,
    IMPUTERS,
    METHODS,
    PRINCIPLE,
    Outcome,
    imputed,
    in_part,
    ranks,
    summary,
    table,
)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_known_holds_the_value(form):
    values = np.random.default_rng(0).normal(size=(300, 4))
    X = in_part(values, 0.3, form, np.random.default_rng(1))
    assert X.contains(values, 1e-12).all()
    assert np.mean(~X.is_known) == pytest.approx(0.3, abs=0.03)
    for method in (*IMPUTERS, "middle"):
        filled = imputed(method, X, np.arange(100), 0)[:, :4]
        np.testing.assert_allclose(filled[X.is_known], values[X.is_known])
        assert ((filled >= X.lower) & (filled <= X.upper)).all()


def test_tables_say_who_is_better():
    worse, better = np.array([0.3, 0.4]), np.array([0.1, 0.3])
    found = {method: Outcome(worse, 1.0) for method in METHODS}
    found |= {EXPECTED: Outcome(np.array([0.2, 0.3]), 1.0), PRINCIPLE: Outcome(better, 1.0)}
    outcomes = {("a", 0.3, "rounded"): found}
    assert table(outcomes).splitlines()[2].endswith("| 0.250 | **0.200** | -0.050 ± 0.050 |")
    assert "| rounded | 4.50 | 4.50 | 4.50 | 4.50 | 2.00 | 1.00 |" in ranks(outcomes)
    text = summary(outcomes)
    assert "-0.0500 ± 0.0500 on average over 2 runs: less in 1, equal in 1, more in 0" in text
    assert "in 1 of 1 cases; the mean difference is -0.100" in text
