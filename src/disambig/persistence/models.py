"""Save and load fitted models in a file that runs no code when it is loaded."""

import io
import json
import os
import stat
import zipfile
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from disambig.atomic import write_bytes_atomically
from disambig.exceptions import ModelFileError
from disambig.parameters import check_flag
from disambig.persistence.archive import Archive, packed
from disambig.persistence.arrays import unpacked_sparse_array
from disambig.persistence.contents import check_contents
from disambig.persistence.description import (
    DESCRIPTION_MEMBER,
    MAX_DESCRIPTION_BYTES,
    ModelDescription,
    described,
    description_from_json,
    library_versions,
)
from disambig.persistence.graph import check_can_be_saved, reachable
from disambig.persistence.schema import (
    MAX_SCHEMA_BYTES,
    SCHEMA_MEMBER,
    audit,
    compacted,
    parsed_schema,
)
from disambig.persistence.trusted import trusted_types

# What a model may unpack to: more than any that fits in the memory of a small machine.
MAX_MODEL_BYTES = 1 << 32
# The first bytes of files that are often taken for a model.
_PICKLE_MARKS = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            "Saved models need the package skops, which is not installed. Install it by `pip "
            "install skops` or `pip install 'disambig[persist]'`."
        ) from error
    return skops.io


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    metadata: dict[str, Any] | None = None,
    table_hash: str | None = None,
    created: datetime | None = None,
    overwrite: bool = False,
) -> None:
    """Save a fitted estimator of this package, or a pipeline with one, in a file.

    The file is written completely or not at all. It holds no code: functions (of the user's own
    weights, kernels, callbacks) are refused, and so is every type that is not on the list of
    `trusted_types`. `joblib` stores those too, for files that you trust.

    Parameters
    ----------
    model : fitted estimator
        Also a `Pipeline` or `ColumnTransformer` of scikit-learn's preprocessing with one at its
        end.
    path : path
        In a folder that exists; ``.skops`` is the usual suffix.
    metadata : dict, optional
        Anything that JSON can hold; `describe_model` returns it.
    table_hash : str, optional
        A hash of the table that the model was trained on, to recognise it later.
    created : datetime, optional
        The time that the file states; now by default. With the same time, equal models are equal
        files.
    overwrite : bool, default False
        Whether an existing file may be replaced.

    Raises
    ------
    FileExistsError
        There is a file, and `overwrite` is False.
    ModelFileError
        Something in the model cannot be saved; the message says where it is.

    Examples
    --------
    >>> import tempfile
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.persistence import load_model, save_model
    >>> X, y = [[0.0], [0.1], [1.0], [1.1]], [["a"], ["a", "b"], ["b"], ["a", "b"]]
    >>> model = PartialLabelClassifier("nadaraya_watson").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.skops")
    ...     again = load_model(f"{folder}/model.skops")
    >>> again.predict([[0.2], [0.9]]).tolist()
    ['a', 'b']
    """
    check_flag("save_model", "overwrite", overwrite)
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder. Name a file in it.")
    if target.exists() and not overwrite:
        raise FileExistsError(f"{target} exists. Pass overwrite=True to replace it.")
    write_bytes_atomically(target, _model_bytes(model, metadata, table_hash, created))


def _model_bytes(
    model: Any, metadata: Any, table_hash: str | None, created: datetime | None
) -> bytes:
    io_of_skops = _skops()
    if isinstance(model, type) or not hasattr(model, "get_params"):
        raise ModelFileError(f"model must be a fitted estimator; got {model!r:.200}.")
    check_is_fitted(model)
    check_can_be_saved(model)
    check_contents(model)
    _make_vocabularies_plain(model)
    about = described(model, metadata, table_hash, created)
    try:
        dumped = _dumped(io_of_skops, model)
    except Exception as error:
        raise ModelFileError(f"model cannot be saved ({error}).") from error
    members = _members(dumped)
    members[DESCRIPTION_MEMBER] = about.to_json()
    data = packed(members)
    # What is written can be read: the same checks as in `load_model`.
    try:
        _audited(Archive(data, max_bytes=1 << 62))
    except ModelFileError as error:
        raise ModelFileError(f"model cannot be saved: {error}.") from error
    return data


def _make_vocabularies_plain(model: Any) -> None:
    """Python's numbers instead of numpy's in vocabularies: skops writes a file for each of these.

    scikit-learn leaves them there where it has cut a vocabulary to its most frequent terms.
    """
    for _, value in reachable(model):
        if isinstance(value, CountVectorizer) and hasattr(value, "vocabulary_"):
            places = value.vocabulary_.items()
            if any(isinstance(place, np.integer) for _, place in places):
                value.vocabulary_ = {term: int(place) for term, place in places}


def _dumped(io_of_skops: Any, model: Any) -> bytes:
    """What ``skops.io.dumps`` returns, with a schema on one line.

    It would indent the schema, which takes Python ten times as long as all else: a vocabulary of
    text has tens of thousands of nodes.
    """
    try:
        from skops.io._utils import SaveContext, get_state
    except ImportError:
        # Another version of skops may have them elsewhere.
        dumped: bytes = io_of_skops.dumps(model)
        return dumped
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        context = SaveContext(zip_file=archive)
        state = get_state(model, context)
        context.clear_memo()
        state |= {"protocol": context.protocol, "_skops_version": version("skops")}
        archive.writestr(SCHEMA_MEMBER, json.dumps(state))
    return buffer.getvalue()


def _members(dumped: bytes) -> dict[str, bytes]:
    """The members that skops wrote, in the form of a saved model."""
    with zipfile.ZipFile(io.BytesIO(dumped)) as archive:
        root, names = compacted(json.loads(archive.read(SCHEMA_MEMBER)))
        members = {SCHEMA_MEMBER: json.dumps(root, separators=(",", ":")).encode("utf-8")}
        for old, new in names.items():
            content = archive.read(old)
            members[new] = unpacked_sparse_array(content) if new.endswith(".npz") else content
    return members


def load_model(path: str | os.PathLike[str], *, max_bytes: int = MAX_MODEL_BYTES) -> Any:
    """Load a model that `save_model` wrote; its predictions are the same bit for bit.

    Members, sizes, schema and types are checked before anything is loaded. A file with a type that
    is not among `trusted_types` is refused, whoever wrote it. No code of the file is run.

    Parameters
    ----------
    path : path
    max_bytes : int, default 4 GiB
        What the file may unpack to.

    Raises
    ------
    ModelFileError
        The file is not a model, broken, newer than this version, too large or not to be trusted.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.skops"
    ...     _ = path.write_text("id,label")
    ...     try:
    ...         load_model(path)
    ...     except ModelFileError as error:
    ...         print(str(error).partition(": ")[2])
    it is not a zip archive, or cut short (File is not a zip file).
    """
    io_of_skops = _skops()
    data = _file_bytes(path, max_bytes)
    about = None
    try:
        archive = Archive(data, max_bytes=max_bytes)
        about = _description(archive)
        _audited(archive)
        model = _loaded(io_of_skops, data)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {_line(error)}.{_other_versions(about)}") from error
    return model


def _loaded(io_of_skops: Any, data: bytes) -> Any:
    """The objects of an audited file, whose contents are checked as well."""
    try:
        model = io_of_skops.loads(data, trusted=list(trusted_types()))
        # An object may lack what its class always has.
        check_contents(model)
        return model
    except (ModelFileError, ImportError):
        # The latter names an optional package that the model needs.
        raise
    except Exception as error:
        raise ModelFileError(
            f"its objects cannot be built ({type(error).__name__}: {error!s:.200})"
        ) from error


def describe_model(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_MODEL_BYTES
) -> ModelDescription:
    """What a saved model says about itself; nothing of the model is loaded.

    Needs no optional package. The description is the claim of whoever wrote the file.

    Parameters
    ----------
    path : path
    max_bytes : int, default 4 GiB
        What the file may unpack to.

    Raises
    ------
    ModelFileError
        The file is not a model, broken, or newer than this version.

    Examples
    --------
    >>> import tempfile
    >>> from disambig import PartialLabelClassifier
    >>> model = PartialLabelClassifier("tree").fit([[0.0], [1.0]], [["a"], ["a", "b"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.skops", metadata={"source": "survey"})
    ...     about = describe_model(f"{folder}/model.skops")
    >>> about.outputs, about.n_rows, about.parameters["weights"], about.metadata
    (['a', 'b'], 2, "'tree'", {'source': 'survey'})
    """
    try:
        return _description(Archive(_file_bytes(path, max_bytes), max_bytes=max_bytes))
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {_line(error)}.") from error


def _line(error: ModelFileError) -> str:
    """The reason in one line: it may quote other libraries, which use several."""
    return " ".join(str(error).split())


def _file_bytes(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """The content of a regular file; a pipe or a device could be endless."""
    found = Path(path).stat()
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise ModelFileError(f"{path}: it is {kind}. Name a file that save_model wrote.")
    if found.st_size > max_bytes:
        raise ModelFileError(
            f"{path}: it has {found.st_size} bytes; max_bytes allows {max_bytes}. Pass a larger "
            "max_bytes if you expect such a model."
        )
    with Path(path).open("rb") as stream:
        # No more than that, should it grow; `read` takes memory for all that it may read.
        data = stream.read(found.st_size)
    if not data:
        raise ModelFileError(f"{path}: it is empty.")
    if data.startswith(_PICKLE_MARKS):
        raise ModelFileError(
            f"{path}: it is a pickle, which runs code when it is loaded. Use joblib if you trust "
            "whoever wrote it, and save the model by save_model."
        )
    return data


def _description(archive: Archive) -> ModelDescription:
    if DESCRIPTION_MEMBER not in archive.sizes:
        raise ModelFileError(
            f"it is a zip archive without {DESCRIPTION_MEMBER}, so save_model did not write it"
        )
    return description_from_json(archive.read(DESCRIPTION_MEMBER, MAX_DESCRIPTION_BYTES))


def _audited(archive: Archive) -> None:
    """Check everything that skops would read."""
    sizes = archive.sizes
    if SCHEMA_MEMBER not in sizes:
        raise ModelFileError(f"it has no {SCHEMA_MEMBER}")
    root = parsed_schema(archive.read(SCHEMA_MEMBER, MAX_SCHEMA_BYTES))
    del sizes[SCHEMA_MEMBER], sizes[DESCRIPTION_MEMBER]
    audit(root, sizes, archive.read)


def _other_versions(about: ModelDescription | None) -> str:
    """What may be the reason: a sentence on libraries of other versions."""
    if about is None:
        return ""
    here = library_versions()
    others = [
        f"{name} {str(wrote)[:20]} (here {here[name]})"
        for name, wrote in cast("dict[str, Any]", about.versions).items()
        if here.get(name, wrote) != wrote
    ]
    return f" It was written with {', '.join(others)}." if others else ""
