"""What travels: calls of a step do not depend on n, and nothing large goes with a task."""

import pickle

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask.array as da
from distributed import Client, Future

from benchmarks.dask_steps import random_problem, step
from disambig import PartialLabelClassifier
from disambig.dask import DaskEstimator
from disambig.dask.executor import DaskExecutor
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem
from disambig.votes.row_blocks import RowBlocks
from disambig.weights import NeighborWeights
from tests.dask.small_rows import in_threads

# Of what goes with a task, through the scheduler: functions, numbers, small arrays.
_SMALL_BYTES = 4096


@pytest.fixture
def client():
    with in_threads(2) as found:
        yield found


@pytest.fixture
def sizes(monkeypatch):
    """Bytes of each argument of each task that a client submits."""
    found = []

    def recorded(name, is_map):
        real = getattr(Client, name)

        def call(self, function, *arguments, **options):
            given = [one for column in arguments for one in column] if is_map else arguments
            found.extend(len(pickle.dumps(one)) for one in given if not _is_made_of_futures(one))
            return real(self, function, *arguments, **options)

        monkeypatch.setattr(Client, name, call)

    recorded("map", True)
    recorded("submit", False)
    return found


def _is_made_of_futures(value):
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_is_made_of_futures, value))
    return isinstance(value, Future)


def test_calls_of_a_step_do_not_depend_on_the_number_of_rows(client, sizes):
    found = {}
    # Arrays of less than a kilobyte would travel with their tasks.
    for n in (6000, 24_000):
        matrix, sets = random_problem(n)
        bounds = np.linspace(0, n, 4).astype(int).tolist()
        local, executor = RowBlocks.divided(matrix, bounds), DaskExecutor(client)
        blocks, transposed = map(client.scatter, (list(local.blocks), list(local.transposed)))
        votes = RowBlocks(blocks, transposed, executor)
        once = step(Problem(votes, ZeroOneLoss().bind(sets.classes), sets))
        once()
        before = dict(executor.counts)
        once()
        found[n] = {name: executor.counts[name] - before[name] for name in before}
    few, many = found[6000], found[24_000]
    assert few["repeated"] == many["repeated"] == 0, found
    for name in ("calls", "tasks", "messages"):
        assert few[name] == many[name], found
    assert few["tasks"] == 3 * few["calls"]
    # Linear in n, and a few bytes for each row.
    for name in ("bytes_sent", "bytes_received"):
        assert 3.5 < many[name] / few[name] < 4.5
        assert many[name] < 20 * 24_000
    assert max(sizes) < _SMALL_BYTES


@pytest.mark.slow
def test_nothing_large_goes_with_the_tasks_of_a_fit(client, sizes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    mask = np.eye(3, dtype=bool)[X.argmax(axis=1)] | (rng.uniform(size=X.shape) < 0.3)
    labels = PartialLabelClassifier(NeighborWeights(5), solver="alternating")
    model = DaskEstimator(labels).fit(da.from_array(X, chunks=(1000, -1)), mask, client=client)
    assert model.converged_
    assert max(sizes) < _SMALL_BYTES
