"""Inputs of any kind as rows in a file."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.exceptions import TableError
from disambig.storage import opening
from disambig.storage.opening import open_rows

X = np.random.default_rng(0).normal(size=(20, 3))


@pytest.fixture
def path(tmp_path):
    np.save(tmp_path / "X.npy", X)
    return tmp_path / "X.npy"


def test_files_are_read_where_they_are(path, tmp_path):
    for given in (path, str(path), np.load(path, mmap_mode="r"), np.load(path, mmap_mode="r+")):
        rows = open_rows(given, tmp_path)
        assert rows.path == str(path)
        assert_array_equal(rows.rows(0, 20), X)
    assert not (tmp_path / "inputs.npy").exists()


@pytest.mark.parametrize(
    "part",
    [
        lambda mapped: mapped[5:],
        lambda mapped: mapped[::2],
        lambda mapped: mapped.T,
        lambda mapped: mapped[:, :2],
        np.array,
        lambda mapped: mapped.astype("f4"),
        lambda mapped: mapped > 0,
    ],
)
def test_other_arrays_are_copied(path, tmp_path, monkeypatch, part):
    monkeypatch.setattr(opening, "_BYTES_PER_CHUNK", 100)
    given = part(np.load(path, mmap_mode="r"))
    rows = open_rows(given, tmp_path)
    assert rows.path.endswith("inputs.npy")
    assert_array_equal(rows.rows(0, len(given)), given)


def test_changes_that_are_not_in_the_file_count(path, tmp_path):
    changed = np.load(path, mmap_mode="c")
    changed[3] = 7.0
    assert_array_equal(open_rows(changed, tmp_path).rows(3, 4), [[7.0] * 3])


def test_raw_maps_are_copied(path, tmp_path):
    raw = np.memmap(path, dtype="f8", mode="r", offset=128, shape=(10, 6))
    assert_array_equal(open_rows(raw, tmp_path).rows(0, 10), X.reshape(10, 6))


def test_parquet_is_copied(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for part in (0, 1):
        frame[part * 10 : part * 10 + 10].to_parquet(tmp_path / f"{part}.parquet")
    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for given in (tmp_path, paths):
        assert_array_equal(open_rows(given, tmp_path).rows(0, 20), X)
    assert_array_equal(open_rows(tmp_path, tmp_path, columns=["c"]).rows(8, 12), X[8:12, 2:])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.zeros(3), r"X: expected numbers, .*; got shape \(3,\) of float64"),
        (np.array([["a"]]), "of <U1"),
        (3, "got int"),
        ([[1.0]], "got list"),
        (None, "got NoneType"),
    ],
)
def test_words(tmp_path, given, words):
    with pytest.raises(TableError, match=words):
        open_rows(given, tmp_path)
