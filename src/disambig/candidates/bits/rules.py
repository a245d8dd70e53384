"""What is allowed beside known bits: implications between tags, and bounds on their number.

`TagRules` finds the cheapest bits that are allowed, exactly, with all ties. Tags of which each
implies at most one other directly are a forest, and are decided from the implied tag to those that
imply it: without it, none of them is possible. Other connected tags are decided together, by a list
of all that is possible for them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from disambig.candidates.bits.implications import Implications
from disambig.candidates.bits.tag_counts import filled
from disambig.candidates.labels.classes import listed, preview
from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# Of tags that are decided together.
_MAX_COMBINATIONS = 1024
# Costs of options that are in memory at once.
_MAX_BATCH_ENTRIES = 2**22


class TiedBits(NamedTuple):
    """The cheapest bits of each row.

    Attributes
    ----------
    first, last : int8 array (n, m)
        Two of those that tie; the same if there is only one.
    means : float array (n, m)
        The mean of all that tie.
    costs : float array (n,)
        Infinite in rows that allow nothing.
    log_numbers : float array (n,)
        The logarithm of the number of those that tie.
    """

    first: AnyArray
    last: AnyArray
    means: FloatArray
    costs: FloatArray
    log_numbers: FloatArray


class _Options(NamedTuple):
    """Options of all blocks, see `choose_tags`; `on` and `off` are ``(K, m)``."""

    starts: IntArray
    following: IntArray
    on: FloatArray
    off: FloatArray


@dataclass(frozen=True, eq=False)
class TagRules:
    """Bits that are allowed: ``y[i] <= y[j]`` for implications, and ``low <= sum(y) <= high``.

    Parameters
    ----------
    tags : array (m,)
    implications : Implications or None
    low, high : int
        The least and the most tags of rows that have no bounds of their own; by default 0 and m.

    Examples
    --------
    >>> rules = TagRules(np.array(["dog", "poodle"]), Implications(np.array([[1, 0]]), 2))
    >>> rules.cheapest(np.array([[1.0, -3.0]])).first.tolist()
    [[1, 1]]
    """

    tags: AnyArray
    implications: Implications | None
    low: int = 0
    high: int | None = None

    @property
    def most(self) -> int:
        """The most tags of a row."""
        return len(self.tags) if self.high is None else self.high

    def completed(self, bits: AnyArray, counts: IntArray | None) -> AnyArray:
        """Known bits ``(n, m)`` and what follows from them; raises if a row allows nothing."""
        if self.implications is not None:
            bits = self.implications.closed(bits, self.tags)
        # Tags can be added one after the other, each after what it implies: every number between
        # the known tags and all that are possible can be reached.
        return bits if counts is None else filled(bits, counts)

    def cheapest(
        self,
        costs: FloatArray,
        bits: AnyArray | None = None,
        counts: IntArray | None = None,
        tolerance: FloatArray | None = None,
    ) -> TiedBits:
        """The bits of least ``<y, costs[i]>`` that agree with what is known of each row.

        Parameters
        ----------
        costs : float array (n, m)
        bits : int8 array (n, m), optional
            1, 0, or -1 where nothing is known. What follows from it must be filled in.
        counts : int array (n, 2), optional
            The least and the most tags of each row.
        tolerance : float array (n,), optional
        """
        n, m = costs.shape
        bits = np.full((n, m), -1, dtype=np.int8) if bits is None else bits
        if counts is None:
            counts = np.tile([self.low, self.most], (n, 1))
        tolerance = np.zeros(n) if tolerance is None else tolerance
        options = self._options
        found = TiedBits(
            np.zeros((n, m), np.int8),
            np.zeros((n, m), np.int8),
            np.zeros((n, m)),
            np.zeros(n),
            np.zeros(n),
        )
        batch = max(1, _MAX_BATCH_ENTRIES // len(options.on))
        for start in range(0, n, batch):
            rows = slice(start, start + batch)
            part = _batch(options, costs[rows], bits[rows], counts[rows], tolerance[rows])
            for whole, values in zip(found, part, strict=True):
                whole[rows] = values
        return found

    # Not kept in the object: compiled code follows the indices, and a file could hold wrong ones.
    @property
    def _options(self) -> _Options:
        m = len(self.tags)
        if self.implications is None:
            return _forest_options(np.full(m, -1))
        if self.implications.parents is not None:
            return _forest_options(self.implications.parents)
        return self._joint_options(self.implications)

    def _joint_options(self, implications: Implications) -> _Options:
        """One block for each connected component."""
        m = implications.m
        first, second = implications.reduced.T
        graph = sp.coo_array((np.ones(len(first)), (first, second)), shape=(m, m))
        _, component = connected_components(graph, directed=False)
        on_parts, sizes = [], [0]
        blocks = [np.flatnonzero(component == c) for c in range(component.max() + 1)]
        for tags in blocks:
            allowed = self._combinations(implications, tags)
            on = np.zeros((len(allowed), m))
            on[:, tags] = allowed
            on_parts.append(on)
            sizes.append(len(on))
        on = np.vstack(on_parts)
        owner = np.repeat(np.arange(len(blocks)), sizes[1:])
        off = (component[np.newaxis] == owner[:, np.newaxis]) - on
        return _Options(np.cumsum(sizes), owner + 1, on, off)

    def _combinations(self, implications: Implications, tags: IntArray) -> BoolArray:
        """All that is possible for some connected tags, ``(combinations, tags)``."""
        implied = implications.implied[np.ix_(tags, tags)]
        found = np.zeros((1, 0), dtype=np.bool_)
        # Implied tags first, so that no combination is dropped late.
        order = np.argsort(implied.sum(axis=1), kind="stable")
        for place, tag in enumerate(order):
            needs = implied[tag, order[:place]]
            can_be_on = found[:, needs].all(axis=1)
            without = np.hstack([found, np.zeros((len(found), 1), np.bool_)])
            with_it = np.hstack(
                [found[can_be_on], np.ones((np.count_nonzero(can_be_on), 1), np.bool_)]
            )
            found = np.vstack([without, with_it])
            if len(found) > _MAX_COMBINATIONS:
                names = preview([listed(self.tags)[k] for k in tags])
                raise MissingOracleError(
                    f"The implications join the tags {names}, some of which imply several others "
                    f"directly. They have more than {_MAX_COMBINATIONS} combinations, too many to "
                    "be minimised exactly. Leave implications out until every tag implies at most "
                    "one other directly, or use fewer tags."
                )
        combinations = np.empty_like(found)
        combinations[:, order] = found
        return combinations


def _batch(
    options: _Options, costs: FloatArray, bits: AnyArray, counts: IntArray, tolerance: FloatArray
) -> TiedBits:
    # numba takes a third of a second to import.
    from disambig.compiled.tags.choices import choose_tags

    starts, following, on, off = options
    option_costs = costs @ on.T
    # Empty sums cost nothing, also beside infinite ones.
    refused = (bits == 0).astype(np.float64) @ on.T + (bits == 1).astype(np.float64) @ off.T
    option_costs[refused > 0] = np.inf
    shape = option_costs.shape
    first, last = np.zeros(shape, np.int8), np.zeros(shape, np.int8)
    shares, log_numbers = np.zeros(shape), np.zeros(len(costs))
    least = choose_tags(
        option_costs,
        starts,
        following,
        on.sum(axis=1).astype(np.intp),
        np.ascontiguousarray(counts, dtype=np.intp),
        np.ascontiguousarray(tolerance, dtype=np.float64),
        bits.shape[1],
        first,
        last,
        shares,
        log_numbers,
    )
    means = np.clip(shares @ on, 0.0, 1.0)
    bits_first, bits_last = ((found @ on).astype(np.int8) for found in (first, last))
    # Shares add up to one but for rounding.
    is_single = (bits_first == bits_last).all(axis=1)
    means[is_single] = bits_first[is_single]
    return TiedBits(bits_first, bits_last, means, least, log_numbers)


def _forest_options(parents: IntArray) -> _Options:
    """One block for each tag: it is off with all that imply it, or on."""
    m = len(parents)
    order = _preorder(parents)
    place = np.argsort(order)
    descends = np.zeros((m, m), dtype=np.bool_)
    for tag in order:
        descends[:, tag] |= np.arange(m) == tag
        if parents[tag] >= 0:
            # Parents come first, so that their own ancestors are complete.
            descends[tag] |= descends[parents[tag]]
    on, off = np.zeros((2 * m, m)), np.zeros((2 * m, m))
    off[::2] = descends[:, order].T
    on[1::2] = np.eye(m)[order]
    following = np.empty(2 * m, dtype=np.intp)
    following[::2] = place[order] + descends.sum(axis=0)[order]
    following[1::2] = place[order] + 1
    return _Options(np.arange(0, 2 * m + 1, 2), following, on, off)


def _preorder(parents: IntArray) -> IntArray:
    """The tags of a forest, each one followed by those that imply it."""
    children: list[list[int]] = [[] for _ in parents]
    for tag, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(tag)
    order: list[int] = []
    stack = [tag for tag in range(len(parents) - 1, -1, -1) if parents[tag] < 0]
    while stack:
        tag = stack.pop()
        order.append(tag)
        stack += children[tag][::-1]
    return np.array(order, dtype=np.intp)
