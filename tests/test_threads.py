"""Small problems keep linear algebra on one thread, and nothing of it is left behind."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from disambig import IntervalRegressor, PartialLabelClassifier, PartialRanker
from disambig.threads import run_in_threads, single_threaded, thread_count, threads_for
from tests.estimators.small_search import small_search


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if thread_count(None) != 2:
            pytest.skip("this build of the linear algebra library has a fixed number of threads")
        yield


def test_one_thread_inside_and_as_many_as_before_afterwards():
    with single_threaded():
        assert thread_count(None) == 1
        with single_threaded():
            assert thread_count(None) == 1
        assert thread_count(None) == 1
    assert thread_count(None) == 2


def test_an_error_lifts_the_limit():
    with pytest.raises(RuntimeError), single_threaded():
        raise RuntimeError
    assert thread_count(None) == 2


def test_blocks_that_overlap_in_two_threads_leave_no_limit():
    inside, end = threading.Event(), threading.Event()

    def hold():
        with single_threaded():
            inside.set()
            end.wait(timeout=60)

    other = threading.Thread(target=hold)
    with single_threaded():
        other.start()
        assert inside.wait(timeout=60)
        assert thread_count(None) == 1
    # The thread that came first lifts its limit, although the other block is still open.
    assert thread_count(None) == 2
    end.set()
    other.join(timeout=60)
    assert thread_count(None) == 2
    with single_threaded():
        assert thread_count(None) == 1


@pytest.mark.parametrize(
    ("n_rows", "n_features", "expected"), [(1000, 20, 1), (1000, 3000, 1), (20_000, 20, 2)]
)
def test_the_size_of_the_problem_decides(n_rows, n_features, expected):
    with threads_for(n_rows, n_features):
        assert thread_count(None) == expected


def test_a_limit_of_the_user_is_kept():
    with threadpool_limits(1, user_api="blas"):
        with threads_for(20_000, 20):
            assert thread_count(None) == 1
        with threads_for(100, 2):
            assert thread_count(None) == 1
        assert thread_count(None) == 1


def test_tasks_run_in_threads_in_order():
    assert run_in_threads(lambda task: (task, thread_count(None)), range(4), 2) == [
        (task, 1) for task in range(4)
    ]


@pytest.mark.parametrize("model", [PartialLabelClassifier, IntervalRegressor, PartialRanker])
@small_search()
def test_a_small_fit_and_prediction_run_on_one_thread(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    targets = {
        PartialLabelClassifier: np.eye(3, dtype=bool)[X.argmax(axis=1)],
        IntervalRegressor: np.column_stack([X[:, 0] - 1, X[:, 0] + 1]),
        PartialRanker: np.argsort(X, axis=1).astype(float),
    }
    counts = []
    # A mixture need not have a member that votes, and only these call back.
    named = {"weights": "neighbors"} if model is PartialRanker else {}
    fitted = model(callback=lambda _: counts.append(thread_count(None)), **named)
    fitted.fit(X, targets[model])
    assert counts == [1] * len(counts)
    assert counts
    assert thread_count(None) == 2
    fitted.predict(X[:5])
    assert thread_count(None) == 2
