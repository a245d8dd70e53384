"""Pairing heaps in arrays: nodes are numbers, and each may leave the heap that it is in.

``child[i]`` is the first child of node i, ``sibling[i]`` the next child of the same parent, and
``before[i]`` the previous one, or the parent for a first child; -1 stands for none. Keys do not
change while a node is in a heap. An empty heap has the root -1.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled_part
from disambig.notation import FloatArray, IntArray


@compiled_part
def meld(a: Any, b: Any, key: FloatArray, child: IntArray, sibling: IntArray, before: IntArray):  # type: ignore[no-untyped-def]
    """The root of two heaps, each given by its root or -1."""
    if a < 0:
        return b
    if b < 0:
        return a
    if key[b] < key[a]:
        a, b = b, a
    first = child[a]
    sibling[b] = first
    before[b] = a
    if first >= 0:
        before[first] = b
    child[a] = b
    return a


@compiled_part
def meld_children(  # type: ignore[no-untyped-def]
    node: Any, key: FloatArray, child: IntArray, sibling: IntArray, before: IntArray
):
    """One heap from the children of a node, in pairs from the left, then from the right."""
    rest, pairs = child[node], np.int64(-1)
    child[node] = -1
    while rest >= 0:
        a, b = rest, sibling[rest]
        rest = sibling[b] if b >= 0 else np.int64(-1)
        sibling[a], before[a] = -1, -1
        if b >= 0:
            sibling[b], before[b] = -1, -1
        pair = meld(a, b, key, child, sibling, before)
        # A list of pairs, linked by their siblings.
        sibling[pair] = pairs
        pairs = pair
    root = np.int64(-1)
    while pairs >= 0:
        following = sibling[pairs]
        sibling[pairs], before[pairs] = -1, -1
        root = meld(root, pairs, key, child, sibling, before)
        pairs = following
    return root


@compiled_part
def removed(  # type: ignore[no-untyped-def]
    root: Any,
    node: Any,
    key: FloatArray,
    child: IntArray,
    sibling: IntArray,
    before: IntArray,
):
    """The root of a heap without one of its nodes."""
    rest = meld_children(node, key, child, sibling, before)
    if node == root:
        return rest
    left, right = before[node], sibling[node]
    if child[left] == node:
        child[left] = right
    else:
        sibling[left] = right
    if right >= 0:
        before[right] = left
    sibling[node], before[node] = -1, -1
    return meld(root, rest, key, child, sibling, before)
