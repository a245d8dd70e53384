"""What rows on workers cost: formulas against counts, and the simulation in closed form."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import cluster_costs, cluster_paper
from benchmarks import cluster_formulas as formulas
from benchmarks.cluster_formulas import Size, Ties
from benchmarks.cluster_simulation import (
    Rates,
    build_seconds,
    half_step_seconds,
    mean_step,
    spread_seconds,
)
from benchmarks.results import RESULTS
from disambig.losses.labels.sweeps import columns_of
from disambig.votes.executor import LocalExecutor
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.sparse import SparseVotes
from disambig.weights import NeighborWeights
from disambig.weights.divided.rows import DividedRows

RATES = Rates(worker=2e-6, client=4e-7, message=1e-3, bandwidth=1e9, latency=0.0)


class Counting(LocalExecutor):
    """Counts blocks, and what maps return."""

    tasks = received = 0

    def map(self, function, blocks, *arguments):
        found = super().map(function, blocks, *arguments)
        if function.__name__ == "_block_columns":
            object.__setattr__(self, "received", sum(part.nbytes for part in found))
        return found

    def submit(self, function, *arguments):
        object.__setattr__(self, "tasks", self.tasks + 1)
        return super().submit(function, *arguments)


@pytest.mark.parametrize("n_classes", [10, 300])
def test_bytes_of_a_step_are_those_that_are_counted(n_classes):
    pytest.importorskip("distributed")
    # Blocks of unequal height; labels of more than 1 KiB, below which nothing is counted.
    size = Size(4003, n_neighbors=3, n_classes=n_classes, n_blocks=3, n_workers=1)
    found, ties = cluster_costs.measured_step(size)
    expected = formulas.step(size, ties)
    assert (found.sent, found.received) == (expected.sent, expected.received)
    assert found.between == 0


def test_products_are_those_that_are_counted():
    pytest.importorskip("distributed")
    size = Size(500, n_blocks=2, n_features=3, n_workers=1)
    found, _ = cluster_costs.measured_product(size, NeighborWeights(5), 4)
    expected = formulas.sparse_product(size, 4)
    assert (found.sent, found.received) == (expected.sent, expected.received)
    assert found.sent == 500 * 4 * 8


def test_a_step_in_closed_form():
    # Labels four times, and two bits a row and the costs beside labels that return.
    size = Size(1600, n_blocks=2, n_workers=5)
    assert formulas.step(size) == (4 * 1600, 2 * 1600 + 2 * 200 + 8 * 1600, 4 * 3200 + 3200)
    more = formulas.step(size, Ties(1, 10, 100, 1000))
    assert more.sent - 4 * 1600 == 12 * (1 + 100 + 10 + 1)
    assert more.received - formulas.step(size).received == 12 * (100 + 1000)


@pytest.mark.parametrize("n_blocks", [1, 2, 5])
def test_tasks_of_a_build(n_blocks):
    executor = Counting()
    X = np.random.default_rng(0).normal(size=(40, 2))
    rows = DividedRows.of(X, np.linspace(0, 40, n_blocks + 1).astype(int), executor)
    NeighborWeights(3).fit(rows).training_votes()
    expected = formulas.build(Size(40, n_neighbors=3, n_blocks=n_blocks), 50.0)
    assert executor.tasks == expected.tasks


@pytest.mark.parametrize("moved", [1, 4, 60])
def test_affected_rows_return_in_few_bytes(moved):
    size, executor = Size(1000, n_neighbors=5, n_blocks=20), Counting()
    matrix, _ = cluster_costs.random_problem(1000, 0, 5)
    votes = RowBlocks.divided(matrix, np.linspace(0, 1000, 21).astype(int), executor=executor)
    marks = np.zeros(1000, dtype=bool)
    marks[:moved] = True
    expected = columns_of(SparseVotes(matrix), marks)
    np.testing.assert_array_equal(columns_of(votes, marks), expected)
    # A block that has no such row still returns nothing.
    assert 0 < executor.received <= formulas.affected(size, moved).received


def test_memory_of_many_rows():
    held = formulas.held(Size(10**9), 100.0)
    assert held.votes == 2 * 10**9 * (20 * 4 + 8)
    assert held.client >= 25 * 10**10
    assert held.of_worker(2) == (held.rows + held.index + held.lists + held.votes) / 2 + held.each


def test_labels_that_all_workers_need():
    size = Size(10**9, n_workers=8)
    by_all = spread_seconds(size, RATES, 1e9, passed_on=True)
    assert sorted(by_all) == [0, 1, 2, 2, 3, 3, 3, 3]
    assert spread_seconds(size, RATES, 1e9, passed_on=False) == list(range(8))


def test_a_half_step_on_one_worker():
    size = Size(8 * 10**6, n_blocks=4, n_workers=1)
    traffic = formulas.step(size)
    found = half_step_seconds(size, RATES, np.random.default_rng(0))
    work = RATES.worker / 2 * size.n + RATES.client / 2 * size.n + RATES.message * 9
    line = traffic.sent / 2 / 1e9 + traffic.received / 2 / 4 / 1e9
    assert found == pytest.approx(work + line)


def test_slow_blocks_and_deaths_take_longer():
    size = Size(10**7, n_blocks=100, n_workers=100)
    plain = mean_step(size, RATES)
    slow = mean_step(size, replace(RATES, slow_share=0.1))
    deadly = mean_step(size, replace(RATES, deaths=1.0, search_more=1e-5))
    assert plain.deaths == slow.deaths == 0
    assert slow.seconds > plain.seconds
    assert deadly.deaths > 0
    assert deadly.seconds > plain.seconds


def test_a_build_has_a_search_of_every_part_by_every_part():
    rates = Rates(0.0, 0.0, 0.0, search=2e-5, search_more=1e-5)
    assert build_seconds(Size(1000, n_blocks=10, n_workers=5), rates) == pytest.approx(
        2 * 100 * (2e-5 + 9e-5)
    )


def test_rates_are_those_of_the_results():
    rates = cluster_paper.measured_rates(RESULTS.read_text(encoding="utf-8"))
    assert 1e-7 < rates.worker < 1e-5
    with pytest.raises(ValueError, match="no section 'nowhere'"):
        cluster_paper.rows_of("nowhere", "")
