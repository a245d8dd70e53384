"""The benchmark of steps on Dask: its problem, its step and its table."""

import numpy as np

from benchmarks import dask_steps
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.sparse import SparseVotes


def test_the_step_of_blocks_is_the_step_in_process():
    matrix, sets = dask_steps.random_problem(500)
    assert matrix.has_canonical_format
    assert set(np.unique(sets.sizes)) <= {1, 2, 3}
    loss = ZeroOneLoss().bind(sets.classes)
    alone = dask_steps.step(Problem(SparseVotes(matrix), loss, sets))()
    blocks = RowBlocks.divided(matrix, [0, 100, 500])
    found = dask_steps.step(Problem(blocks, loss, sets))()
    assert not found.faces.differing(alone.faces).any()
    np.testing.assert_array_equal(found.costs, alone.costs)


def test_the_table():
    row = dask_steps.Measured(1000, 0.1, 0.2, 0.3, 1.0, 2.0, 69, 8500, 12400, same=False)
    assert "| 1000 | 0.100 | 0.200 | 0.300 | 1.000 | 2.000 | 69 | 8.5 | 12.4 | NO |" in (
        dask_steps.text_of([row])
    )
