"""Implications between tags, such as poodle => dog: reading them, and what they say about bits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import listed, positions, preview
from disambig.candidates.reading import row_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, IntArray

_FORM = "Give pairs (tag, implied tag), or a mapping from a tag to one or several implied tags."


@dataclass(frozen=True, eq=False)
class Implications:
    """``y[i] <= y[j]`` for every pair (i, j) of positions of tags.

    Parameters
    ----------
    pairs : int array (k, 2)
        The first tag implies the second. Without a cycle.
    m : int
        Number of tags.

    Examples
    --------
    >>> found = Implications(np.array([[0, 1], [1, 2], [0, 2]]), 3)
    >>> found.reduced.tolist(), found.parents.tolist()
    ([[0, 1], [1, 2]], [1, 2, -1])
    """

    pairs: IntArray
    m: int

    @cached_property
    def implied(self) -> BoolArray:
        """``[i, j]``: tag i implies tag j, by itself or through others, ``(m, m)``."""
        reach = np.zeros((self.m, self.m), dtype=np.bool_)
        reach[self.pairs[:, 0], self.pairs[:, 1]] = True
        for middle in range(self.m):
            reach |= reach[:, [middle]] & reach[[middle]]
        return reach

    @cached_property
    def reduced(self) -> IntArray:
        """The pairs that do not follow from others, ``(k', 2)``."""
        reach = self.implied.astype(np.float64)
        return np.argwhere(self.implied & (reach @ reach == 0))

    @cached_property
    def parents(self) -> IntArray | None:
        """For each tag the one tag that it implies directly, -1 for none; None if it has several.

        Then the tags are a forest.
        """
        children, parents = self.reduced.T
        if np.unique(children).size < children.size:
            return None
        found = np.full(self.m, -1)
        found[children] = parents
        return found

    def closed(self, bits: AnyArray, tags: AnyArray) -> AnyArray:
        """The known bits ``(n, m)`` and those that follow; raises where they contradict."""
        on, off = (bits == 1).astype(np.float32), (bits == 0).astype(np.float32)
        reach = self.implied.astype(np.float32)
        on, off = on + on @ reach > 0, off + off @ reach.T > 0
        wrong = on & off
        if wrong.any():
            self._raise(bits, tags, wrong)
        closed: AnyArray = np.where(on, 1, np.where(off, 0, -1)).astype(np.int8)
        return closed

    def _raise(self, bits: AnyArray, tags: AnyArray, wrong: BoolArray) -> None:
        row = int(np.argmax(wrong.any(axis=1)))
        known = bits[row]
        # A known tag that implies one that is known to be off.
        i, j = np.argwhere(self.implied & (known == 1)[:, None] & (known == 0))[0]
        names = listed(tags)
        raise row_error(
            np.asarray(wrong.any(axis=1)),
            f"has tag {names[i]!r} and not tag {names[j]!r}, but {names[i]!r} implies {names[j]!r}",
            "Correct the row, or leave the implication out.",
            "PartialBits",
        )

    def are_kept(self, bits: AnyArray) -> BoolArray:
        """Rows of complete bits ``(n, m)`` that keep every implication, ``(n,)``."""
        first, second = self.reduced.T
        return np.asarray((bits[:, first] <= bits[:, second]).all(axis=1))


def read_implications(given: Any, tags: AnyArray) -> Implications | None:
    """The implications of the user between these tags; None if there are none.

    Parameters
    ----------
    given : iterable of pairs, mapping, or None
    tags : array (m,)

    Examples
    --------
    >>> tags = np.array(["dog", "pet", "poodle"])
    >>> read_implications({"poodle": ["dog", "pet"]}, tags).pairs.tolist()
    [[2, 0], [2, 1]]
    """
    if given is None or isinstance(given, Implications):
        return given
    column = positions(tags)
    pairs = []
    for pair in _pairs(given):
        for name in pair:
            if name not in column:
                raise CandidateError(
                    f"PartialBits: implications name {name!r}, which is not among the tags "
                    f"{preview(listed(tags))}. {_FORM}"
                )
        pairs.append([column[name] for name in pair])
    if not pairs:
        return None
    found = Implications(np.array(pairs, dtype=np.intp), len(tags))
    cyclic = np.flatnonzero(found.implied.diagonal())
    if cyclic.size:
        names = [listed(tags)[k] for k in _cycle(found.pairs, int(cyclic[0]))]
        shown = " => ".join(repr(name) for name in [*names, names[0]])
        raise CandidateError(
            f"PartialBits: the implications {shown} form a cycle, so that these tags are always "
            "the same. Leave one of the implications out, or keep one of the tags."
        )
    return found


def _pairs(given: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise CandidateError(f"PartialBits: implications are {given!r}. {_FORM}")
    if isinstance(given, Mapping):
        for tag, implied in given.items():
            several = isinstance(implied, (list, tuple, set, frozenset))
            for other in implied if several else [implied]:
                yield tag, other
        return
    for pair in given:
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise CandidateError(f"PartialBits: implications hold {pair!r}. {_FORM}")
        first, second = pair
        yield first, second


def _cycle(pairs: IntArray, start: int) -> list[int]:
    """The tags of a shortest cycle through a tag, in order."""
    before = {start: start}
    border = [start]
    while border:
        reached = []
        for tag in border:
            for after in pairs[pairs[:, 0] == tag, 1].tolist():
                if after == start:
                    path = [tag]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return path[::-1]
                if after not in before:
                    before[after] = tag
                    reached.append(after)
        border = reached
    raise AssertionError("the tag is in no cycle")
