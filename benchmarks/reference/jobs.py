"""Run a job of `runner.py` in the other interpreter: write its input, start it, read its output."""

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reference.environment import Environment
from disambig.notation import AnyArray

__all__ = ["JobError", "run_job"]

_RUNNER = Path(__file__).resolve().parent / "runner.py"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class JobError(RuntimeError):
    """The authors' code failed or took too long."""


def run_job(
    environment: Environment, name: str, arrays: Mapping[str, Any], *, timeout: float = 3600.0
) -> dict[str, AnyArray]:
    """The output of job `name` of `runner` for `arrays`, on one core.

    Raises
    ------
    JobError
        If it fails or takes longer than `timeout` seconds.
    """
    with tempfile.TemporaryDirectory(prefix="disambig-reference-") as folder:
        source, target = Path(folder) / "in.npz", Path(folder) / "out.npz"
        np.savez(source, **arrays)
        command = [str(environment.python), "-I"]
        # Their code uses names that their numpy warns of as deprecated.
        command += ["-W", "ignore::DeprecationWarning", str(_RUNNER), name]
        try:
            subprocess.run(
                [*command, str(source), str(target)],
                env={**os.environ, **dict.fromkeys(_THREADS, "1")},
                capture_output=True,
                text=True,
                check=True,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired as error:
            raise JobError(
                f"Reference job {name!r} was stopped after {timeout:g} s; their loop has no limit "
                "on iterations. Give it more time, or fewer problems."
            ) from error
        except subprocess.CalledProcessError as error:
            message = error.stderr.strip().splitlines()[-1:] or ["no message"]
            raise JobError(f"Reference job {name!r} failed: {message[0]}") from error
        with np.load(target) as file:
            return {key: file[key] for key in file.files}
