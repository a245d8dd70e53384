"""Our side of a run: write the arrays, start the other interpreter, read what comes back."""

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
    """The authors' code did not answer."""


def run_job(
    environment: Environment, name: str, arrays: Mapping[str, Any], *, timeout: float = 3600.0
) -> dict[str, AnyArray]:
    """What job `name` of `runner` makes of `arrays`, on one core.

    Raises
    ------
    JobError
        If it fails or takes longer than `timeout` seconds.
    """
    with tempfile.TemporaryDirectory(prefix="disambig-reference-") as folder:
        source, target = Path(folder) / "in.npz", Path(folder) / "out.npz"
        np.savez(source, **arrays)
        command = [str(environment.python), "-I"]
        # Their code uses names that their numpy announces as deprecated; not ours to mend.
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
                f"Reference job {name!r} was stopped after {timeout:g} s; their loop has no cap on "
                "iterations. Give it more time, or fewer problems."
            ) from error
        except subprocess.CalledProcessError as error:
            said = error.stderr.strip().splitlines()[-1:] or ["no message"]
            raise JobError(f"Reference job {name!r} failed: {said[0]}") from error
        with np.load(target) as file:
            return {key: file[key] for key in file.files}
