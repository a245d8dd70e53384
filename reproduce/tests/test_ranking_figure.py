"""The ranking figure: errors, choices by held-out pairs, the authors' numbers."""

import numpy as np
import pytest

from reproduce import ranking
from reproduce.ranking import LEVELS, ORDER_METHODS, ranking_results


@pytest.fixture(scope="module")
def found() -> dict[str, object]:
    return ranking.line_errors(0, 1, (LEVELS[0], LEVELS[5], LEVELS[9]))


def test_there_are_errors_for_every_cell_and_level(found: dict[str, object]) -> None:
    for errors in (found["wrong"], found["missed"]):
        assert {np.array(values).shape for values in errors.values()} == {(1, 6, 3)}
    assert set(found["wrong"]) == set(ORDER_METHODS)
    assert found["left"][2] == 0.0
    assert found["default"][0][2] is None
    assert ranking.line_errors(0, 1, (LEVELS[0], LEVELS[5], LEVELS[9])) == found


def test_without_known_pairs_there_are_no_held_out_errors(found: dict[str, object]) -> None:
    for method in ORDER_METHODS:
        assert not np.array(found["missed"][method])[..., 2].any()
        assert (np.array(found["missed"][method])[..., 0] > 0).any()


def test_results_have_the_numbers_of_the_authors(found: dict[str, object]) -> None:
    results = ranking_results([found, {**found, "seed": 1}])
    by = {(r.level, r.method, r.choice): r for r in results}
    assert by[LEVELS[0], "DF", "truth"].authors == 0.013
    assert by[LEVELS[0], "DF", "truth"].authors_error == 0.0
    assert by[LEVELS[0], "AC, exact", "truth"].authors is None
    assert (LEVELS[9], ranking.DEFAULT, "fixed") not in by
    for level in (LEVELS[0], LEVELS[5]):
        for name in ORDER_METHODS.values():
            assert by[level, name, "truth"].mean <= by[level, name, "sets"].mean


def test_the_random_member_of_a_total_order_is_that_order() -> None:
    """If all pairs are known, the authors' average and the exact one are the same orders."""
    rng = np.random.default_rng(0)
    data = ranking.make_ranking_lines(6, 4, random_state=rng)
    orders = [ranking.ScoreGapCorruption(0.0)(data.scores)]
    run = ranking.ranking_sweep(data.X, data.X, orders, (1.0,), (0.1,), coded=rng)
    np.testing.assert_array_equal(run.predictions["ac"], run.predictions["ac_coded"])
