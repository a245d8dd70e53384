import numpy as np
import pytest

from benchmarks.class_shares import PROBLEMS, asked, outcome


def test_wrong_shares_move_points_from_the_most_frequent_class_to_the_rarest():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    assert asked("none", y, 3) is None
    np.testing.assert_allclose(asked("true", y, 3), [0.5, 0.3, 0.2])
    np.testing.assert_allclose(asked("10 points wrong", y, 3), [0.4, 0.3, 0.3])
    # Also of equally frequent ones.
    np.testing.assert_allclose(asked("20 points wrong", np.repeat([0, 1], 5), 2), [0.7, 0.3])


@pytest.mark.parametrize("name", ["the same, neighbours"])
def test_true_shares_are_better_on_unequal_circles(name):
    problem = PROBLEMS[name]
    assert outcome(problem, "true", 0)[0] > outcome(problem, "none", 0)[0] + 0.1
