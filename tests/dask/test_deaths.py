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

from disambig import IntervalRegressor, PartialLabelClassifier
from disambig.dask import DaskEstimator, local_client
from disambig.exceptions import ClusterError
from disambig.weights import NeighborWeights, NystromWeights
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


@pytest.mark.parametrize("n_workers", [1, 2, 4])
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


@pytest.fixture(scope="module")
def expected_numbers():
    return NUMBERS.fit(data()[0], intervals())


NUMBERS = IntervalRegressor(NystromWeights(n_landmarks=30, random_state=0))


def intervals():
    rng, (X, _) = np.random.default_rng(2), data()
    return X[:, :1] + np.column_stack([-rng.uniform(size=N), rng.uniform(size=N)])


@pytest.mark.parametrize("moment", [0.1, 0.4, 0.8])
def test_a_worker_killed_while_numbers_are_learned(moment, client, expected_numbers):
    X, y = da.from_array(data()[0], chunks=(CHUNKS, -1)), intervals()
    start = time.monotonic()
    DaskEstimator(NUMBERS).fit(X, y, client=client)
    usual = time.monotonic() - start
    timer = threading.Timer(moment * usual, os.kill, (workers(client)[0], signal.SIGKILL))
    timer.start()
    try:
        model = DaskEstimator(NUMBERS).fit(X, y, client=client)
    finally:
        timer.join()
    np.testing.assert_allclose(model.labels_, expected_numbers.labels_, rtol=1e-8, atol=1e-8)
    os.kill(workers(client)[0], signal.SIGKILL)
    predicted = model.predict(X).compute()
    np.testing.assert_allclose(predicted, expected_numbers.predict(data()[0]), atol=1e-8)


def test_a_worker_that_comes_during_a_fit(expected):
    def scale(progress):
        if progress.iteration == 1 and not asked:
            asked.append(client.cluster.scale(2))
            client.wait_for_workers(2, timeout=LIMIT)

    asked = []
    with local_client(1) as client:
        model = fitted(client, scale)
        assert len(client.nthreads()) == 2
        assert_same(model, expected)
    assert asked


def test_two_clients_at_once_take_ports_of_their_own():
    with local_client(1) as first, local_client(1) as second:
        ports = {client.scheduler.address for client in (first, second)}
        assert len(ports) == 2
        assert all(address.startswith("tcp://127.0.0.1:") for address in ports)
        assert [client.submit(abs, -1).result(LIMIT) for client in (first, second)] == [1, 1]


def test_a_worker_without_enough_memory_ends_the_fit():
    """The process itself takes more than it is allowed: it is ended as often as it starts."""
    X, mask = data()
    collection = da.from_array(X, chunks=(CHUNKS, -1))
    model = DaskEstimator(PartialLabelClassifier(WEIGHTS), max_attempts=2)
    with (
        local_client(1, memory_limit="60MiB") as client,
        pytest.raises(ClusterError, match=r"memory is the usual reason"),
    ):
        model.fit(collection, mask, client=client)


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
