"""Blocks of votes in a folder: what was written is read, and nothing else."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from disambig.exceptions import VotesError
from disambig.votes.sparse import SparseVotes
from disambig.votes.stored.folder import BlockFolder
from disambig.votes.stored.transpose import transpose_blocks

BOUNDS = [0, 4, 4, 9]


def random_matrix(seed=0, q=9, n=7):
    rng = np.random.default_rng(seed)
    return sp.csr_array(rng.integers(-1, 3, (q, n)) * (rng.random((q, n)) < 0.5) * 0.5)


def written(path, matrix, bounds, origin=""):
    folder = BlockFolder.create(path, matrix.shape[1], bounds, origin)
    for number in folder.missing():
        rows = matrix[bounds[number] : bounds[number + 1]]
        folder.write(number, SparseVotes(sp.csr_array(rows)).compressed)
    return folder


def joined(folder):
    """The whole matrix, and the compressed rows of each block."""
    parts = []
    for block in folder.blocks:
        rows = block.rows
        data = rows.data if rows.data.size else np.full(rows.indices.size, rows.unit)
        shape = (rows.indptr.size - 1, block.n_columns)
        parts.append(sp.csr_array((data, rows.indices.astype(np.int64), rows.indptr), shape=shape))
    return sp.csr_array(sp.vstack(parts, format="csr"))


def assert_same(found, expected):
    assert found.shape == expected.shape
    for name in ("indptr", "indices", "data"):
        assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("unit", [False, True])
def test_what_is_written_is_read(tmp_path, unit):
    matrix = random_matrix()
    matrix.data[:] = 0.25 if unit else matrix.data
    written(tmp_path / "votes", matrix, BOUNDS)
    folder = BlockFolder.open(tmp_path / "votes")
    assert_same(joined(folder), matrix)
    folder.check()
    block = pickle.loads(pickle.dumps(folder.blocks[2]))
    assert (block.rows.data.size == 0) == unit
    assert block.rows.unit == (0.25 if unit else 1.0)
    assert block.n_columns == 7
    assert block.rows.indices.dtype == np.uint32
    assert (tmp_path / "votes" / "block-00002.data.npy").exists() != unit


def test_an_interrupted_build_resumes(tmp_path):
    matrix = random_matrix()
    folder = written(tmp_path / "votes", matrix, BOUNDS, "X")
    (tmp_path / "votes" / "block-00002.json").unlink()
    (tmp_path / "votes" / ".block-00002.data.npy.00.part").write_bytes(b"half")
    again = BlockFolder.create(tmp_path / "votes", 7, BOUNDS, "X")
    assert again == folder
    assert again.missing() == [2]
    with pytest.raises(VotesError, match=r"votes: 1 of 3 blocks are missing, the first is block 2"):
        _ = again.blocks
    assert_same(joined(written(tmp_path / "votes", matrix, BOUNDS, "X")), matrix)


@pytest.mark.parametrize(
    ("n_columns", "bounds", "origin"), [(8, BOUNDS, "X"), (7, [0, 9], "X"), (7, BOUNDS, "Z")]
)
def test_other_votes_are_not_resumed(tmp_path, n_columns, bounds, origin):
    written(tmp_path / "votes", random_matrix(), BOUNDS, "X")
    with pytest.raises(VotesError, match=r"blocks of other votes \(9 × 7 in 3 blocks, made from X"):
        BlockFolder.create(tmp_path / "votes", n_columns, bounds, origin)


def test_foreign_folders_and_bounds(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(VotesError, match=r"holds 'notes.txt' and no blocks.json"):
        BlockFolder.create(tmp_path, 3, [0, 1])
    with pytest.raises(VotesError, match=r"no such file"):
        BlockFolder.open(tmp_path)
    with pytest.raises(VotesError, match=r"must ascend from 0; got \[0, 3, 2\]"):
        BlockFolder.create(tmp_path / "a", 3, [0, 3, 2])
    folder = BlockFolder.create(tmp_path / "a", 3, [0, 2])
    with pytest.raises(VotesError, match=r"block 0 has 2 rows; got 1"):
        folder.write(0, SparseVotes(sp.csr_array(np.ones((1, 3)))).compressed)


def _cut(path):
    path.write_bytes(path.read_bytes()[:-3])


def _longer(path):
    np.save(path, np.zeros(500, dtype=np.load(path).dtype))


def _text(path):
    path.write_text("not an array")


def _gone(path):
    path.unlink()


def _objects(path):
    np.save(path, np.array([{}], dtype=object))


@pytest.mark.parametrize("damage", [_cut, _longer, _text, _gone, _objects])
@pytest.mark.parametrize("array", ["indptr", "indices", "data"])
def test_damaged_arrays_are_refused(tmp_path, damage, array):
    written(tmp_path / "votes", random_matrix(), BOUNDS)
    damage(tmp_path / "votes" / f"block-00002.{array}.npy")
    with pytest.raises(VotesError, match=rf"votes/block-00002\.{array}\.npy: .* build it anew"):
        _ = BlockFolder.open(tmp_path / "votes").blocks


@pytest.mark.parametrize("array", ["indptr", "indices", "data"])
def test_changed_contents_are_found(tmp_path, array):
    folder = written(tmp_path / "votes", random_matrix(), BOUNDS)
    path = tmp_path / "votes" / f"block-00002.{array}.npy"
    content = np.load(path)
    content[1] += 1
    np.save(path, content)
    with pytest.raises(VotesError, match=r"the contents are not those that were written"):
        folder.check()


def test_damaged_descriptions_are_refused(tmp_path):
    written(tmp_path / "votes", random_matrix(), BOUNDS)
    path = tmp_path / "votes" / "blocks.json"
    content = json.loads(path.read_text())
    for change, words in [
        ({"format": "other"}, "does not describe blocks of votes"),
        ({"version": 2}, r"the version is 2; this release reads 1\. Delete"),
        ({"bounds": [0, 5, 3]}, "the file is damaged"),
        ({"bounds": None}, "the file is damaged"),
        ({"n_columns": "7"}, "the file is damaged"),
    ]:
        path.write_text(json.dumps({**content, **change}))
        with pytest.raises(VotesError, match=words):
            BlockFolder.open(tmp_path / "votes")
    path.write_text(json.dumps(content)[:-8])
    with pytest.raises(VotesError, match="damaged"):
        BlockFolder.open(tmp_path / "votes")
    path.write_text(json.dumps(content))
    record = tmp_path / "votes" / "block-00000.json"
    for wrong in ("{}", "[]", "{", '{"n_entries": -1, "unit": 1}'):
        record.write_text(wrong)
        with pytest.raises(VotesError, match=r"block-00000\.json: the file is damaged"):
            _ = BlockFolder.open(tmp_path / "votes").blocks


def test_the_transpose_has_a_folder_of_its_own(tmp_path):
    folder = written(tmp_path / "votes", random_matrix(), BOUNDS)
    with pytest.raises(VotesError, match="transpose of other votes"):
        transpose_blocks(folder, tmp_path / "votes", memory=10**6)
