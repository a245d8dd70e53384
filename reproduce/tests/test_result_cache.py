"""Results of jobs are stored, read again, and computed again where something changed."""

import json
import os
import signal
import threading
import time
import warnings
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from disambig.cli.commands import Refusal
from reproduce.cache import Job, JobResult, ResultCache
from reproduce.simplex_results import simplex_losses

COMPUTED: list[int] = []


def squared(k: int) -> dict[str, Any]:
    COMPUTED.append(k)
    if k < 0:
        raise KeyboardInterrupt
    if k == 7:
        warnings.warn("seven", UserWarning, stacklevel=1)
    return {"k": k, "square": (k**2, 0.1 + k)}


def jobs(*numbers: int) -> list[Job]:
    return [Job("squares", f"the square of {k}", squared, {"k": k}) for k in numbers]


@pytest.fixture
def cache(tmp_path: Path) -> ResultCache:
    COMPUTED.clear()
    return ResultCache(tmp_path / "cache", {"disambig": "1"})


def test_stored_results_are_not_computed_again(cache: ResultCache) -> None:
    calls: list[tuple[str, bool]] = []
    first = cache.results(jobs(1, 2))
    again = cache.results(jobs(2, 3, 1), done=lambda j, r, was: calls.append((j.name, was)))
    assert COMPUTED == [1, 2, 3]
    assert [result.payload["k"] for result in again] == [2, 3, 1]
    assert again[2] == first[0]
    # Tuples become lists as in JSON, also if the result was computed just now.
    assert again[1].payload["square"] == [9, 3.1]
    assert calls == [
        ("the square of 2", True), ("the square of 1", True), ("the square of 3", False),
    ]  # fmt: skip


def test_an_interruption_keeps_finished_results(cache: ResultCache) -> None:
    with pytest.raises(KeyboardInterrupt):
        cache.results(jobs(1, -1, 2))
    assert COMPUTED == [1, -1]
    assert [r.payload["k"] for r in cache.results(jobs(1, 2))] == [1, 2]
    assert COMPUTED == [1, -1, 2]


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"identity": {}, "result": {}}'])
def test_an_unreadable_file_is_computed_again(cache: ResultCache, content: str) -> None:
    (job,) = jobs(4)
    cache.results([job])
    cache.path(job).write_text(content)
    assert cache.results([job])[0].payload["k"] == 4
    assert COMPUTED == [4, 4]
    assert json.loads(cache.path(job).read_text())["result"]["payload"]["k"] == 4


def test_other_settings_versions_and_fresh_runs_are_computed(cache: ResultCache) -> None:
    cache.results(jobs(4))
    ResultCache(cache.folder, {"disambig": "2"}).results(jobs(4))
    cache.results(jobs(4), fresh=True)
    cache.results(jobs(5))
    assert COMPUTED == [4, 4, 4, 5]


def test_warnings_are_stored_with_the_result(cache: ResultCache) -> None:
    (result,) = cache.results(jobs(7))
    assert result.warnings == {"UserWarning: seven": 1}
    assert cache.load(jobs(7)[0]) == result
    assert result.seconds >= 0.0


def test_parallel_processes_give_the_same_results(cache: ResultCache, tmp_path: Path) -> None:
    two = [Job("simplex", name, simplex_losses, {}) for name in ("one", "two")]
    alone = cache.results(two)
    together = ResultCache(tmp_path / "other", cache.versions).results(two, n_processes=2)
    assert [r.payload for r in together] == [r.payload for r in alone]
    assert all(isinstance(result, JobResult) for result in together)


def after(seconds: float, wait_for: str = "") -> dict[str, Any]:
    """Return after some time, or after a file exists."""
    while wait_for and not Path(wait_for).exists():
        time.sleep(0.02)
    time.sleep(seconds)
    return {"seconds": seconds}


def ended(wait_for: str) -> dict[str, Any]:
    """End the process as the system does when memory runs out."""
    after(0.0, wait_for)
    os._exit(9)


def test_a_killed_process_is_refused_and_finished_results_are_kept(cache: ResultCache) -> None:
    first = Job("ends", "first", after, {"seconds": 0.0})
    # It ends only after the first result is written.
    killed = Job("ends", "killed", ended, {"wait_for": str(cache.path(first))})
    rest = [Job("ends", f"rest {k}", after, {"seconds": 600.0 + k}) for k in range(3)]
    with pytest.raises(
        Refusal, match=r"killed, perhaps for want of memory.*smaller --jobs"
    ) as found:
        cache.results([first, killed, *rest], n_processes=2)
    assert found.value.code == 1
    assert cache.load(first) is not None
    assert [cache.load(job) for job in (killed, *rest)] == [None] * 4


def test_an_error_in_a_process_is_raised_and_ends_the_others(cache: ResultCache) -> None:
    fails = Job("ends", "fails", after, {"seconds": -1.0})
    long = [Job("ends", f"long {k}", after, {"seconds": 600.0 + k}) for k in range(3)]
    others = set(active_children())
    with pytest.raises(ValueError, match="non-negative"):
        cache.results([fails, *long], n_processes=2)
    assert set(active_children()) <= others


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals as POSIX has them")
def test_an_interruption_ends_the_processes_and_keeps_finished_results(cache: ResultCache) -> None:
    first = Job("ends", "first", after, {"seconds": 0.0})
    long = [Job("ends", f"long {k}", after, {"seconds": 600.0 + k}) for k in range(3)]

    def interrupt(*_: object) -> None:
        # As in a terminal: the signal comes while the main thread waits for results.
        main = threading.main_thread().ident
        threading.Timer(0.2, signal.pthread_kill, [main, signal.SIGINT]).start()

    others = set(active_children())
    # A process in the background ignores interruptions, and so would this test.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            cache.results([first, *long], n_processes=2, done=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    assert set(active_children()) <= others
    assert cache.load(first) is not None


def test_a_result_that_cannot_be_written_is_refused(cache: ResultCache) -> None:
    cache.folder.write_text("a file")
    with pytest.raises(Refusal, match=r"cannot write into .*cache: "):
        cache.results(jobs(1))
