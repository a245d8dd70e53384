"""A solve that is interrupted at any step goes on to the result of one that was not."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from disambig.candidates import LabelSets
from disambig.exceptions import CheckpointError
from disambig.losses import OrdinalLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.solvers.checkpoints import checkpoint_key, checkpoints
from disambig.votes.sparse import SparseVotes


class Killed(BaseException):
    """Stands for the death of the process."""


def problem(seed, loss=ZeroOneLoss(), n=60, n_classes=4):  # noqa: B008 - immutable
    rng = np.random.default_rng(seed)
    matrix = sp.random_array((n, n), density=3 / n, rng=rng, format="csr")
    matrix.data = rng.integers(1, 4, matrix.nnz) * 1.0
    mask = rng.uniform(size=(n, n_classes)) < 0.5
    mask[np.arange(n), rng.integers(n_classes, size=n)] = True
    sets = LabelSets(mask, np.arange(n_classes))
    return Problem(SparseVotes(matrix), loss.bind(sets.classes), sets)


def killed_after(steps):
    left = [steps]

    def callback(progress):
        left[0] -= 1
        if left[0] < 0:
            raise Killed

    return callback


def same(found, expected):
    assert_array_equal(found.decoded.outputs, expected.decoded.outputs)
    assert_array_equal(found.targets.mask, expected.targets.mask)
    assert (found.trace, found.objective) == (expected.trace, expected.objective)
    assert (found.status, found.start) == (expected.status, expected.start)


@pytest.mark.parametrize("loss", [ZeroOneLoss(), OrdinalLoss()], ids=["zero_one", "ordinal"])
def test_killed_at_every_step_and_resumed(loss, tmp_path):
    solver = AlternatingMinimization(["average", "infimum"])
    for seed in range(1):
        expected = solver.solve(problem(seed, loss))
        total = len([p for p in expected.trace if p.iteration])
        assert total > 4
        for steps in range(0, total, 2):
            folder = tmp_path / f"{seed} {steps}"
            with pytest.raises(Killed), checkpoints(folder, "key", 0.0):
                solver.solve(problem(seed, loss), callback=killed_after(steps))
            seen = []
            with checkpoints(folder, "key", 0.0) as kept:
                same(solver.solve(problem(seed, loss), callback=seen.append), expected)
                kept.remove()
            # What was done is not done again: the last step was killed before it was kept.
            assert len(seen) == total - steps
            assert not list(folder.iterdir())


def test_a_kill_between_two_writes_loses_only_what_came_after(tmp_path):
    solver, expected = AlternatingMinimization(), AlternatingMinimization().solve(problem(0))
    with pytest.raises(Killed), checkpoints(tmp_path, "key", 1e9):
        solver.solve(problem(0), callback=killed_after(2))
    with checkpoints(tmp_path, "key", 1e9):
        same(solver.solve(problem(0)), expected)
    seen = []
    with checkpoints(tmp_path, "key", 1e9):
        same(solver.solve(problem(0), callback=seen.append), expected)
    assert not seen


def test_a_stopped_solve_goes_on(tmp_path):
    solver, expected = AlternatingMinimization(), AlternatingMinimization().solve(problem(1))
    with checkpoints(tmp_path, "key", 0.0):
        stopped = solver.solve(problem(1), callback=lambda progress: True)
    assert stopped.status.name == "STOPPED"
    with checkpoints(tmp_path, "key", 0.0):
        same(solver.solve(problem(1)), expected)


def test_an_interrupted_write_leaves_the_earlier_state(tmp_path, monkeypatch):
    solver, expected = AlternatingMinimization(), AlternatingMinimization().solve(problem(0))
    real, calls = np.savez, []

    def failing(stream, **arrays):
        calls.append(1)
        if len(calls) == 3:
            stream.write(b"half")
            raise Killed
        real(stream, **arrays)

    monkeypatch.setattr(np, "savez", failing)
    with pytest.raises(Killed), checkpoints(tmp_path, "key", 0.0):
        solver.solve(problem(0))
    assert not list(tmp_path.glob("*.part"))
    with checkpoints(tmp_path, "key", 0.0):
        same(solver.solve(problem(0)), expected)


def test_folders_of_something_else_are_refused(tmp_path):
    with checkpoints(tmp_path / "a", checkpoint_key([np.arange(3), 1])):
        pass
    with (
        pytest.raises(CheckpointError, match="checkpoints of other data, weights or another"),
        checkpoints(tmp_path / "a", checkpoint_key([np.arange(3.0), 1])),
    ):
        pass
    (tmp_path / "notes.txt").write_text("mine")
    with (
        pytest.raises(CheckpointError, match="files that are no checkpoints"),
        checkpoints(tmp_path, "key"),
    ):
        pass


def test_a_kill_in_the_first_write_leaves_a_folder_that_can_be_used(tmp_path):
    (tmp_path / ".header.json.0123456789abcdef.00000000.1.part").write_bytes(b"half")
    with checkpoints(tmp_path, "key", 0.0):
        assert AlternatingMinimization().solve(problem(0)).converged
