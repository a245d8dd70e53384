"""The transpose of votes in files equals scipy's, for any blocks, and resumes."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig.exceptions import MemoryBudgetError, VotesError
from disambig.votes.stored import transpose
from disambig.votes.stored.folder import BlockFolder
from disambig.votes.stored.transpose import transpose_blocks
from tests.votes.stored.test_folder import assert_same, joined, random_matrix, written

LARGE = 10**6


@pytest.fixture(scope="module", autouse=True)
def _without_waiting_for_the_disk():
    """Waiting for the disk takes most of the time of these small files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        yield


@settings(max_examples=15)
@given(st.data())
def test_any_blocks_give_the_transpose(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    q, n = data.draw(st.tuples(st.integers(0, 12), st.integers(1, 12)))
    values = rng.normal(size=(q, n)) if data.draw(st.booleans()) else np.full((q, n), 0.2)
    matrix = sp.csr_array(np.where(rng.random((q, n)) < rng.random(), values, 0.0))
    bounds = [0, *sorted(data.draw(st.lists(st.integers(0, q), max_size=4))), q]
    others = [0, *sorted(data.draw(st.lists(st.integers(0, n), max_size=4))), n]
    with tempfile.TemporaryDirectory() as name:
        folder = written(Path(name) / "votes", matrix, bounds)
        chosen = others if data.draw(st.booleans()) else None
        found = transpose_blocks(folder, Path(name) / "T", memory=LARGE, bounds=chosen)
        assert_same(joined(found), sp.csr_array(matrix.T))
        assert list(found.bounds) == (chosen or (bounds if q == n else [0, n]))
        back = transpose_blocks(found, Path(name) / "TT", memory=LARGE)
        assert_same(joined(back), matrix)
        assert sorted(path.name for path in Path(name).iterdir()) == ["T", "TT", "votes"]


def test_blocks_are_divided_to_fit(tmp_path):
    matrix = random_matrix(q=9, n=9)
    folder = written(tmp_path / "votes", matrix, [0, 3, 6, 9])
    most = max(block.n_entries for block in folder.blocks)
    found = transpose_blocks(folder, tmp_path / "T", memory=16 * 9 + 48 * most)
    assert_same(joined(found), sp.csr_array(matrix.T))
    assert max(block.n_entries for block in found.blocks) <= most
    assert {0, 3, 6, 9} <= set(found.bounds)
    with pytest.raises(MemoryBudgetError, match=r"a block of rows has \d+ entries, .* are left"):
        transpose_blocks(folder, tmp_path / "other", memory=16 * 9 + 48 * most - 1)


def test_what_does_not_fit_is_refused(tmp_path):
    column = sp.csr_array(np.hstack([np.ones((9, 1)), np.eye(9)]) * np.arange(1.0, 11.0))
    folder = written(tmp_path / "votes", column, list(range(10)))
    memory = 16 * 10 + 48 * 5
    with pytest.raises(MemoryBudgetError, match=r"column 0 has 9 entries"):
        transpose_blocks(folder, tmp_path / "T", memory=memory)
    with pytest.raises(MemoryBudgetError, match=r"columns 0 to 4 have 13 entries"):
        transpose_blocks(folder, tmp_path / "T", memory=memory, bounds=[0, 5, 10])
    with pytest.raises(VotesError, match=r"from 0 to 10; got \[0, 5\]"):
        transpose_blocks(folder, tmp_path / "T", memory=memory, bounds=[0, 5])
    assert not (tmp_path / "T").exists()


def test_an_interrupted_transpose_resumes(tmp_path, monkeypatch):
    matrix = random_matrix(q=9, n=9)
    folder = written(tmp_path / "votes", matrix, [0, 3, 6, 9])
    made = []
    for name in ("_write_part", "_put_together"):
        real = getattr(transpose, name)

        def step(*arguments, real=real, name=name):
            if len(made) % 2:
                made.append("interrupted")
                raise KeyboardInterrupt
            made.append(name)
            return real(*arguments)

        monkeypatch.setattr(transpose, name, step)
    for _ in range(20):
        try:
            found = transpose_blocks(folder, tmp_path / "T", memory=LARGE)
        except KeyboardInterrupt:
            continue
        break
    assert_same(joined(found), sp.csr_array(matrix.T))
    # Every part and every block was made once.
    assert sorted(made) == ["_put_together"] * 3 + ["_write_part"] * 3 + ["interrupted"] * 5


def test_other_votes_are_not_resumed(tmp_path):
    folder = written(tmp_path / "votes", random_matrix(0), [0, 9])
    transpose_blocks(folder, tmp_path / "T", memory=LARGE)
    other = written(tmp_path / "others", random_matrix(1), [0, 9])
    with pytest.raises(VotesError, match="the transpose of other votes"):
        transpose_blocks(other, tmp_path / "T", memory=LARGE)
    with pytest.raises(VotesError, match="the transpose of other votes"):
        transpose_blocks(folder, tmp_path / "T", memory=LARGE, bounds=[0, 2, 7])
    (tmp_path / "T" / "block-00000.json").unlink()
    again = transpose_blocks(folder, tmp_path / "T", memory=LARGE)
    assert_same(joined(again), sp.csr_array(random_matrix(0).T))
    assert isinstance(again, BlockFolder)
