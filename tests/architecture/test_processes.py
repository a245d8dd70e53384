"""Fits in threads, worker processes and forked processes; compiled code is cached on disk."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from joblib import Parallel, delayed

from disambig import PartialLabelClassifier
from disambig.weights import NeighborWeights

ROOT = Path(__file__).resolve().parents[2]

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def _problem(seed=0, n=120):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, size=n)
    X = rng.normal(size=(n, 4)) + 2 * np.eye(3, 4)[truth]
    return X, np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(n, 3)) < 0.3)


def _fit(seed):
    X, mask = _problem(seed)
    return PartialLabelClassifier(weights=NeighborWeights(9, n_jobs=1)).fit(X, mask).labels_


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_fits_under_joblib(backend):
    alone = [_fit(seed) for seed in range(4)]
    together = Parallel(n_jobs=2, backend=backend)(delayed(_fit)(seed) for seed in range(4))
    np.testing.assert_array_equal(alone, together)


_FORK = """
import os, sys
from tests.architecture.test_processes import _fit
before = _fit(0)            # compiled functions have run in the parent
child = os.fork()
if child == 0:
    os._exit(0 if (_fit(0) == before).all() else 3)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@needs_fork
def test_fits_after_a_fork():
    done = subprocess.run(
        [sys.executable, "-c", _FORK], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


_COMPILATIONS = """
import numba
from numba.core import event
from tests.architecture.test_processes import _fit
with event.install_recorder("numba:compile") as recorder:
    _fit(0)
    ours = sum(1 for _, e in recorder.buffer if e.is_start)
    numba.njit(lambda x: x)(0)
print(ours, sum(1 for _, e in recorder.buffer if e.is_start) - ours)
"""


def _compilations(**environment):
    """Compilations of a fit in a new process, and of a function that is never cached."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "0", **environment}
    command = [sys.executable, "-c", _COMPILATIONS]
    output = subprocess.check_output(command, env=env, cwd=ROOT, text=True)
    return tuple(map(int, output.split()))


@pytest.mark.needs_jit
def test_a_second_process_compiles_nothing():
    _fit(0)
    assert _compilations() == (0, 1)


@pytest.mark.needs_jit
@pytest.mark.slow
def test_compiled_functions_of_the_first_process_are_cached(tmp_path):
    # With an empty cache the first process compiles all functions of a fit.
    counts = [_compilations(NUMBA_CACHE_DIR=str(tmp_path))[0] for _ in range(2)]
    assert counts[0] > 0
    assert counts[1] == 0


_READ_ONLY = """
import numba
from disambig.compiled import jit
def no_cache(*args, **kwargs):
    if kwargs.get("cache"):
        raise RuntimeError("cannot cache function: no locator available")
    return plain(*args, **kwargs)
plain, jit.numba.njit = numba.njit, no_cache
@jit.compiled
def double(x):
    return 2 * x
assert double(3) == 6
"""


def test_compiled_functions_work_without_a_writable_cache():
    subprocess.run([sys.executable, "-c", _READ_ONLY], check=True)
