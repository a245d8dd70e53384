"""Rows in `.npy` files and Parquet files, read in chunks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.exceptions import TableError
from disambig.storage.parquet import ParquetRows
from disambig.storage.rows import ArrayFile, bounds_of, store_rows

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


@pytest.fixture
def frames(tmp_path):
    """A folder with three files, one of them without rows, and the whole frame."""
    rng = np.random.default_rng(0)
    whole = pd.DataFrame({"b": rng.normal(size=50), "a": rng.integers(0, 9, 50), "y": "text"})
    for part, (start, stop) in enumerate([(0, 20), (20, 20), (20, 50)]):
        frame = whole.iloc[start:stop]
        frame.to_parquet(tmp_path / f"part-{part}.parquet", row_group_size=7)
    return tmp_path, whole


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "?", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays(tmp_path, dtype, order):
    X = np.random.default_rng(0).integers(0, 2, (23, 3)).astype(dtype, order=order)
    np.save(tmp_path / "X.npy", X)
    rows = ArrayFile.open(tmp_path / "X.npy")
    assert rows.shape == (23, 3)
    assert rows.dtype == (np.float32 if dtype == "f4" else np.float64)
    assert_array_equal(rows.rows(5, 9), X[5:9])
    chunks = list(rows.chunks(5))
    assert max(len(chunk) for chunk in chunks) <= 5
    assert all(chunk.flags.c_contiguous and chunk.dtype == rows.dtype for chunk in chunks)
    assert_array_equal(np.concatenate(chunks), X)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (np.zeros(3), r"X\.npy: expected an array with one line for each row .* shape \(3,\)"),
        (np.array([["a"]]), "expected numbers in single or double precision; got dtype <U1"),
        (np.zeros((2, 2), dtype=complex), "got dtype complex128"),
        (np.array([[None]]), r"X\.npy: expected a whole \.npy file"),
    ],
)
def test_other_arrays_are_refused(tmp_path, content, words):
    np.save(tmp_path / "X.npy", content)
    with pytest.raises(TableError, match=words):
        ArrayFile.open(tmp_path / "X.npy")


def test_damaged_arrays_are_refused(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, np.zeros((9, 2)))
    whole = path.read_bytes()
    for content in (whole[:-1], whole[:20], b"", b"text"):
        path.write_bytes(content)
        with pytest.raises(TableError, match=r"X\.npy: expected a whole \.npy file"):
            ArrayFile.open(path)
    with pytest.raises(FileNotFoundError):
        ArrayFile.open(tmp_path / "none.npy")


@pytest.mark.parametrize("n_rows", [1, 7, 20, 33, 100])
def test_parquet(frames, n_rows):
    folder, whole = frames
    rows = ParquetRows.open(folder, ["a", "b"])
    assert rows.shape == (50, 2)
    assert rows.columns == ["a", "b"]
    chunks = list(rows.chunks(n_rows))
    assert [len(chunk) for chunk in chunks[:-1]] == [n_rows] * (len(chunks) - 1)
    assert_array_equal(np.concatenate(chunks), whole[["a", "b"]].to_numpy(float))
    assert_array_equal(np.concatenate(list(rows.chunks(n_rows))), np.concatenate(chunks))


def test_missing_cells_are_nan(tmp_path):
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "b": pd.array([True, None, False], dtype="boolean"),
            "c": [0.5, np.nan, 1.5],
        }
    )
    frame.to_parquet(tmp_path / "X.parquet")
    (chunk,) = ParquetRows.open(tmp_path / "X.parquet").chunks(10)
    assert_array_equal(chunk, [[1, 1, 0.5], [np.nan] * 3, [3, 0, 1.5]])


def test_parquet_words(frames, tmp_path):
    folder, whole = frames
    with pytest.raises(TableError, match=r"part-0\.parquet: the column 'y' has the type .*string"):
        ParquetRows.open(folder)
    with pytest.raises(TableError, match=r"part-0\.parquet: the column 'c' is there 0 times"):
        ParquetRows.open(folder, ["a", "c"])
    whole.astype({"a": float}).to_parquet(folder / "part-3.parquet")
    with pytest.raises(
        TableError, match=r"part-3\.parquet: the column 'a' has the type double, and in part-0"
    ):
        ParquetRows.open(folder, ["a", "b"])
    whole[["b"]].to_parquet(folder / "part-3.parquet")
    with pytest.raises(TableError, match=r"part-3\.parquet: the column 'a' is there 0 times"):
        ParquetRows.open(folder, ["a", "b"])
    numbers = [folder / "u.parquet", folder / "v.parquet"]
    whole[["b"]].to_parquet(numbers[0])
    whole[["b", "a"]].to_parquet(numbers[1])
    with pytest.raises(TableError, match=r"v\.parquet: there are columns \['a'\] which u\.parquet"):
        ParquetRows.open(numbers)
    numbers[1].write_bytes(numbers[0].read_bytes()[:100])
    with pytest.raises(TableError, match=r"v\.parquet: expected a whole Parquet file"):
        ParquetRows.open(numbers)
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match=r"empty: there is no file \*\.parquet"):
        ParquetRows.open(tmp_path / "empty")
    with pytest.raises(TableError, match=r"none\.parquet: there is no such file"):
        ParquetRows.open(tmp_path / "none.parquet")
    with pytest.raises(TableError, match="expected at least one path; got none"):
        ParquetRows.open([])


def test_a_copy_of_which_any_rows_can_be_read(frames, tmp_path):
    folder, whole = frames
    copy = store_rows(ParquetRows.open(folder, ["b", "a"]), tmp_path / "X.npy", 8)
    assert_array_equal(copy.rows(18, 23), whole[["b", "a"]].to_numpy(float)[18:23])
    (folder / "part-2.parquet").unlink()
    whole.iloc[20:40].to_parquet(folder / "part-2.parquet")
    rows = ParquetRows(copy_of_paths(folder), (20, 0, 30), ("b", "a"))
    with pytest.raises(TableError, match="50 rows were announced and 40 were read"):
        store_rows(rows, tmp_path / "X.npy", 8)
    # The older copy is still there.
    assert ArrayFile.open(tmp_path / "X.npy") == copy


def copy_of_paths(folder):
    return tuple(sorted(str(path) for path in folder.glob("*.parquet")))


@given(st.integers(0, 100), st.integers(1, 30))
def test_bounds(n, n_rows):
    bounds = np.array(bounds_of(n, n_rows))
    steps = np.diff(bounds)
    assert (bounds[0], bounds[-1]) == (0, n)
    assert steps.max() <= n_rows
    assert steps.max() - steps.min() <= 1
