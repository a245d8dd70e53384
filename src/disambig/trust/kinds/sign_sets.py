"""Prediction sets of orders and of bits from probabilities of their signs, on arrays.

At a threshold t the set has all outputs whose least probable sign has a probability of at least ``1
- t``: a pair or a bit is required if its probability exceeds t. So the score of an output is one
minus the probability of its least probable sign, and that of a candidate set is the least score of
its members ("meets"). Such a set can be empty. It is never returned empty: the threshold of a row
is raised until an output is left. This can only add outputs, so coverage stays at least what it
was, and scores at which a row is covered in any case are returned as 0.
"""

import numpy as np

from disambig.candidates import PartialBits, PartialOrders
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# The weight of a pair that is observed: above every probability.
_OBSERVED = 2.0


def acyclic_threshold(probabilities: FloatArray, before: BoolArray | None = None) -> FloatArray:
    """The least t at which some order has all pairs of probability above t, and of `before`, (n,).

    The pairs with ``p > t`` have a cycle if and only if t is below the largest over cycles of the
    smallest probability on the cycle. Widest paths between all items give it, by the algorithm of
    Floyd and Warshall.

    Parameters
    ----------
    probabilities : float array (n, m, m)
        That i stands before j.
    before : bool array (n, m, m), optional
        Pairs that are observed, without a cycle.

    Examples
    --------
    >>> p = np.array([[[0.0, 0.9, 0.4], [0.1, 0.0, 0.7], [0.6, 0.3, 0.0]]])
    >>> acyclic_threshold(p).tolist()
    [0.6]
    """
    m = probabilities.shape[1]
    widest = probabilities if before is None else np.where(before, _OBSERVED, probabilities)
    for k in range(m):
        through = np.minimum(widest[:, :, k, None], widest[:, k, None, :])
        widest = np.maximum(widest, through)
    returning = np.minimum(widest, np.swapaxes(widest, 1, 2))
    i, j = np.triu_indices(m, 1)
    return np.asarray(returning[:, i, j].max(axis=1, initial=0.0))


def order_set_scores(probabilities: FloatArray, orders: PartialOrders) -> FloatArray:
    """From which threshold on a prediction has an order of the row's set, ``(n,)``.

    The score for "meets". Of known places only the pairs that follow from them play a part.
    """
    found = acyclic_threshold(probabilities, orders.before)
    return np.where(found > acyclic_threshold(probabilities), found, 0.0)


def order_scores(probabilities: FloatArray, ranks: IntArray) -> FloatArray:
    """From which threshold on a prediction contains the complete orders ``(n, m)``, ``(n,)``."""
    before = ranks[:, :, None] < ranks[:, None, :]
    # Not 1 - p, which could differ from the probability of the reversed pair by rounding.
    reverse = np.swapaxes(probabilities, 1, 2)
    found = np.where(before, reverse, 0.0).max(axis=(1, 2), initial=0.0)
    return np.where(found > acyclic_threshold(probabilities), found, 0.0)


def orders_at(probabilities: FloatArray, threshold: float, items: AnyArray) -> PartialOrders:
    """The prediction sets of a threshold: partial orders, without a cycle.

    Examples
    --------
    >>> p = np.array([[[0.0, 0.9, 0.4], [0.1, 0.0, 0.7], [0.6, 0.3, 0.0]]])
    >>> orders_at(p, 0.65, np.array(["a", "b", "c"])).to_pairs()[0] == {
    ...     ("a", "b"),
    ...     ("b", "c"),
    ...     ("a", "c"),
    ... }
    True
    >>> orders_at(p, 0.8, np.array(["a", "b", "c"])).to_pairs()
    [frozenset({('a', 'b')})]
    """
    raised = np.maximum(threshold, acyclic_threshold(probabilities))
    return PartialOrders(probabilities > raised[:, None, None], items)


def inner_order_scores(probabilities: FloatArray, labels: IntArray, ranks: IntArray) -> FloatArray:
    """From which threshold on `inner_orders` contains the complete orders `ranks`, ``(n,)``."""
    chosen = labels[:, :, None] < labels[:, None, :]
    reversed_pairs = ranks[:, :, None] > ranks[:, None, :]
    wrong = np.where(chosen & reversed_pairs, probabilities, 0.0)
    return np.asarray(wrong.max(axis=(1, 2), initial=0.0))


def inner_orders(
    probabilities: FloatArray, threshold: float, labels: IntArray, orders: PartialOrders
) -> PartialOrders:
    """Prediction sets inside the rows' own sets: they have the recovered orders `labels`.

    Required are the observed pairs, known places, and the pairs of the label with a probability
    above the threshold.
    """
    chosen = labels[:, :, None] < labels[:, None, :]
    required = (chosen & (probabilities > threshold)) | orders.before
    return PartialOrders(required, orders.items, orders.windows)


def bit_set_scores(probabilities: FloatArray, bits: PartialBits) -> FloatArray:
    """From which threshold on a prediction contradicts no known bit ("meets"), ``(n,)``."""
    return _improbable(probabilities, bits.bits, bits.known)


def bit_scores(
    probabilities: FloatArray, bits: AnyArray, scored: BoolArray | None = None
) -> FloatArray:
    """From which threshold on a prediction contains the complete bits ``(n, m)``, ``(n,)``.

    `scored` are the bits that a prediction may get wrong; by default all.
    """
    everything = np.ones(bits.shape, dtype=np.bool_)
    return _improbable(probabilities, bits, everything if scored is None else scored)


def _improbable(probabilities: FloatArray, bits: AnyArray, known: BoolArray) -> FloatArray:
    """The largest probability of the opposite of a known bit, where it is above 1/2."""
    opposite = np.where(bits == 1, 1.0 - probabilities, probabilities)
    return np.asarray(np.where(known & (opposite > 0.5), opposite, 0.0).max(axis=1, initial=0.0))


def bits_at(probabilities: FloatArray, threshold: float, tags: AnyArray) -> PartialBits:
    """The prediction sets of a threshold: bits that are known where one value is required.

    Examples
    --------
    >>> bits_at(np.array([[0.95, 0.3, 0.05]]), 0.8, np.array(["a", "b", "c"]))[0] == {
    ...     "a": 1,
    ...     "c": 0,
    ... }
    True
    """
    likelier = probabilities > 0.5
    size = np.maximum(probabilities, 1.0 - probabilities)
    is_required = (size > threshold) & (size > 0.5)
    return PartialBits(np.where(is_required, likelier, -1).astype(np.int8), tags)


def inner_bits(probabilities: FloatArray, threshold: float, bits: PartialBits) -> PartialBits:
    """Prediction sets inside the rows' own sets: known bits stay as they are."""
    found = bits_at(probabilities, threshold, bits.tags)
    return PartialBits(np.where(bits.known, bits.bits, found.bits), bits.tags)
