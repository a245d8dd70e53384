"""Real instances with known optima: input-output tables of economies, and random tables."""

import csv

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.orderings.cuts import cut_orders
from disambig.orderings.decode import local_orders, order_decoder

pytestmark = pytest.mark.needs_jit


@pytest.fixture(scope="module")
def instances(data_dir):
    with (data_dir / "lop" / "optima.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    def load(row):
        path = data_dir / "lop" / row["set"] / row["instance"]
        size, *numbers = path.read_text(encoding="utf-8").split()
        table = np.array(numbers, dtype=float).reshape(int(size), int(size))
        # The instances ask for the largest sum above the diagonal.
        return -table[None], -float(row["optimum"])

    return {name: [load(row) for row in rows if row["set"] == name] for name in ("IO", "SGB")}


def test_input_output_tables_to_the_proven_optimum(instances):
    decoder = order_decoder("exact")
    assert len(instances["IO"]) == 25
    for costs, optimum in instances["IO"]:
        found = decoder.decode(costs)
        assert found.values == [optimum]
        assert found.gaps == [0]
        assert found.exact.all()


def test_tables_of_seventy_five_items_by_local_search(instances):
    assert len(instances["SGB"]) == 3
    for costs, optimum in instances["SGB"]:
        found = local_orders(costs)
        assert found.values[0] <= optimum * (1 - 1e-3)
        assert found.values[0] >= optimum
        assert found.bounds[0] <= optimum


def test_local_search_reaches_the_optimum_of_input_output_tables(instances):
    found = [local_orders(costs).values[0] for costs, _ in instances["IO"]]
    assert_array_equal(found, [optimum for _, optimum in instances["IO"]])


@pytest.mark.slow
def test_tables_of_seventy_five_items_to_the_proven_optimum(instances):
    for costs, optimum in instances["SGB"]:
        found = cut_orders(costs)
        assert found.values == [optimum]
        assert found.exact.all()
