"""A run that is ended by a signal takes its workers with it: an idle one and one that computes."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from reproduce.processes import ending_in_order

ROOT = Path(__file__).resolve().parents[2]
# Far more than any step takes; a test that fails ends after it.
_PATIENCE = 120.0

needs_signals = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals as POSIX has")


def started(folder: str, seconds: float) -> dict[str, Any]:
    """Write a file, then wait."""
    (Path(folder) / f"{seconds:g}").touch()
    time.sleep(seconds)
    return {}


_RUN = """
import signal
import sys
# Where the tests themselves run under nohup, they would pass "ignore it" on.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from types import SimpleNamespace
from reproduce import __main__ as command, registry
from reproduce.cache import Job
from reproduce.tests.test_ended_runs import started

folder = sys.argv[1]
jobs = [Job("waits", str(s), started, {"folder": folder, "seconds": s}) for s in (0.0, 600.0)]
registry.reproduction = lambda name, **_: SimpleNamespace(jobs=jobs)
sys.exit(command.main(["simplex", "--jobs", "2", "--out", folder]))
"""


@pytest.fixture
def run(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A run with one job that is done and stored, and one that takes ten minutes."""
    process = subprocess.Popen(
        [sys.executable, "-c", _RUN, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + _PATIENCE
    while not ((tmp_path / "600").exists() and list((tmp_path / "cache").glob("waits/0-0-*.json"))):
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < until
        time.sleep(0.05)
    yield process
    # Processes that a test should have ended and did not: their group is that of the run.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def output(process: "subprocess.Popen[str]") -> str:
    """What was printed, after all processes are gone: the workers, too, hold the stream open."""
    return process.communicate(timeout=_PATIENCE)[0]


@needs_signals
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_workers_and_the_exit_code_says_which(
    run: "subprocess.Popen[str]", name: str
) -> None:
    number = getattr(signal, name)
    run.send_signal(number)
    printed = output(run)
    assert run.returncode == 128 + number
    assert f"disambig reproduce: ended by {name}" in printed
    assert "Traceback" not in printed


@needs_signals
def test_workers_end_after_a_main_process_that_was_killed(run: "subprocess.Popen[str]") -> None:
    run.kill()
    output(run)
    assert run.returncode == -signal.SIGKILL


@needs_signals
def test_signals_that_are_ignored_or_handled_stay_so() -> None:
    def mine(*_: object) -> None:
        """Another handler."""

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN), signal.signal(signal.SIGTERM, mine)
    try:
        with ending_in_order("a command"):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is mine
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with pytest.raises(SystemExit) as ended, ending_in_order("a command"):
            signal.raise_signal(signal.SIGTERM)
        assert ended.value.code == 143
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before[0])
        signal.signal(signal.SIGTERM, before[1])


def test_threads_leave_signals_alone() -> None:
    found: list[object] = []

    def inside() -> None:
        with ending_in_order("a command"):
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join(timeout=_PATIENCE)
    assert found == [signal.getsignal(signal.SIGTERM)]
