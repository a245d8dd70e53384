"""A random walk on the linear extensions of a partial order, by swaps of neighbours."""

from typing import Any

from disambig.kernels.jit import kernel
from disambig.notation import AnyArray, BoolArray

__all__ = ["swap_neighbours"]


@kernel
def swap_neighbours(
    order: AnyArray,
    owners: AnyArray,
    before: BoolArray,
    cumulative: AnyArray,
    choices: AnyArray,
) -> None:
    """Walk `order` in place: at each step perhaps swap the items at positions p and p + 1.

    Parameters
    ----------
    order : int64, (d, m)
        Items by position; row after row an independent walk.
    owners : int64, (d,)
        Whose order each row respects.
    before : bool, (c, m, m)
    cumulative : int64, (m - 1,)
        How many of the numbers 0, 1, ... belong to the positions up to p.
    choices : int64, (d, steps)
        ``2 x + c`` with x below ``cumulative[-1]``: x chooses p, and c = 0 stays put.
    """
    for draw in range(choices.shape[0]):
        for step in range(choices.shape[1]):
            choice = choices[draw, step]
            if not choice & 1:
                continue
            p: Any = 0
            last = cumulative.shape[0] - 1
            while p < last:
                middle = (p + last) // 2
                if cumulative[middle] > choice >> 1:
                    last = middle
                else:
                    p = middle + 1
            first, second = order[draw, p], order[draw, p + 1]
            if not before[owners[draw], first, second]:
                order[draw, p] = second
                order[draw, p + 1] = first
