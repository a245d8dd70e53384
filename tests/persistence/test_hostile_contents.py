"""Files made to take all memory, or to read foreign memory, are refused."""

import copy
import io
import os
import subprocess
import sys
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest
import scipy.sparse as sp

from disambig.exceptions import ModelFileError
from disambig.persistence import describe_model, load_model
from disambig.persistence.archive import packed
from tests.persistence import cases
from tests.persistence.forgery import (
    FIRST,
    array,
    members_of,
    node,
    schema_of,
    stored,
    text,
    with_attribute,
    with_schema,
)

# ---------------------------------------------------------------- time and memory

READ_ALL = """
import resource, sys
from disambig.exceptions import ModelFileError
from disambig.persistence import describe_model, load_model
import skops.io
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (100 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for path in sys.argv[1:]:
    for read in (describe_model, load_model):
        try:
            read(path)
        except ModelFileError as error:
            print(error)
"""
MIB = 1 << 20


def bomb(member, declared, names=()):
    """256 KiB that unpack to 256 MiB, once more under each of the other names."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    # After a full flush the next block does not depend on this one.
    block = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, block * 256 + b"\x03\x00")
        entry = archive.filelist[0]
        entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, declared
        for name in names:
            again = copy.copy(entry)
            again.filename = name
            archive.filelist.append(again)
    assert len(buffer.getvalue()) < 300 << 10
    return buffer.getvalue()


@pytest.mark.parametrize("declared", [256 * MIB, 1000, 20 * MIB])
@pytest.mark.parametrize("read", [describe_model, load_model])
def test_a_zip_bomb_is_never_unpacked(read, declared, tmp_path):
    (tmp_path / "bomb").write_bytes(bomb("disambig.json", declared, ["schema.json"]))
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            read(tmp_path / "bomb")
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory by RLIMIT_AS")
def test_zip_bombs_are_refused_in_bounded_memory(tmp_path):
    bombs = {
        "honest": (bomb("disambig.json", 256 * MIB), "more than 100 times as much"),
        "twice": (bomb("disambig.json", 256 * MIB, ["schema.json"]), "more than 100 times"),
        "lying": (bomb("disambig.json", 1000), "is broken"),
        "lying in bounds": (bomb("disambig.json", 20 * MIB), "more than"),
    }
    for name, (data, _) in bombs.items():
        (tmp_path / name).write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, *(str(tmp_path / name) for name in bombs)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2 * len(bombs)
    for number, (name, (_, match)) in enumerate(bombs.items()):
        for line in lines[2 * number : 2 * number + 2]:
            assert line.startswith(str(tmp_path / name))
            assert match in line


def test_a_member_that_unpacks_to_more_than_it_declares(saved, refused):
    data = packed(saved)
    size = len(saved["schema.json"])
    refused(data.replace(size.to_bytes(4, "little"), (size - 7).to_bytes(4, "little")), "schema")


def test_the_limit_is_the_callers(saved, tmp_path):
    path = tmp_path / "model.skops"
    path.write_bytes(packed(saved))
    total = sum(map(len, saved.values()))
    load_model(path, max_bytes=total)
    for read in (load_model, describe_model):
        with pytest.raises(ModelFileError, match="max_bytes"):
            read(path, max_bytes=total - 1)


def header(shape, descr="'<f8'"):
    line = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line


@pytest.mark.parametrize(
    "content",
    [
        header("(1000000000000,)"),
        header("(-1, -8)") + bytes(64),
        header("(1000000000,)", "'<U0'"),
        header("(1,)", "'|O'") + bytes(8),
        header("(2,)", "[('a', '|O')]") + bytes(16),
        header("(__import__('os').getpid(),)"),
        header("(1,") + bytes(8),
        header("(1,)", "'<f8") + bytes(8),
        header("(1,)" + " " * 20_000) + bytes(8),
        header("(" * 3000) + bytes(8),
        b"\x93NUMPY\x09\x00",
        b"",
        b"PK\x05\x06" + bytes(18),
    ],
)
def test_headers_of_arrays_that_lie(content, saved, refused):
    name = next(name for name in saved if name.endswith(".npy"))
    refused({**saved, name: content}, name)


def test_an_archive_inside_of_the_archive_is_not_compressed(saved, refused):
    name = next((name for name in saved if name.endswith(".npz")), None)
    if name is None:
        pytest.skip("this version of skops stores sparse arrays as objects")
    stream = io.BytesIO()
    sp.save_npz(stream, sp.csr_array((100, 100)), compressed=True)
    refused({**saved, name: stream.getvalue()}, "packed in another way")
    refused({**saved, name: stored({"a.npy": array(np.zeros(0))})}, "not a sparse array")
    refused({**saved, name: b"PK"}, "broken")


def test_repeated_nodes_are_counted_each_time(saved, refused):
    # Thirty lists, each with the one before twice: a thousand million nodes for skops.
    value = text(1, FIRST)
    for number in range(FIRST + 1, FIRST + 31):
        again = {"__id__": number - 1}
        value = node("ListNode", "builtins.list", number, content=[value, again])
    refused(with_attribute(saved, value), "stands for more than")


def test_nodes_inside_of_nodes(saved, refused):
    value = text(1, FIRST)
    for number in range(FIRST + 1, FIRST + 201):
        value = node("ListNode", "builtins.list", number, content=[value])
    refused(with_attribute(saved, value), "nested deeper")
    itself = node("ListNode", "builtins.list", FIRST, content=[{"__id__": FIRST}])
    refused(with_attribute(saved, itself), "inside of itself")
    refused(with_attribute(saved, {"__id__": FIRST}), "before it comes")
    refused(with_attribute(saved, text(1, 1)), "number")
    refused(with_attribute(saved, text(1, True)), "number")
    refused({**saved, "schema.json": b"[" * 100_000}, "cannot be read")
    refused({**saved, "schema.json": b"[" + b"{}," * 4_000_000 + b"0]"}, "brackets and commas")
    refused({**saved, "disambig.json": b"[" * 100_000}, "cannot be read")


@pytest.mark.parametrize("content", ["[[1]]", " {}", "", "nonsense", "1" * 5000, 7, None])
def test_values_that_are_no_text_and_no_number(content, saved, refused):
    refused(with_attribute(saved, {**text(1, FIRST), "content": content}), "value")


def test_a_member_is_read_once_and_only_by_its_node(saved, refused):
    root = schema_of(saved)
    names = [name for name in saved if name.endswith(".npy")]
    used = node("NdArrayNode", "numpy.ndarray", FIRST, type="numpy", file=names[0])
    refused(with_attribute(saved, used), "wrongly")
    refused(with_attribute(saved, {**used, "file": "7777.npy"}), "7777")
    refused(with_attribute(saved, {**used, "file": "schema.json"}), "wrongly")
    refused(with_attribute(saved, {**used, "file": 3}), "wrongly")
    refused({**with_schema(saved, root), "9999.npy": array(np.zeros(1))}, "9999.npy")
    without = {name: content for name, content in saved.items() if name != names[0]}
    refused(without, names[0])


def test_slices_and_arrays_of_odd_content(saved, refused):
    ends = {"start": 0, "stop": [1], "step": None}
    odd = node("SliceNode", "builtins.slice", FIRST, content=ends)
    refused(with_attribute(saved, odd), "slice")
    for content in ("abc", None, 3, {}):
        refused(with_attribute(saved, {**odd, "content": content}), "slice")
    shape = node("TupleNode", "builtins.tuple", FIRST + 1, content=[])
    array_node = node("NdArrayNode", "numpy.ndarray", FIRST, type="numpy", content=[], shape=shape)
    refused(with_attribute(saved, array_node), "without a member")
    refused(with_attribute(saved, node("ListNode", "builtins.list", FIRST, content=3)), "form")
    refused(with_attribute(saved, [1]), "node")
    tree = node("TreeNode", "sklearn.tree._tree.Tree", FIRST, content=shape, __reduce__={"x": 1})
    refused(with_attribute(saved, tree), "form")


# ---------------------------------------------------------------- foreign memory


def rewritten(members, change):
    """The file with one of its arrays changed in place by `change`, which tells whether it did."""
    for name, content in members.items():
        if name.endswith(".npy"):
            value = np.load(io.BytesIO(content))
            if change(value):
                return {**members, name: array(value)}
    raise AssertionError("no array was changed")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("left_child", 10**9),
        ("right_child", -7),
        ("feature", 3),
        ("feature", -1),
        ("left_child", 0),
    ],
)
def test_trees_with_nodes_or_features_elsewhere(field, value, saved_forest, refused):
    def change(nodes):
        if nodes.dtype.names is None:
            return False
        nodes[field][0] = value
        return True

    refused(rewritten(saved_forest, change), "outside of its arrays")


def test_leaves_elsewhere(saved_forest, refused):
    def change(leaves):
        if leaves.dtype != np.int32 or leaves.shape != (2, cases.N):
            return False
        leaves[1, 3] = 10**6
        return True

    refused(rewritten(saved_forest, change), "outside of its arrays")


def test_a_tree_of_more_features_than_its_forest(saved_forest, refused):
    root = schema_of(saved_forest)
    found = []

    def search(value):
        if isinstance(value, dict):
            content = value.get("content")
            is_object = isinstance(content, dict) and isinstance(content.get("content"), dict)
            if value.get("__class__") == "ExtraTreesRegressor" and is_object:
                found.append(content["content"])
            for part in value.values():
                search(part)
        elif isinstance(value, list):
            for part in value:
                search(part)

    search(root)
    found[0]["n_features_in_"] = text(2, FIRST)
    refused(with_schema(saved_forest, root), "outside of its arrays")


def test_sparse_arrays_with_columns_elsewhere(saved, refused):
    for name in (name for name in saved if name.endswith(".npz")):
        inner = members_of(saved[name])
        indices = np.load(io.BytesIO(inner["indices.npy"]))
        indices[0] = 10**8
        changed = stored({**inner, "indices.npy": array(indices)})
        refused({**saved, name: changed}, "outside of its arrays|cannot be built")
