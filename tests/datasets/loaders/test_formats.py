"""Readers of file formats: round trips, and errors that name the file and the row."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from disambig.datasets import load_interval_folder, load_label_ranking, load_libsvm, load_mulan
from disambig.datasets.loaders.tables import text_column
from disambig.exceptions import DatasetError


def written(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def assert_frozen(data: object, *names: str) -> None:
    with pytest.raises(AttributeError):
        data.name = "other"  # type: ignore[attr-defined]
    for name in names:
        with pytest.raises(ValueError, match="read-only"):
            getattr(data, name)[0] = 0


# ---------------------------------------------------------------- LIBSVM


@given(
    X=arrays(np.float64, (4, 3), elements=st.sampled_from([0.0, 1.0, -0.5, 1e-3])),
    y=arrays(np.int64, 4, elements=st.integers(-3, 12)),
)
def test_libsvm_round_trip(tmp_path_factory, X, y):
    path = tmp_path_factory.mktemp("libsvm") / "toy.scale"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    data = load_libsvm(path, n_features=3)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.y.dtype.kind == "i"
    assert data.name == "toy"


def test_libsvm_dense_and_sparse(tmp_path: Path) -> None:
    path = written(tmp_path, "toy", "1 1:2", "3 2:1")
    dense, compressed = load_libsvm(path), load_libsvm(path, sparse=True)
    assert isinstance(dense.X, np.ndarray)
    assert isinstance(compressed.X, sparse.csr_array)
    np.testing.assert_array_equal(dense.X, compressed.X.toarray())
    assert_frozen(dense, "X", "y")
    assert_frozen(compressed, "y")
    assert load_libsvm(path, n_features=5).X.shape == (2, 5)


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("one 1:2", "format of LIBSVM"),
        ("1 0:2", "format of LIBSVM"),
        ("1,2 1:2", "format of LIBSVM"),
        ("1 1=2", "format of LIBSVM"),
        ("1 9:2", "format of LIBSVM"),
        ("1.5 1:2", r"label of row 1 is 1\.5"),
        ("nan 1:2", "label of row 1 is nan"),
        ("1e300 1:2", "label of row 1 is 1e"),
    ],
)
def test_libsvm_errors(tmp_path: Path, line: str, match: str) -> None:
    path = written(tmp_path, "toy", "1 1:2", line)
    with pytest.raises(DatasetError, match=match) as caught:
        load_libsvm(path, n_features=3)
    assert str(path) in str(caught.value)


# ---------------------------------------------------------------- MULAN

ARFF = (
    "% a comment",
    "@relation toy",
    "@attribute loud {0, 1}",
    "@attribute size numeric",
    "@attribute 'kind of' {b, 'a c', d}",
    "@attribute late {0,1}",
    "@data",
    "1,0.5,'a c',0",
    "0,?,b,1",
    "0,-2e3,?,1",
)
XML = (
    '<?xml version="1.0" encoding="utf-8"?>',
    '<labels xmlns="http://mulan.sourceforge.net/labels">',
    '<label name="late"><label name="loud"></label></label>',
    "</labels>",
)


def test_mulan(tmp_path: Path) -> None:
    path = written(tmp_path, "toy.arff", *ARFF)
    data = load_mulan(path, written(tmp_path, "toy.xml", *XML))
    assert data.label_names == ("late", "loud")
    np.testing.assert_array_equal(data.Y, [[0, 1], [1, 0], [1, 0]])
    assert data.feature_names == ("size", "kind of=b", "kind of=a c", "kind of=d")
    np.testing.assert_array_equal(data.X, [[0.5, 0, 1, 0], [np.nan, 1, 0, 0], [-2000, 0, 0, 0]])
    assert_frozen(data, "X", "Y")


def test_mulan_with_names(tmp_path: Path) -> None:
    path = written(tmp_path, "toy.arff", *ARFF)
    data = load_mulan(path, ["loud"])
    np.testing.assert_array_equal(data.Y, [[1], [0], [0]])
    assert data.feature_names[-2:] == ("late=0", "late=1")


def test_mulan_labels_as_numbers(tmp_path: Path) -> None:
    lines = ("@relation r", "@attribute on numeric", "@data", "1", "0")
    path = written(tmp_path, "toy.arff", *lines)
    np.testing.assert_array_equal(load_mulan(path, ["on"]).Y, [[1], [0]])
    with pytest.raises(DatasetError, match="row 2"):
        load_mulan(written(tmp_path, "bad.arff", *lines, "?"), ["on"])


@pytest.mark.parametrize("labels", [["quiet"], ["loud", "loud"], ["loud", "size"], ["kind of"]])
def test_mulan_invalid_labels(tmp_path: Path, labels: list[str]) -> None:
    path = written(tmp_path, "toy.arff", *ARFF)
    with pytest.raises(DatasetError, match=r"distinct attributes|expected 0 or 1"):
        load_mulan(path, labels)


def test_mulan_a_missing_label(tmp_path: Path) -> None:
    path = written(tmp_path, "toy.arff", *ARFF, "?,1,b,0")
    with pytest.raises(DatasetError, match=r"'loud' is .*'\?'.* in row 3"):
        load_mulan(path, ["loud"])


@pytest.mark.parametrize(
    "lines",
    [
        ("not an arff file",),
        (*ARFF, "1,word,b,0"),
        (*ARFF, "1,1,unknown,0"),
        (*ARFF, "1,1"),
        (*ARFF[:2], "@attribute loud string", "@data", "hello"),
        (*ARFF[:7], "{1 0.5, 3 1}"),
        (*ARFF[:3], "@attribute when date 'yyyy'", "@data", "1,2020"),
    ],
)
def test_mulan_errors_of_other_files(tmp_path: Path, lines: tuple[str, ...]) -> None:
    path = written(tmp_path, "toy.arff", *lines)
    with pytest.raises(DatasetError) as caught:
        load_mulan(path, ["loud"])
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        (("<labels>",), "not a list of labels"),
        (("<labels/>",), "names no label"),
        (("<labels><label/></labels>",), "has no name"),
        (("<!DOCTYPE x [<!ENTITY a 'aaaa'>]>", "<labels/>"), "document type"),
        (('<?xml version="1.0" encoding="nonsense"?>', "<labels/>"), "not a list of labels"),
    ],
)
def test_mulan_errors_of_other_lists(tmp_path: Path, lines: tuple[str, ...], match: str) -> None:
    xml = written(tmp_path, "toy.xml", *lines)
    with pytest.raises(DatasetError, match=match) as caught:
        load_mulan(written(tmp_path, "toy.arff", *ARFF), xml)
    assert str(xml) in str(caught.value)


# ---------------------------------------------------------------- label ranking


@st.composite
def weak_orders(draw, n_items):
    """Levels 0, 1, 2 ... per item, None for an item that is left out."""
    return draw(st.lists(st.none() | st.integers(0, 3), min_size=n_items, max_size=n_items))


@given(st.lists(weak_orders(4), min_size=1, max_size=6), st.booleans())
def test_ranking_round_trip(tmp_path_factory, orders, with_ranks):
    items = "badc"
    ranks = np.full((len(orders), 4), np.nan)
    lines = ["x,ranking" + (",b,a,d,c" if with_ranks else "")]
    for i, order in enumerate(orders):
        levels = sorted({level for level in order if level is not None})
        groups = ["".join(items[j] for j in range(4) if order[j] == level) for level in levels]
        for j, level in enumerate(order):
            if level is not None:
                ranks[i, j] = sum(other is not None and other < level for other in order)
        cells = [str(rank) for rank in ranks[i]] if with_ranks else []
        lines.append(",".join([f"{i / 4}", ">".join(groups), *cells]))
    path = written(tmp_path_factory.mktemp("ranking"), "toy.txt", *lines)
    data = load_label_ranking(path, items=None if with_ranks else items)
    assert data.item_names == tuple(items)
    np.testing.assert_array_equal(data.ranks, ranks)
    np.testing.assert_array_equal(data.X[:, 0], np.arange(len(orders)) / 4)


def test_ranking_items(tmp_path: Path) -> None:
    path = written(tmp_path, "toy.txt", "x,ranking", "1,c > ab", "2,b>a")
    data = load_label_ranking(path)
    assert data.item_names == ("a", "b", "c")
    np.testing.assert_array_equal(data.ranks, [[1, 1, 0], [1, 0, np.nan]])
    assert_frozen(data, "X", "ranks")

    path = written(tmp_path, "long.txt", "x,ranking,tea,coffee", "1,coffee>tea,1,0")
    assert load_label_ranking(path).item_names == ("tea", "coffee")
    reordered = load_label_ranking(path, items=["coffee", "tea"])
    np.testing.assert_array_equal(reordered.ranks, [[0, 1]])


def test_ranking_features(tmp_path: Path) -> None:
    path = written(
        tmp_path, "toy.txt", "size,season,ranking", "1,winter,a>b", "NA,summer,b>a", ",,ab"
    )
    data = load_label_ranking(path)
    assert data.feature_names == ("size", "season=", "season=summer", "season=winter")
    np.testing.assert_array_equal(data.X, [[1, 0, 0, 1], [np.nan, 0, 1, 0], [np.nan, 1, 0, 0]])


def test_a_column_of_numbers_with_missing_cells() -> None:
    column = text_column("x", np.array(["1", "?", "-2.5e3", "NA", "", "nan", "inf"]))
    assert column.categories is None
    np.testing.assert_array_equal(column.values, [1, np.nan, -2500, np.nan, np.nan, np.nan, np.inf])


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        (("x,order", "1,a>b"), "no column 'ranking'"),
        (("x,ranking,a,b", "1,a>b,0,1", "1,a>c,0,1"), r"row 1 has the ranking 'a>c'"),
        (("x,ranking,a,b", "1,a>b>a,0,1"), "at most once"),
        (("x,ranking,a,b", "1,aa>b,0,1"), "at most once"),
        (("x,ranking,a,b", "1,a>>b,0,1"), "at most once"),
        (("x,ranking,a,b", "1,a>b,0,1", "1,a>b,1,0"), r"row 1 .*\[0\.0, 1\.0\].*\[1\.0, 0\.0\]"),
        (("x,ranking,a,b", "1,a>b,1,2"), "counted from 0"),
        (("x,ranking,a,b", "1,a>b,0,first"), r"row 0, column 'b' holds 'first'"),
        (("x,ranking,a,b", "1,a>b,0,1", "1,a>b,0"), "row 1 has 3 cells, and the header 4"),
        (("x,ranking,a,a", "1,a,0,0"), r"names \['a'\] more than once"),
        (("",), "empty"),
    ],
)
def test_ranking_errors(tmp_path: Path, lines: tuple[str, ...], match: str) -> None:
    path = written(tmp_path, "toy.txt", *lines)
    with pytest.raises(DatasetError, match=match) as caught:
        load_label_ranking(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("items", [["a", "a"], ["a"], ["a", "b", "c"]])
def test_ranking_items_that_do_not_fit(tmp_path: Path, items: list[str]) -> None:
    path = written(tmp_path, "toy.txt", "x,ranking,a,b", "1,a>b,0,1")
    with pytest.raises(DatasetError, match="expected distinct names, those of the last columns"):
        load_label_ranking(path, items=items)


def test_tables_of_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "toy.txt"
    path.write_bytes('\ufeff"x", ranking\r\n"1", a>b\r\n\r\n'.encode())
    data = load_label_ranking(path)
    assert data.feature_names == ("x",)
    assert data.ranks.tolist() == [[0, 1]]
    path.write_bytes(b"x,ranking\n\xff,a>b\n")
    with pytest.raises(DatasetError, match="UTF-8"):
        load_label_ranking(path)


# ---------------------------------------------------------------- intervals

ends = st.floats(allow_nan=False, width=64)


@given(st.lists(st.tuples(ends, ends, st.integers(1, 5)), min_size=1, max_size=6))
def test_interval_round_trip(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("intervals")
    pairs = [sorted(row[:2]) for row in rows]
    pairs = [[-np.inf if a == np.inf else a, np.inf if b == -np.inf else b] for a, b in pairs]
    written(folder, "features.csv", "x,y", *(f"{i},{i / 8}" for i in range(len(rows))))
    written(
        folder, "targets.csv", "min.log.penalty, max.log.penalty", *(f"{a}, {b}" for a, b in pairs)
    )
    written(folder, "folds.csv", "fold", *(str(row[2]) for row in rows))
    data = load_interval_folder(folder)
    np.testing.assert_array_equal(data.intervals, pairs)
    assert data.folds.tolist() == [row[2] for row in rows]
    assert data.X[:, 1].tolist() == [i / 8 for i in range(len(rows))]
    assert data.feature_names == ("x", "y")
    assert data.name == folder.name


def interval_files(folder: Path) -> None:
    written(folder, "features.csv", "x", "1", "2")
    written(folder, "targets.csv", "lower,upper", "-Inf,1", "0,Inf")
    written(folder, "folds.csv", "fold", "1", "2")


def test_folds_are_optional(tmp_path: Path) -> None:
    interval_files(tmp_path)
    assert_frozen(load_interval_folder(tmp_path), "X", "intervals", "folds")
    (tmp_path / "folds.csv").unlink()
    assert load_interval_folder(tmp_path).folds is None


@pytest.mark.parametrize(
    ("name", "lines", "match"),
    [
        ("targets.csv", ("lower,upper", "0,1", "2,1"), r"row 1 is \[2\.0, 1\.0\]"),
        ("targets.csv", ("lower,upper", "0,1", "nan,1"), r"row 1 is \[nan, 1\.0\]"),
        ("targets.csv", ("lower,upper", "inf,inf", "0,1"), r"row 0 is \[inf, inf\]"),
        ("targets.csv", ("lower,upper", "-inf,-inf", "0,1"), r"row 0 is \[-inf, -inf\]"),
        ("targets.csv", ("lower,upper", "0,1", "low,1"), "row 1, column 'lower' holds 'low'"),
        ("targets.csv", ("lower,upper", "0,1"), "has 1 rows, and features.csv 2"),
        ("targets.csv", ("y", "0", "1"), "expected 2"),
        ("features.csv", ("x", "1", "red"), "row 1, column 'x' holds 'red'"),
        ("folds.csv", ("fold", "1", "1.5"), "expected an integer"),
        ("folds.csv", ("fold", "1", "nan"), "expected an integer"),
        ("folds.csv", ("fold", "1", "", "2"), "row 1 has 0 cells"),
        ("folds.csv", ("fold", "1"), "has 1 rows"),
    ],
)
def test_interval_errors(tmp_path: Path, name: str, lines: tuple[str, ...], match: str) -> None:
    interval_files(tmp_path)
    path = written(tmp_path, name, *lines)
    with pytest.raises(DatasetError, match=match) as caught:
        load_interval_folder(tmp_path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("load", [load_libsvm, load_label_ranking, load_interval_folder])
def test_a_missing_file_is_a_file_not_found_error(tmp_path: Path, load) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")
