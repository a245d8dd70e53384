"""Votes in row blocks: the results of the whole matrix, bit for bit, for any division."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.candidates import LabelSets
from disambig.exceptions import ConvergenceWarning, VotesError
from disambig.losses import AbstainLoss, OrdinalLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, AnnealedMinimization
from disambig.votes.executor import Executor, LocalExecutor, RowSlices
from disambig.votes.protocol import CompressedRows
from disambig.votes.row_blocks import RowBlock, RowBlocks
from disambig.votes.sparse import SparseVotes

LOSSES = (ZeroOneLoss(), OrdinalLoss(), AbstainLoss(0.4))


def bounds_of(draw, n):
    """Blocks of any height, empty ones among them."""
    inner = draw(st.lists(st.integers(0, n), max_size=5))
    return [0, *sorted(inner), n]


@st.composite
def divided_votes(draw):
    """A sparse matrix, whole and in blocks."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 30))
    linked = rng.uniform(size=(n, n)) < draw(st.sampled_from([1, 3, 20])) / n
    values = {
        "equal": np.full((n, n), 0.1),
        "equal negative": np.full((n, n), -0.1),
        "signed": rng.integers(-3, 4, (n, n)) * 1.0,
        "real": rng.normal(size=(n, n)),
        "equal in blocks": np.repeat([[0.5], [0.25]], [n // 2, n - n // 2], axis=0) * np.ones(n),
    }[draw(st.sampled_from(["equal", "equal negative", "signed", "real", "equal in blocks"]))]
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    whole = SparseVotes(sp.csr_array(np.where(linked, values, 0.0).astype(dtype)))
    executor = LocalExecutor(draw(st.sampled_from([1, 2])))
    blocks = RowBlocks.divided(whole.matrix, bounds_of(draw, n), bounds_of(draw, n), executor)
    return whole, blocks, rng


@settings(max_examples=settings.default.max_examples // 2)
@given(divided_votes())
def test_everything_equals_the_whole(drawn):
    whole, blocks, rng = drawn
    n = whole.shape[0]
    values, scales = rng.normal(size=(n, 3)), rng.uniform(size=n)
    rows = rng.permutation(n)[: rng.integers(n + 1)]
    factors = rng.uniform(size=n)
    for ours, expected in ((blocks, whole), (blocks.T, whole.T)):
        assert ours.shape == expected.shape
        assert ours.is_nonnegative == expected.is_nonnegative
        assert_array_equal(ours @ values, expected @ values)
        assert_array_equal(ours @ scales, expected @ scales)
        for name in ("row_sums", "absolute_row_sums", "diagonal"):
            found = getattr(ours, name)()
            assert_array_equal(found, getattr(expected, name)())
            assert found.dtype == getattr(expected, name)().dtype
        assert_array_equal(ours.absolute_row_sums(scales), expected.absolute_row_sums(scales))
        assert_array_equal(ours.rows(0, n).toarray(), expected.rows(0, n).toarray())
        assert_array_equal(ours.rows_at(rows).toarray(), expected.matrix[rows].toarray())
        assert_array_equal(ours.links(rows).toarray(), expected.links(rows).toarray())
        assert_array_equal(ours.strongest(3), expected.strongest(3))
        for found, entries in zip(
            ours.column_entries(rows), expected.column_entries(rows), strict=True
        ):
            assert_array_equal(found, entries)
        for part, other in zip(ours.split(), expected.split(), strict=True):
            assert_array_equal(part @ values, other @ values)
            assert_array_equal(part.T @ values, other.T @ values)
        for part, other in (
            (ours.scale_rows(factors), expected.scale_rows(factors)),
            (ours.without_own(), expected.without_own()),
        ):
            assert_array_equal(part @ values, other @ values)
            assert_array_equal(part.T @ values, other.T @ values)


@st.composite
def problem_pairs(draw):
    whole, blocks, rng = draw(divided_votes())
    n, n_classes = whole.shape[0], draw(st.sampled_from([1, 2, 3, 14, 40]))
    mask = rng.uniform(size=(n, n_classes)) < draw(st.sampled_from([0.1, 0.4, 0.9]))
    mask[np.arange(n), rng.integers(0, n_classes, n)] = True
    mask[rng.uniform(size=n) < draw(st.sampled_from([0.0, 0.6]))] = True
    sets = LabelSets(mask, np.arange(n_classes))
    loss = draw(st.sampled_from(LOSSES)).bind(sets.classes)
    return Problem(whole, loss, sets), Problem(blocks, loss, sets)


def assert_same_run(found, expected):
    assert_array_equal(found.decoded.outputs, expected.decoded.outputs)
    assert_array_equal(found.targets.mask, expected.targets.mask)
    assert found.trace == expected.trace
    assert (found.objective, found.relaxed_objective) == (
        expected.objective,
        expected.relaxed_objective,
    )
    assert (found.status, found.start, found.n_iter) == (
        expected.status,
        expected.start,
        expected.n_iter,
    )


@given(problem_pairs(), st.sampled_from(["average", "infimum", "measure", "intersection"]))
def test_alternation_takes_the_same_steps(pair, start):
    whole, blocks = pair
    solver = AlternatingMinimization(start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = solver.solve(whole)
        assert_same_run(solver.solve(blocks), expected)
        assert_same_run(solver.solve(blocks, start=expected), solver.solve(whole, start=expected))


@given(pair=problem_pairs())
def test_annealing_takes_the_same_steps(pair):
    whole, blocks = pair
    for formulation in ("auto", "two_blocks"):
        solver = AnnealedMinimization(formulation, temperatures=[1.0, 0.1], sweeps=4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found, expected = solver.solve(blocks), solver.solve(whole)
        assert_array_equal(found.decoded.outputs, expected.decoded.outputs)
        assert found.trace == expected.trace


def test_a_step_over_blocks_moves_only_codes():
    """Of a row, one byte is sent to its block and one to every block, not a row of floats."""
    n, n_classes = 600, 40
    rng = np.random.default_rng(0)
    matrix = sp.random_array((n, n), density=0.02, rng=rng, format="csr")
    executor = Recorded()
    votes = RowBlocks.divided(matrix, [0, 100, 600], executor=executor)
    mask = np.eye(n_classes, dtype=bool)[rng.integers(n_classes, size=n)]
    sets = LabelSets(mask, np.arange(n_classes))
    problem = Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
    steps = problem.row_steps
    predictions = steps.first_predictions("average", problem.rtol)
    state = steps.best_targets(predictions, problem.target_tolerance)
    executor.sent.clear()
    steps.best_predictions(state.faces, problem.prediction_tolerance)
    new = [a for a in executor.sent if a.array is not problem.prediction_tolerance]
    assert sum(a.array.nbytes for a in new if a.array.size > 2) == n
    assert all(a.nbytes <= n for a in executor.shared)


class Recorded:
    """An executor that keeps what was sent."""

    def __init__(self):
        self.sent, self.shared = [], []

    def map(self, function, blocks, *arguments):
        self.sent += [a for a in arguments if isinstance(a, RowSlices)]
        self.shared = [a for a in arguments if isinstance(a, np.ndarray)]
        return LocalExecutor().map(function, blocks, *arguments)

    def submit(self, function, *arguments):
        return LocalExecutor().submit(function, *arguments)


def test_executors_are_recognised():
    assert isinstance(Recorded(), Executor)


@pytest.mark.parametrize("bounds", [[0], [0, 2], [0, 2, 1, 3], [1, 3]])
def test_bounds_that_are_not_a_division_are_refused(bounds):
    with pytest.raises(VotesError, match=r"bounds of the rows .*ascend from 0 to 3"):
        RowBlocks.divided(sp.eye_array(3, format="csr"), bounds)


def test_blocks_of_different_widths_are_refused():
    blocks = [
        RowBlock.of(sp.eye_array(2, format="csr")),
        RowBlock.of(sp.eye_array(3, format="csr")),
    ]
    with pytest.raises(VotesError, match=r"the blocks have \[2, 3\] columns"):
        RowBlocks(blocks, blocks).shape  # noqa: B018


class FileBlock:
    """Rows that are read from files when a function runs, without a copy."""

    n_columns = 40

    def __init__(self, folder, block):
        self.folder, self.unit = folder, block.rows.unit
        folder.mkdir()
        for name in ("indptr", "indices", "data"):
            np.save(folder / f"{name}.npy", getattr(block.rows, name))

    @property
    def rows(self):
        # Copy-on-write: compiled functions take arrays that could be written to.
        parts = (
            np.asarray(np.load(self.folder / f"{name}.npy", mmap_mode="c"))
            for name in ("indptr", "indices", "data")
        )
        return CompressedRows(*parts, self.unit)


def test_blocks_may_read_their_rows_from_files(tmp_path):
    rng = np.random.default_rng(0)
    matrix = sp.random_array((40, 40), density=0.1, rng=rng, format="csr")
    memory = RowBlocks.divided(matrix, [0, 15, 40])
    stored = RowBlocks(
        *(
            [FileBlock(tmp_path / f"{side} {b}", block) for b, block in enumerate(blocks)]
            for side, blocks in (("rows", memory.blocks), ("columns", memory.transposed))
        ),
        LocalExecutor(2),
    )
    mask = rng.uniform(size=(40, 3)) < 0.5
    mask[:, 0] |= ~mask.any(axis=1)
    sets = LabelSets(mask, np.arange(3))
    loss = ZeroOneLoss().bind(sets.classes)
    expected = AlternatingMinimization().solve(Problem(SparseVotes(matrix), loss, sets))
    assert_same_run(AlternatingMinimization().solve(Problem(stored, loss, sets)), expected)
