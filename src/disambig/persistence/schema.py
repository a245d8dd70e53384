"""The schema of a saved model: the tree of nodes that skops builds objects from.

skops decides by the names of types whether it builds an object, but any trusted type may then
appear in any node, and some nodes call what they name. `audit` is stricter, and needs nothing but
the text: each loader has its own types and its own keys, and every member is read exactly once.

Nodes are visited in the order of skops. A node that holds nothing but an ``__id__`` stands for an
earlier one.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from disambig.exceptions import ModelFileError
from disambig.persistence.arrays import check_array, check_sparse_array
from disambig.persistence.trusted import types_by_loader

SCHEMA_MEMBER = "schema.json"
# The version of skops's nodes whose structure is checked here (skops 0.13 to 0.16).
_PROTOCOL = 2
MAX_SCHEMA_BYTES = 1 << 26
# Brackets and commas, which bound what the parsed schema takes in memory: some 100 bytes for each.
_MAX_MARKS = 6_000_000
# Nodes, with repeated ones counted each time: skops visits all of them.
_MAX_NODES = 4_000_000
# Nodes inside of nodes. Models have some 40; skops needs three calls for each.
_MAX_DEPTH = 150

Node = dict[str, Any]

_NODE_KEYS = {"__class__", "__module__", "__loader__", "__id__"}
_OWN_KEYS: dict[str, tuple[set[str], ...]] = {
    "ConstructorFromReduceNode": ({"content"},),
    "DictNode": ({"content", "key_types"},),
    "DTypeNode": ({"content"},),
    "JsonNode": ({"content", "is_json"},),
    "ListNode": ({"content"},),
    "NdArrayNode": ({"type", "file"}, {"type", "content", "shape"}),
    "ObjectNode": ({"content"}, set()),
    "RandomStateNode": ({"content"},),
    "SetNode": ({"content"},),
    "SliceNode": ({"content"},),
    "SparseMatrixNode": ({"type", "file"},),
    "TreeNode": ({"content", "__reduce__"},),
    "TupleNode": ({"content"},),
    "TypeNode": (set(),),
}
_ROOT_KEYS = {"protocol", "_skops_version"}
_KEY_TYPES = {"builtins.str", "builtins.int", "builtins.float"}


def parsed_schema(content: bytes) -> Node:
    """The root node of a schema, without its version."""
    marks = sum(content.count(mark) for mark in (b"{", b"[", b","))
    if marks > _MAX_MARKS:
        raise ModelFileError(f"{SCHEMA_MEMBER} has {marks} brackets and commas")
    try:
        root = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{SCHEMA_MEMBER} cannot be read ({error})") from error
    if not isinstance(root, dict) or not set(root) > _ROOT_KEYS:
        raise ModelFileError(f"{SCHEMA_MEMBER} is not a schema of skops")
    if root["protocol"] != _PROTOCOL or isinstance(root["protocol"], bool):
        raise ModelFileError(
            f"its objects are stored by protocol {root['protocol']!r} of skops; this version of "
            f"disambig reads protocol {_PROTOCOL}"
        )
    return {key: value for key, value in root.items() if key not in _ROOT_KEYS}


def audit(root: Node, sizes: Mapping[str, int], read: Callable[[str], bytes]) -> None:
    """Raise `ModelFileError` if a schema holds anything that is not on the list.

    Parameters
    ----------
    root : dict
        From `parsed_schema`.
    sizes : mapping of str to int
        The members that the nodes must use, each once.
    read : callable
        The content of a member.
    """
    audited = _Audit(read, sizes)
    audited.visit(root, 0)
    if audited.files != set(sizes):
        odd = sorted(set(sizes) - audited.files)
        raise ModelFileError(f"it has members that its schema does not name: {odd[:3]}")


class _Audit:
    """The state of an audit.

    Attributes
    ----------
    files : set of str
        Members that were read.
    """

    def __init__(self, read: Callable[[str], bytes], sizes: Mapping[str, int]) -> None:
        self.files: set[str] = set()
        self._read, self._names = read, set(sizes)
        # Nodes that were visited completely: how many they stand for, and their kinds.
        self._sizes: dict[int, int] = {}
        self._kinds: dict[int, tuple[str, str]] = {}
        self._open: set[int] = set()

    def visit(self, node: Any, depth: int) -> int:
        """Check a node and what is inside; returns how many nodes skops visits for it."""
        if depth > _MAX_DEPTH:
            raise ModelFileError(f"its objects are nested deeper than {_MAX_DEPTH}")
        number = node.get("__id__") if isinstance(node, dict) else None
        if type(number) is not int or number <= 0 or number in self._open:
            raise ModelFileError("its schema has a node without a number, or inside of itself")
        if set(node) == {"__id__"}:
            if number not in self._sizes:
                raise ModelFileError(f"its schema names the node {number} before it comes")
            return self._sizes[number]
        if number in self._sizes:
            raise ModelFileError(f"its schema has two nodes with the number {number}")
        loader, name = _checked_kind(node)
        self._open.add(number)
        size = 1
        for part in parts(node):
            size += self.visit(part, depth + 1)
            if size > _MAX_NODES:
                raise ModelFileError(f"its schema stands for more than {_MAX_NODES} nodes")
        self._open.remove(number)
        self._sizes[number], self._kinds[number] = size, (loader, name)
        self._check_content(node, loader)
        return size

    def _check_content(self, node: Node, loader: str) -> None:
        if loader == "JsonNode":
            _check_scalar(node["content"])
        elif loader == "SliceNode":
            _check_slice(node["content"])
        elif loader == "DictNode":
            self._check_keys(node)
        elif "file" in node:
            self._check_file(node, loader)
        elif loader == "NdArrayNode" and node["type"] != "json":
            raise ModelFileError("its schema has an array without a member")

    def _check_keys(self, node: Node) -> None:
        keys = node["key_types"]
        named = keys.get("content") if keys.get("__loader__") == "ListNode" else None
        kinds = [self._kinds[key["__id__"]] for key in named] if named is not None else []
        if len(kinds) != len(node["content"]) or not all(
            kind == "TypeNode" and name in _KEY_TYPES for kind, name in kinds
        ):
            raise ModelFileError("its schema has a dictionary with keys that are not text")

    def _check_file(self, node: Node, loader: str) -> None:
        name = node["file"]
        is_sparse = loader == "SparseMatrixNode"
        kind, suffix = ("scipy", ".npz") if is_sparse else ("numpy", ".npy")
        is_named = isinstance(name, str) and name.endswith(suffix) and node["type"] == kind
        if not is_named or name in self.files or name not in self._names:
            raise ModelFileError(
                f"its schema reads the member {str(name)[:80]!r} wrongly, or twice"
            )
        self.files.add(name)
        (check_sparse_array if is_sparse else check_array)(name, self._read(name))


def _checked_kind(node: Node) -> tuple[str, str]:
    """Loader and type of a node, both on the list, with the keys of this loader."""
    loader = node.get("__loader__")
    module, kind = node.get("__module__"), node.get("__class__")
    if not all(isinstance(text, str) for text in (loader, module, kind)):
        raise ModelFileError("its schema has a node without a type")
    name = f"{module}.{kind}"
    if name not in types_by_loader().get(str(loader), ()):
        raise ModelFileError(
            f"it holds an object of the type {name[:200]!r} ({str(loader)[:80]}), which is not on "
            "the list of trusted types"
        )
    if set(node) - _NODE_KEYS not in _OWN_KEYS[str(loader)]:
        raise ModelFileError(f"its schema has a {loader} with other keys than skops writes")
    return str(loader), name


def _check_scalar(content: Any) -> None:
    """Text of a string, a number, a bool or null: nothing that nests."""
    if not isinstance(content, str) or content.lstrip()[:1] in ("[", "{", ""):
        raise ModelFileError("its schema has a value that is neither text nor number")
    try:
        json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"its schema has a value that cannot be read ({error})") from error


def _check_slice(content: Any) -> None:
    is_slice = isinstance(content, dict) and set(content) == {"start", "stop", "step"}
    if not is_slice or not all(end is None or type(end) is int for end in content.values()):
        raise ModelFileError("its schema has a slice whose ends are not integers")


def parts(node: Node) -> Iterator[Any]:
    """The nodes inside of a node, in the order in which skops visits them."""
    loader = node.get("__loader__")
    if loader in ("JsonNode", "SliceNode", "TypeNode", "SparseMatrixNode") or "file" in node:
        return
    content = node.get("content")
    if loader == "DictNode":
        yield node["key_types"]
        yield from _values(content, dict)
    elif loader in ("ListNode", "TupleNode", "SetNode"):
        yield from _values(content, list)
    elif loader == "NdArrayNode":
        yield from _values(content, list)
        yield node["shape"]
    elif loader == "TreeNode":
        yield content
        yield _values(node["__reduce__"], dict, {"args"})[0]
    elif content is not None:
        yield content


def _values(content: Any, kind: type, keys: set[str] | None = None) -> list[Any]:
    """The entries of a list or of a dictionary, which has these keys."""
    entries: Any = content
    if not isinstance(content, kind) or (keys is not None and set(entries) != keys):
        raise ModelFileError("its schema has a node whose content has another form")
    return list(entries.values() if kind is dict else entries)


def compacted(schema: Node) -> tuple[Node, dict[str, str]]:
    """A schema as skops writes it, with repeated nodes left out, and the new names of its members.

    skops writes an object again wherever it is used, under its address in memory. Here nodes are
    numbered in their order, so that equal models are equal files, and repeated ones are references.

    Returns
    -------
    schema : dict
        The same object, changed.
    names : dict of str to str
    """
    numbers: dict[int, int] = {}
    names: dict[str, str] = {}
    pending = [schema]
    while pending:
        node = pending.pop()
        address = node["__id__"]
        if address in numbers:
            node.clear()
            node["__id__"] = numbers[address]
            continue
        numbers[address] = node["__id__"] = len(numbers) + 1
        if "file" in node:
            suffix = node["file"].rpartition(".")[2]
            node["file"] = names.setdefault(node["file"], f"{node['__id__']}.{suffix}")
        pending.extend(reversed(list(parts(node))))
    return schema, names
