"""``kill -9`` at random moments: every file is whole, and a resumed run has the same result."""

import contextlib
import io
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

N_KILLS = 200

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked"),
]


def test_kills_leave_whole_files_and_runs_go_on(tmp_path):
    # A process of its own: what is compiled and imported there is inherited by the runs.
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.test_killed_runs", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    killed, kept = map(int, done.stdout.split())
    # Most runs were really killed, and some of them after the checkpoint.
    assert killed >= N_KILLS
    assert kept >= 10


def forked(work, seconds=None):
    """Run `work` in a fork; kill it after some seconds. Returns whether it was killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = work()
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert seconds is not None or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


def check_folder(folder, runs):
    """The files are complete, and those of a finished run belong together."""
    from disambig.persistence import load_model
    from disambig.table_models.folder import read_summary

    if (folder / "summary.json").exists() or (folder / ".staged" / "summary.json").exists():
        read_summary(folder)
    for path in folder.iterdir():
        if path.suffix == ".skops":
            load_model(path)
        elif path.name == "labels.csv":
            assert path.read_bytes() in runs, "labels"
        elif not path.name.startswith("."):
            assert path.name == "summary.json", path.name


def drive(folder):
    from disambig.cli import main, report
    from tests.table_models.tables import MAKE

    # Pages take longer than everything else here, and are written like the other files.
    report.REPORT_PACKAGES = ("a_package_that_is_not_installed",)
    rng = random.Random(0)
    made = MAKE["labels"](60)
    table = folder / "table.csv"
    made.frame.to_csv(table, index=False)

    def command(out, *more):
        arguments = ["fit", str(table), "--target", "label", "--id", "key", "--quiet"]
        with contextlib.redirect_stdout(io.StringIO()):
            return main([*arguments, "--weights", "neighbors", "--out", str(out), *more])

    def work(*arguments):
        return lambda: command(*arguments)

    # In this process, so that forks have everything loaded and compiled.
    command(folder / "first")
    command(folder / "old", "--seed", "1")
    start = time.perf_counter()
    forked(work(folder / "timed"))
    duration = time.perf_counter() - start
    runs = [(folder / name / "labels.csv").read_bytes() for name in ("first", "old")]
    n_killed = n_kept = number = 0
    while n_killed < N_KILLS:
        number += 1
        assert number < 3 * N_KILLS, "runs end before they are killed"
        out = folder / f"run{number}"
        more = []
        if number % 2:
            # Over the files of another run.
            out.mkdir()
            for path in (folder / "old").iterdir():
                (out / path.name).write_bytes(path.read_bytes())
            more = ["--force"]
        # Half of the kills are late, when files are written.
        moment = rng.uniform(0.6, 1.0) if number % 4 < 2 else rng.random()
        n_killed += forked(work(out, *more), moment * duration)
        if out.exists():
            check_folder(out, runs)
            n_kept += (out / "checkpoint.skops").exists()
        forked(work(out, "--resume", *more))
        assert (out / "labels.csv").read_bytes() == (folder / "first" / "labels.csv").read_bytes()
        assert not (out / "checkpoint.skops").exists()
        left = {path.name for path in out.iterdir()}
        assert left == {"labels.csv", "model.skops", "summary.json"}, left
    print(n_killed, n_kept)


if __name__ == "__main__":
    drive(Path(sys.argv[1]))
