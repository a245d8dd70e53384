"""What a decoder returns: one order for each problem, and what is known about it."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["DecodedOrders"]


@dataclass(frozen=True, eq=False)
class DecodedOrders:
    """Orders of m items for b problems, each with its value and a proven bound.

    Parameters
    ----------
    ranks : int array (b, m)
        ``ranks[r, i]`` is the position of item i, 0 = first.
    values : float array (b,)
        What the orders cost.
    gaps : float array (b,), non-negative
        No order is better by more than this: ``values - gaps`` are lower bounds.
    exact : bool array (b,)
        Whether the order is proven optimal: its gap is rounding.
    methods : str array (b,)
        What found it: "first look" (every pair goes its cheaper way), "dynamic" (programming over
        down-sets), "cuts" (linear programs with cuts), "local" (search), "assignment". A problem
        that fell into parts has the method of the part that was hardest to settle.

    Examples
    --------
    >>> from disambig.decoders import order_decoder
    >>> costs = np.array([[[0, 1, 0], [2, 0, 1], [4, 3, 0]]])
    >>> found = order_decoder().decode(costs)
    >>> found.ranks, found.values, found.exact, found.methods
    (array([[0, 1, 2]]), array([2.]), array([ True]), array(['first look'], dtype='<U10'))
    """

    ranks: IntArray
    values: FloatArray
    gaps: FloatArray
    exact: BoolArray
    methods: AnyArray

    def __post_init__(self) -> None:
        for array in (self.ranks, self.values, self.gaps, self.exact, self.methods):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def bounds(self) -> FloatArray:
        """Lower bounds on what any order costs, ``(b,)``."""
        return np.asarray(self.values - self.gaps)
