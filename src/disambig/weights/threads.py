"""How many threads a search may use, and each of them one of the linear algebra library's."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

Task = TypeVar("Task")
Result = TypeVar("Result")


@cache
def _libraries() -> ThreadpoolController:
    # Looking for the loaded libraries takes longer than a small search.
    return ThreadpoolController().select(user_api="blas")


def thread_count(n_jobs: int | None) -> int:
    """`n_jobs` as scikit-learn counts it; None is what the linear algebra library may use now.

    The latter follows ``OMP_NUM_THREADS`` and the like, and `threadpoolctl.threadpool_limits`.
    """
    if n_jobs is not None:
        return int(effective_n_jobs(n_jobs))
    return max([1, *(int(library.num_threads) for library in _libraries().lib_controllers)])


def run_in_threads(
    work: Callable[[Task], Result], tasks: Iterable[Task], n_threads: int
) -> list[Result]:
    """``[work(task) for task in tasks]``, on `n_threads` threads."""
    with _libraries().limit(limits=1):
        if n_threads == 1:
            return [work(task) for task in tasks]
        with ThreadPoolExecutor(n_threads) as pool:
            return list(pool.map(work, tasks))
