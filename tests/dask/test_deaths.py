"""Workers and clients that are killed: the labels stay the same, and nothing waits for ever."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask.array as da

from disambig import PartialLabelClassifier
from disambig.dask import DaskEstimator, local_client
from disambig.weights import NeighborWeights
from tests.dask.conftest import LIMIT

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
N, CHUNKS = 1500, (400, 0, 100, 1000)
WEIGHTS = NeighborWeights(8, leave_one_out=True)


def data(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 4))
    truth = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)
    mask = np.eye(4, dtype=bool)[truth] | (rng.uniform(size=(N, 4)) < 0.3)
    mask[rng.uniform(size=N) < 0.3] = True
    return X, mask


@pytest.fixture
def client():
    with local_client(2) as found:
        yield found


@pytest.fixture(scope="module")
def expected():
    X, mask = data()
    return PartialLabelClassifier(WEIGHTS, solver="alternating").fit(X, mask)


def workers(client):
    """Process numbers of the workers that answer."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        try:
            found = [pid for pid in client.run(os.getpid, on_error="ignore").values() if pid]
        except OSError:
            found = []
        if found:
            return sorted(found)
        time.sleep(0.2)
    raise TimeoutError("no worker answers")


def fitted(client, callback=None):
    X, mask = data()
    collection = da.from_array(X, chunks=(CHUNKS, -1))
    labels = PartialLabelClassifier(WEIGHTS, solver="alternating", callback=callback)
    return DaskEstimator(labels).fit(collection, mask, client=client)


def assert_same(model, expected):
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert (model.objective_, model.trace_) == (expected.objective_, expected.trace_)


@pytest.mark.parametrize("n_workers", [1, 2])
def test_worker_processes_find_the_labels_of_memory(n_workers, expected):
    with local_client(n_workers) as client:
        assert all("127.0.0.1" in address for address in client.nthreads())
        model = fitted(client)
        assert_same(model, expected)
        X, _ = data()
        predicted = model.predict(da.from_array(X, chunks=(CHUNKS, -1))).compute()
        np.testing.assert_array_equal(predicted, expected.predict(X))
        assert model.traffic_["repeated"] == 0


@pytest.mark.parametrize("step", range(1, 4))
def test_a_worker_killed_in_a_step(step, client, expected):
    def kill(progress):
        if progress.iteration == step and not killed:
            killed.append(workers(client)[step % len(workers(client))])
            os.kill(killed[0], signal.SIGKILL)

    killed = []
    assert_same(fitted(client, kill), expected)
    assert killed


@pytest.mark.parametrize("seed", range(10))
def test_workers_killed_at_random_moments(seed, client, expected):
    """One while the votes are built or in a step, and one after the last step."""
    start = time.monotonic()
    fitted(client)
    usual = time.monotonic() - start
    rng = np.random.default_rng(seed)
    X, _ = data()
    victim = int(rng.choice(workers(client)))
    timer = threading.Timer(rng.uniform(0, usual), os.kill, (victim, signal.SIGKILL))
    timer.start()
    try:
        model = fitted(client)
    finally:
        timer.join()
    assert_same(model, expected)
    os.kill(int(rng.choice(workers(client))), signal.SIGKILL)
    predicted = model.predict(da.from_array(X, chunks=(CHUNKS, -1))).compute()
    np.testing.assert_array_equal(predicted, expected.predict(X))


_FIT = """
import sys
import numpy as np
import dask.array as da
from disambig import PartialLabelClassifier
from disambig.dask import DaskEstimator, local_client
from tests.dask.test_deaths import CHUNKS, WEIGHTS, data

def stop(progress):
    print(progress.iteration, flush=True)
    if sys.argv[2] == "wait" and progress.iteration == 2:
        sys.stdin.read()

if __name__ == "__main__":
    X, mask = data()
    with local_client(2) as client:
        labels = PartialLabelClassifier(WEIGHTS, solver="alternating", callback=stop)
        model = DaskEstimator(labels, checkpoint=sys.argv[1], checkpoint_seconds=0.0)
        model.fit(da.from_array(X, chunks=(CHUNKS, -1)), mask, client=client)
    np.save(sys.argv[1] + ".npy", model.labels_)
"""


def test_the_client_killed_and_resumed(tmp_path, expected):
    script, folder = tmp_path / "fit.py", tmp_path / "state"
    script.write_text(_FIT)
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, str(script), str(folder)]
    with subprocess.Popen(
        [*command, "wait"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            while process.stdout.readline().strip() != "2":
                assert process.poll() is None
        finally:
            process.kill()
    assert list(folder.rglob("run-*.npz"))
    done = subprocess.run(
        [*command, "go"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=LIMIT,
        check=True,
    )
    # The first step was kept, and is not done again.
    assert done.stdout.split()[0] == "2"
    np.testing.assert_array_equal(np.load(f"{folder}.npy"), expected.labels_)
    assert not folder.exists()
