"""Threads: one for the linear algebra of small problems, a pool for searches of independent parts.

A product of small matrices takes less time than waking the threads of a linear algebra library, and
a thread that waits for its partner keeps spinning. `benchmarks.busy_machine` measures both.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

Task = TypeVar("Task")
Result = TypeVar("Result")
P = ParamSpec("P")

# Operations of the largest product or factorisation. Votes of kernel ridge on two free cores: two
# threads take 1.4 times as long as one at 1,000 rows (1e9), and half as long from 2,000 on (8e9);
# `benchmarks.busy_machine --threads` measures it.
_MIN_PARALLEL_OPERATIONS = 5e9


@cache
def _libraries() -> ThreadpoolController:
    # Looking for the loaded libraries takes longer than a small search.
    import scipy.linalg  # noqa: F401 - its library must be loaded before the look

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
    """``[work(task) for task in tasks]``, on `n_threads` threads with serial linear algebra."""
    with single_threaded():
        if n_threads == 1:
            return [work(task) for task in tasks]
        with ThreadPoolExecutor(n_threads) as pool:
            return list(pool.map(work, tasks))


class _Limit:
    """A limit of one thread for the process, set and lifted by the Python thread that came first.

    The libraries know one number of threads for all Python threads. If every block restored what it
    found, two blocks that overlap could leave the limit behind. So blocks in other threads do
    nothing while one thread has the limit; at worst they run on all threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._depth = 0
        self._active: AbstractContextManager[object] | None = None

    def enter(self) -> None:
        with self._lock:
            if self._owner is None:
                self._owner = threading.get_ident()
                self._active = _libraries().limit(limits=1)
                self._active.__enter__()
            if self._owner == threading.get_ident():
                self._depth += 1

    def leave(self) -> None:
        with self._lock:
            if self._owner != threading.get_ident():
                return
            self._depth -= 1
            if self._depth == 0 and self._active is not None:
                self._active.__exit__(None, None, None)
                self._owner = self._active = None


_LIMIT = _Limit()


@contextmanager
def single_threaded() -> Iterator[None]:
    """Linear algebra on one thread inside the block; afterwards as many as before.

    Examples
    --------
    >>> with single_threaded():
    ...     thread_count(None)
    1
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


@contextmanager
def threads_for(n_rows: int, n_features: int) -> Iterator[None]:
    """One thread inside the block for few rows; for many, as many as the user allows.

    ``n^2 (n + d)`` operations bound a kernel matrix and its factorisation.

    Parameters
    ----------
    n_rows, n_features : int
        Of the training inputs.

    Examples
    --------
    >>> with threads_for(1000, 20):
    ...     thread_count(None)
    1
    """
    operations = float(n_rows) ** 2 * (n_rows + n_features)
    if operations >= _MIN_PARALLEL_OPERATIONS:
        yield
        return
    with single_threaded():
        yield


def limit_threads(position: int) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Decorate a function so that it runs inside `threads_for` of its argument X.

    Parameters
    ----------
    position : int
        Of X among the positional arguments: 0 for functions, 1 for methods.
    """

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        @wraps(function)
        def limited(*args: P.args, **kwargs: P.kwargs) -> Result:
            X = kwargs.get("X", args[position] if len(args) > position else None)
            with threads_for(*_shape(X)):
                return function(*args, **kwargs)

        return limited

    return decorate


def _shape(X: Any) -> tuple[int, int]:
    """Rows and features of unchecked inputs; (0, 0) for what `fit` will refuse."""
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2:
        return int(shape[0]), int(shape[1])
    return (len(X), 0) if hasattr(X, "__len__") and shape is None else (0, 0)
