"""Arrays of a saved model: their headers are checked before numpy allocates anything.

An array member must hold plain entries (no Python objects), exactly as many bytes as its header
announces, and a sparse array must be an uncompressed ``.npz`` of such members.
"""

import io
import math
import warnings
import zipfile
from typing import Any

import numpy as np
from numpy.lib import format as npy_format

from disambig.exceptions import ModelFileError
from disambig.persistence.archive import BROKEN

# Bools, integers, floats, complex numbers, bytes, texts, dates, and records of these.
_PLAIN_KINDS = "biufcSUMmV"
# By version of the header; a later one is for names of fields in other scripts, which nobody has.
_READERS: dict[tuple[int, int], Any] = {
    (1, 0): npy_format.read_array_header_1_0,
    (2, 0): npy_format.read_array_header_2_0,
}
# Members of `scipy.sparse.save_npz` for compressed rows and columns.
_SPARSE_MEMBERS = {"format.npy", "shape.npy", "data.npy", "indices.npy", "indptr.npy"}
_SPARSE_ARRAY_MEMBERS = {*_SPARSE_MEMBERS, "_is_array.npy"}
_SPARSE_FORMATS = (b"csr", b"csc")


def check_array(name: str, content: bytes) -> None:
    """Raise `ModelFileError` unless `content` is a ``.npy`` file of plain entries, whole.

    Examples
    --------
    >>> stream = io.BytesIO()
    >>> np.save(stream, np.zeros(3))
    >>> check_array("a.npy", stream.getvalue())
    >>> check_array("a.npy", stream.getvalue()[:-1])
    Traceback (most recent call last):
    ...
    disambig.exceptions.ModelFileError: a.npy announces 24 bytes of entries and has 23
    """
    stream = io.BytesIO(content)
    try:
        with warnings.catch_warnings():
            # numpy warns of headers that it has to repair.
            warnings.simplefilter("error")
            read = _READERS[npy_format.read_magic(stream)]
            shape, _, dtype = read(stream)
    except Exception as error:
        # numpy parses and repairs headers as Python text, which can fail in many ways.
        raise ModelFileError(f"{name} is not an array ({error})") from error
    if dtype.hasobject or dtype.kind not in _PLAIN_KINDS or not dtype.itemsize:
        raise ModelFileError(f"{name} holds entries of the type {dtype}, which is not allowed")
    if any(length < 0 for length in shape):
        raise ModelFileError(f"{name} has the shape {shape}")
    expected, found = math.prod(shape) * dtype.itemsize, len(content) - stream.tell()
    if expected != found:
        raise ModelFileError(f"{name} announces {expected} bytes of entries and has {found}")


def check_sparse_array(name: str, content: bytes) -> None:
    """Raise `ModelFileError` unless `content` is a stored ``.npz`` of compressed rows or columns.

    Its indices are checked when it is loaded.
    """
    members = _stored_members(name, content)
    if set(members) not in (_SPARSE_MEMBERS, _SPARSE_ARRAY_MEMBERS):
        raise ModelFileError(f"{name} is not a sparse array: it has {sorted(members)[:8]}")
    for member, array in members.items():
        check_array(f"{name}, {member}", array)
    kind = np.load(io.BytesIO(members["format.npy"]), allow_pickle=False)
    if kind.shape != () or kind.item() not in _SPARSE_FORMATS:
        raise ModelFileError(f"{name} is a sparse array of another format than csr and csc")


def _stored_members(name: str, content: bytes) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist():
                is_stored = entry.compress_type == zipfile.ZIP_STORED
                if (
                    not is_stored
                    or entry.filename in members
                    or len(members) > len(_SPARSE_MEMBERS)
                ):
                    raise ModelFileError(f"{name} is packed in another way than by save_model")
                members[entry.filename] = archive.read(entry)
    except ModelFileError:
        raise
    except BROKEN as error:
        raise ModelFileError(f"{name} is broken ({error})") from error
    return members


def unpacked_sparse_array(content: bytes) -> bytes:
    """The same ``.npz`` without compression: the archive around it compresses.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> stream = io.BytesIO()
    >>> sp.save_npz(stream, sp.eye_array(3, format="csr"))
    >>> check_sparse_array("a.npz", unpacked_sparse_array(stream.getvalue()))
    """
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as archive,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as stored,
    ):
        for entry in archive.infolist():
            stored.writestr(zipfile.ZipInfo(entry.filename), archive.read(entry))
    return buffer.getvalue()
