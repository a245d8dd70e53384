"""Candidate sets in MATLAB files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import savemat

from disambig.datasets import load_partial_label_mat
from disambig.exceptions import DatasetError

X = np.array([[0.5, 1.0], [2.0, 3.0], [4.0, 5.0]])
CANDIDATES = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])
TRUTH = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])


def saved(folder: Path, **changes: object) -> Path:
    content = {"data": X, "partial_target": CANDIDATES, "target": TRUTH} | changes
    path = folder / "toy.mat"
    savemat(path, {key: value for key, value in content.items() if value is not None})
    return path


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.uint8])
def test_dense_and_sparse_matrices(tmp_path: Path, form, dtype) -> None:
    path = saved(
        tmp_path, partial_target=form(CANDIDATES.astype(dtype)), target=form(TRUTH.astype(dtype))
    )
    data = load_partial_label_mat(path)
    np.testing.assert_array_equal(data.X, X)
    assert data.sets.to_sets() == [{0, 3}, {0, 1}, {2}]
    assert data.labels.tolist() == [0, 1, 2]
    assert data.sets.classes.tolist() == [0, 1, 2, 3]
    assert data.name == "toy"
    for array in (data.X, data.labels, data.sets.mask):
        assert not array.flags.writeable


@given(data=st.data(), n=st.integers(1, 5), n_classes=st.integers(1, 4))
def test_round_trip(tmp_path_factory, data, n, n_classes):
    labels = data.draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    truth = np.eye(n_classes)[labels].T
    extra = data.draw(st.lists(st.booleans(), min_size=n * n_classes, max_size=n * n_classes))
    candidates = np.maximum(truth, np.reshape(extra, truth.shape))
    path = saved(
        tmp_path_factory.mktemp("mat"),
        data=np.zeros((n, 2)),
        partial_target=sparse.csc_matrix(candidates),
        target=sparse.csc_matrix(truth),
    )
    read = load_partial_label_mat(path)
    np.testing.assert_array_equal(read.sets.mask, candidates.T == 1)
    assert read.labels.tolist() == labels


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"target": None}, "has no target"),
        ({"data": None, "target": None}, "no data and no target"),
        ({"partial_target": CANDIDATES.T}, r"shape \(3, 4\); expected a column for each of the 3"),
        ({"target": TRUTH[:3]}, "4 classes and target 3"),
        ({"partial_target": CANDIDATES * 2}, "other values than 0 and 1"),
        ({"partial_target": CANDIDATES * np.nan}, "other values than 0 and 1"),
        ({"target": CANDIDATES}, r"sample 0 has not exactly one true class \(2 such"),
        ({"target": TRUTH * 0}, r"sample 0 has not exactly one true class \(3 such"),
        ({"target": TRUTH[::-1]}, r"sample 1 has a true class outside its candidates \(2 such"),
        ({"data": "text"}, "data is .*expected a matrix of numbers"),
        ({"data": {"a": 1.0}}, "data is .*expected a matrix of numbers"),
    ],
)
def test_errors(tmp_path: Path, changes: dict[str, object], match: str) -> None:
    path = saved(tmp_path, **changes)
    with pytest.raises(DatasetError, match=match) as caught:
        load_partial_label_mat(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("n_bytes", [0, 4, 100, 128, 200, 300, 400, 500])
def test_a_truncated_file(tmp_path: Path, n_bytes: int) -> None:
    path = saved(tmp_path, target=sparse.csc_matrix(TRUTH))
    content = path.read_bytes()
    assert len(content) > 500
    path.write_bytes(content[:n_bytes])
    with pytest.raises(DatasetError):
        load_partial_label_mat(path)


def test_a_sparse_matrix_that_points_outside(tmp_path: Path) -> None:
    broken = sparse.csc_matrix(TRUTH.astype(float))
    broken.indices[1] = 1_000_000
    with pytest.raises(DatasetError, match="target is a broken sparse matrix"):
        load_partial_label_mat(saved(tmp_path, target=broken))


def test_another_file(tmp_path: Path) -> None:
    path = tmp_path / "toy.mat"
    path.write_bytes(b"data,target\n1,2\n" * 100)
    with pytest.raises(DatasetError, match="not a complete MATLAB file"):
        load_partial_label_mat(path)
    # The header of version 7.3, which is HDF5.
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    path.write_bytes(header + bytes(400))
    with pytest.raises(DatasetError, match="-v7"):
        load_partial_label_mat(path)
    with pytest.raises(FileNotFoundError):
        load_partial_label_mat(tmp_path / "nowhere.mat")
