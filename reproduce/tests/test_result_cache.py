"""Segments are kept, found again, and computed anew where something changed."""

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
from reproduce.cache import Piece, Result, ResultCache
from reproduce.simplex_readings import measured

COMPUTED: list[int] = []


def squared(k: int) -> dict[str, Any]:
    COMPUTED.append(k)
    if k < 0:
        raise KeyboardInterrupt
    if k == 7:
        warnings.warn("seven", UserWarning, stacklevel=1)
    return {"k": k, "square": (k**2, 0.1 + k)}


def pieces(*numbers: int) -> list[Piece]:
    return [Piece("squares", f"the square of {k}", squared, {"k": k}) for k in numbers]


@pytest.fixture
def kept(tmp_path: Path) -> ResultCache:
    COMPUTED.clear()
    return ResultCache(tmp_path / "pieces", {"disambig": "1"})


def test_what_is_kept_is_not_computed_again(kept: ResultCache) -> None:
    heard: list[tuple[str, bool]] = []
    first = kept.results(pieces(1, 2))
    again = kept.results(pieces(2, 3, 1), done=lambda p, r, was: heard.append((p.name, was)))
    assert COMPUTED == [1, 2, 3]
    assert [result.payload["k"] for result in again] == [2, 3, 1]
    assert again[2] == first[0]
    # As JSON has it, whether it was computed just now or read.
    assert again[1].payload["square"] == [9, 3.1]
    assert heard == [
        ("the square of 2", True), ("the square of 1", True), ("the square of 3", False),
    ]  # fmt: skip


def test_an_interruption_keeps_what_was_finished(kept: ResultCache) -> None:
    with pytest.raises(KeyboardInterrupt):
        kept.results(pieces(1, -1, 2))
    assert COMPUTED == [1, -1]
    assert [r.payload["k"] for r in kept.results(pieces(1, 2))] == [1, 2]
    assert COMPUTED == [1, -1, 2]


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"identity": {}, "result": {}}'])
def test_a_file_that_makes_no_sense_is_computed_anew(kept: ResultCache, content: str) -> None:
    (piece,) = pieces(4)
    kept.results([piece])
    kept.path(piece).write_text(content)
    assert kept.results([piece])[0].payload["k"] == 4
    assert COMPUTED == [4, 4]
    assert json.loads(kept.path(piece).read_text())["result"]["payload"]["k"] == 4


def test_other_settings_versions_and_fresh_runs_are_computed(kept: ResultCache) -> None:
    kept.results(pieces(4))
    ResultCache(kept.folder, {"disambig": "2"}).results(pieces(4))
    kept.results(pieces(4), fresh=True)
    kept.results(pieces(5))
    assert COMPUTED == [4, 4, 4, 5]


def test_warnings_are_told_with_the_result(kept: ResultCache) -> None:
    (result,) = kept.results(pieces(7))
    assert result.warnings == {"UserWarning: seven": 1}
    assert kept.load(pieces(7)[0]) == result
    assert result.seconds >= 0.0


def test_processes_side_by_side_find_the_same(kept: ResultCache, tmp_path: Path) -> None:
    two = [Piece("simplex", name, measured, {}) for name in ("one", "two")]
    alone = kept.results(two)
    together = ResultCache(tmp_path / "other", kept.versions).results(two, jobs=2)
    assert [r.payload for r in together] == [r.payload for r in alone]
    assert all(isinstance(result, Result) for result in together)


def after(seconds: float, wait_for: str = "") -> dict[str, Any]:
    """Done after some time, or after a file is there."""
    while wait_for and not Path(wait_for).exists():
        time.sleep(0.02)
    time.sleep(seconds)
    return {"seconds": seconds}


def ended(wait_for: str) -> dict[str, Any]:
    """A process that ends as one that the system kills for want of memory."""
    after(0.0, wait_for)
    os._exit(9)


def test_a_process_that_is_killed_is_a_refusal_and_the_finished_are_kept(kept: ResultCache) -> None:
    first = Piece("ends", "first", after, {"seconds": 0.0})
    # It ends only when the first result is written.
    killed = Piece("ends", "killed", ended, {"wait_for": str(kept.path(first))})
    rest = [Piece("ends", f"rest {k}", after, {"seconds": 600.0 + k}) for k in range(3)]
    with pytest.raises(Refusal, match=r"ended from outside \(memory\?\).*fewer --jobs") as found:
        kept.results([first, killed, *rest], jobs=2)
    assert found.value.code == 1
    assert kept.load(first) is not None
    assert [kept.load(piece) for piece in (killed, *rest)] == [None] * 4


def test_what_fails_in_a_process_is_raised_and_ends_the_others(kept: ResultCache) -> None:
    fails = Piece("ends", "fails", after, {"seconds": -1.0})
    long = [Piece("ends", f"long {k}", after, {"seconds": 600.0 + k}) for k in range(3)]
    others = set(active_children())
    with pytest.raises(ValueError, match="non-negative"):
        kept.results([fails, *long], jobs=2)
    assert set(active_children()) <= others


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals as POSIX has them")
def test_an_interruption_ends_the_processes_and_keeps_the_finished(kept: ResultCache) -> None:
    first = Piece("ends", "first", after, {"seconds": 0.0})
    long = [Piece("ends", f"long {k}", after, {"seconds": 600.0 + k}) for k in range(3)]

    def interrupt(*_: object) -> None:
        # As a terminal does it: from outside, while the main thread waits for results.
        main = threading.main_thread().ident
        threading.Timer(0.2, signal.pthread_kill, [main, signal.SIGINT]).start()

    others = set(active_children())
    # A run in the background ignores interruptions, and so would this test.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            kept.results([first, *long], jobs=2, done=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    assert set(active_children()) <= others
    assert kept.load(first) is not None


def test_a_result_that_cannot_be_written_is_a_refusal(kept: ResultCache) -> None:
    kept.folder.write_text("a file")
    with pytest.raises(Refusal, match=r"cannot write into .*pieces: "):
        kept.results(pieces(1))
