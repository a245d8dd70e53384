"""Multilabel data in the format of MULAN: an ARFF file, and an XML list of its label attributes."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from disambig.datasets.loaders.fetching import Progress, fetched
from disambig.datasets.loaders.registry import MULAN_FILES, MULAN_LABELS, Part, chosen, parts_of
from disambig.datasets.loaders.tables import Column, encoded, read_only
from disambig.exceptions import DatasetError
from disambig.notation import BoolArray, FloatArray, IntArray


def read_label_list(path: Path) -> tuple[str, ...]:
    """Names of all ``<label name="...">`` elements, also nested ones, in the order of the file.

    A document type declaration is an error: label lists have none, and its entities can expand to
    more than the memory.
    """
    names: list[str] = []

    def on_element(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] == "label":
            if "name" not in attributes:
                raise DatasetError(f"{path}: a label has no name.")
            names.append(attributes["name"])

    def on_document_type(*_: object) -> None:
        raise DatasetError(
            f"{path}: has a document type declaration, which label lists do not have."
        )

    parser = expat.ParserCreate()
    parser.StartElementHandler = on_element
    parser.StartDoctypeDeclHandler = on_document_type
    try:
        parser.Parse(path.read_bytes(), True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise DatasetError(f"{path}: not a list of labels in XML ({error}).") from error
    if not names:
        raise DatasetError(f"{path}: names no label. Expected elements <label name='...'>.")
    return tuple(names)


@dataclass(frozen=True, eq=False)
class MultilabelData:
    """Inputs with any number of labels each; the arrays are read-only.

    Attributes
    ----------
    X : float array (n, d)
    Y : int array (n, L)
        1 where the label applies, 0 where it does not.
    feature_names : tuple of d str
        A nominal attribute becomes one column ``attribute=category`` for each category.
    label_names : tuple of L str
    name : str
    """

    X: FloatArray
    Y: IntArray
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", read_only(self.X))
        object.__setattr__(self, "Y", read_only(self.Y))


def fetch_mulan(
    name: str,
    *,
    part: Part = "all",
    folder: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: Progress | None = None,
) -> MultilabelData:
    """A multilabel set of the MULAN collection, from this machine or from a public source.

    ========  ====  ===  ======  =========================================================
    name         n    d  labels  inputs
    ========  ====  ===  ======  =========================================================
    emotions   593   72       6  songs
    flags      194   48       7  countries; 10 numbers, and 9 attributes in 38 categories
    scene     2407  294       6  pictures; parts "train" (1211) and "test" (1196)
    ========  ====  ===  ======  =========================================================

    Files are searched for and downloaded as in `fetch_libsvm`, as ``mulan/emotions.arff``.

    Parameters
    ----------
    name : str
        A name of the table.
    part : {"all", "train", "test"}, default "all"
        One part of a set that is published in two; "all" is "train" followed by "test".
    folder : path, optional
        The first folder to search.
    download : bool, default True
        False: raise an error if the file is not on this machine.
    progress : callable, optional
        ``progress(done, total)``, in bytes, while downloading; total may be None.

    Returns
    -------
    MultilabelData

    Raises
    ------
    DatasetError
        The file was not found, could not be downloaded, or is not the known one.

    Examples
    --------
    >>> from disambig.datasets import fetch_mulan
    >>> data = fetch_mulan("emotions")  # doctest: +SKIP
    >>> data.X.shape, data.label_names[-1]  # doctest: +SKIP
    ((593, 72), 'angry-aggresive')
    """
    parts = parts_of("fetch_mulan", MULAN_FILES, name)
    if part == "all":
        files = list(parts.values())
    else:
        files = [chosen("fetch_mulan", MULAN_FILES, name, part)]
    paths = [fetched(f, folder=folder, download=download, progress=progress) for f in files]
    loaded = [load_mulan(path, MULAN_LABELS[name]) for path in paths]
    return MultilabelData(
        np.vstack([data.X for data in loaded]),
        np.vstack([data.Y for data in loaded]),
        loaded[0].feature_names,
        loaded[0].label_names,
        name,
    )


def load_mulan(
    path: str | os.PathLike[str], labels: str | os.PathLike[str] | Sequence[str]
) -> MultilabelData:
    r"""Read an ARFF file some of whose attributes are labels.

    Numeric attributes are copied, NaN if missing. Nominal ones are one-hot encoded: one column for
    every category that the file declares, all 0 if the value is missing.

    Parameters
    ----------
    path : path
        The ARFF file, not in the sparse format. Labels have the values 0 and 1.
    labels : path, or sequence of str
        The XML file that lists the labels, or their names.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from disambig.datasets import load_mulan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "toy.arff"
    ...     lines = ["@relation toy", "@attribute size numeric", "@attribute kind {a, b}"]
    ...     lines += ["@attribute loud {0, 1}", "@data", "0.5,b,1", "2,a,0"]
    ...     _ = path.write_text("\n".join(lines))
    ...     data = load_mulan(path, ["loud"])
    >>> data.feature_names
    ('size', 'kind=a', 'kind=b')
    >>> data.X
    array([[0.5, 0. , 1. ],
           [2. , 1. , 0. ]])
    >>> data.Y.ravel()
    array([1, 0])
    """
    path = Path(path)
    if isinstance(labels, (str, os.PathLike)):
        names = read_label_list(Path(labels))
    else:
        names = tuple(labels)
    columns, n_rows = _read_arff(path)
    unknown = [name for name in names if name not in columns]
    if unknown or len(set(names)) < len(names):
        raise DatasetError(
            f"{path}: expected labels that are distinct attributes of the file, of which there are "
            f"{len(columns)}; got {list(names)}, of which {unknown} are not attributes."
        )
    Y = np.empty((n_rows, len(names)), dtype=np.intp)
    for position, name in enumerate(names):
        Y[:, position] = _bits(path, columns[name])
    features = [column for name, column in columns.items() if name not in set(names)]
    X, feature_names = encoded(features, n_rows)
    return MultilabelData(X, Y, feature_names, names, path.stem)


def _read_arff(path: Path) -> tuple[dict[str, Column], int]:
    from scipy.io import arff

    try:
        with path.open(encoding="utf-8") as stream:
            table, meta = arff.loadarff(stream)
    except (
        arff.ArffError,
        NotImplementedError,  # attributes of type string
        ValueError,
        IndexError,
        StopIteration,
        RuntimeError,
    ) as error:
        raise DatasetError(
            f"{path}: not an ARFF file of numeric and nominal attributes in the dense format "
            f"({type(error).__name__}: {error})."
        ) from error
    columns = {name: _column(path, name, meta[name], table[name]) for name in meta.names()}
    return columns, len(table)


def _column(path: Path, name: str, attribute: tuple[str, Any], values: Any) -> Column:
    kind, categories = attribute
    if kind == "nominal":
        return Column(name, np.char.decode(values, "utf-8"), tuple(categories))
    if values.dtype.kind != "f":
        raise DatasetError(f"{path}: attribute {name!r} is {kind}; expected numeric or nominal.")
    return Column(name, values)


def _bits(path: Path, column: Column) -> IntArray:
    one, zero = (1.0, 0.0) if column.categories is None else ("1", "0")
    bits: BoolArray = column.values == one
    invalid = ~bits & (column.values != zero)
    if invalid.any():
        row = int(np.argmax(invalid))
        raise DatasetError(
            f"{path}: label {column.name!r} is {column.values[row]!r} in row {row}; expected 0 or "
            "1."
        )
    return bits.astype(np.intp)
