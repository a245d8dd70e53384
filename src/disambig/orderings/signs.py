"""Orders as the signs of their pairs i < j: +1 where i stands before j.

`tied_signs` finds all optimal orders from the cost of the sign of each pair, and returns their mean
signs. `tied_orders` takes any costs and returns the whole distribution; `tied_signs` does not build
``(b, m, m)`` arrays, and takes a microsecond for most problems.
"""

from typing import NamedTuple

import numpy as np

from disambig.compiled import pair_signs
from disambig.compiled.pair_signs import signs_of_orders
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.decode import OrderDecoder
from disambig.orderings.dynamic import LARGEST_LATTICE
from disambig.orderings.problems import first_rows
from disambig.orderings.ties import tied_orders
from disambig.orderings.windows import as_windows, placed_problems, within_windows

# The largest number below 1: a sign is 1 or -1 only if the other direction never occurs.
_MAX_OPEN_SIGN = float(np.nextafter(1.0, 0.0))


def _directions(m: int) -> tuple[IntArray, IntArray]:
    """The indices of ``[i, j]`` and of ``[j, i]``, i < j, in a flattened ``(m, m)`` array."""
    i, j = np.triu_indices(m, 1)
    # One index into flattened pairs is several times as fast as two.
    return i * m + j, j * m + i


def signs_of_ranks(ranks: IntArray) -> FloatArray:
    """1 where ``ranks[i] < ranks[j]`` for i < j, else -1; ``(n, m)`` to ``(n, m (m - 1) / 2)``.

    Ranks are distinct.

    Examples
    --------
    >>> signs_of_ranks(np.array([[0, 2, 1]]))
    array([[ 1.,  1., -1.]])
    """
    # A copy is writeable: for read-only arrays numba would compile the function once more.
    return signs_of_orders(np.array(ranks, dtype=np.int64, order="C"))


def signs_of_pairs(pairs: FloatArray) -> FloatArray:
    """``P(i before j) - P(j before i)`` for i < j, ``(n, m, m)`` to ``(n, m (m - 1) / 2)``.

    1 or -1 only if the other direction has probability 0.

    Examples
    --------
    >>> signs_of_pairs(np.array([[[0.0, 0.75], [0.25, 0.0]]]))
    array([[0.5]])
    """
    n, m, _ = pairs.shape
    first, second = _directions(m)
    flat = pairs.reshape(n, m * m)
    forward, backward = flat.take(first, axis=1), flat.take(second, axis=1)
    signs: FloatArray = forward - backward
    rounded = (np.abs(signs) == 1.0) & (forward > 0.0) & (backward > 0.0)
    if rounded.any():
        signs[rounded] *= _MAX_OPEN_SIGN
    return signs


def pairs_of_signs(signs: FloatArray, m: int) -> FloatArray:
    """``P(i before j)`` from the mean signs of the pairs i < j, ``(n, m, m)``; diagonal 0.

    Examples
    --------
    >>> pairs_of_signs(np.array([[0.5]]), 2)
    array([[[0.  , 0.75],
            [0.25, 0.  ]]])
    """
    first, second = _directions(m)
    pairs = np.zeros((len(signs), m * m))
    pairs[:, first] = (1.0 + signs) / 2.0
    pairs[:, second] = (1.0 - signs) / 2.0
    return pairs.reshape(-1, m, m)


def pair_costs(scores: FloatArray, m: int) -> FloatArray:
    """Costs of pairs, ``(n, m, m)``, from the costs of their signs, ``(n, m (m - 1) / 2)``.

    An order costs ``sum_{i<j} scores_ij sign_ij``, so that the two directions have opposite costs.

    Examples
    --------
    >>> pair_costs(np.array([[3.0]]), 2)
    array([[[ 0.,  3.],
            [-3.,  0.]]])
    """
    first, second = _directions(m)
    costs = np.zeros((len(scores), m * m))
    costs[:, first] = scores
    costs[:, second] = -scores
    return costs.reshape(-1, m, m)


class SignDistribution(NamedTuple):
    """The uniform distribution on the optimal orders of b problems.

    Parameters
    ----------
    ranks : int array (b, m)
        The order that `tied_orders` returns.
    signs : float array (b, m (m - 1) / 2)
        ``P(i before j) - P(j before i)`` for i < j; 1 or -1 where all orders agree, and only there.
    single : bool array (b,)
        Whether there is one optimal order only.
    """

    ranks: IntArray
    signs: FloatArray
    single: BoolArray


def tied_signs(
    scores: FloatArray,
    m: int,
    before: AnyArray | None = None,
    *,
    windows: AnyArray | None = None,
    tolerance: FloatArray,
    decoder: OrderDecoder | None = None,
) -> SignDistribution:
    """The orders that minimise ``sum_{i<j} scores_ij sign_ij``, the sign 1 if i stands before j.

    Parameters
    ----------
    scores : float array (b, at least m (m - 1) / 2)
        Pairs by i, then by j, as in ``np.triu_indices(m, 1)``; further columns are ignored.
    m : int
    before : bool array (b, m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    windows : int array (b, m, 2), optional
        The first and the last place of each item.
    tolerance : float array (b,)
        As for `tied_orders`.
    decoder : OrderDecoder, optional
        As for `tied_orders`.

    Returns
    -------
    SignDistribution

    Examples
    --------
    Of three items the first stands before the second, and the third may stand anywhere:

    >>> found = tied_signs(np.array([[-1.0, 0.0, 0.0]]), 3, tolerance=np.zeros(1))
    >>> found.ranks, found.signs.round(2), found.single
    (array([[0, 1, 2]]), array([[ 1.  ,  0.33, -0.33]]), array([False]))
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if not np.isfinite(scores).all():
        rows = np.asarray(~np.isfinite(scores).all(axis=1))
        raise ValueError(f"tied_signs: the scores of problem {first_rows(rows)} are not finite.")
    forced = np.zeros((1, m, m), dtype=np.bool_) if before is None else _writeable(before)
    limits = as_windows(windows, forced, len(scores), m, "tied_signs")
    if limits is not None:
        forced = np.broadcast_to(forced, (len(scores), m, m))
        return _placed_signs(scores, forced, limits, np.asarray(tolerance), decoder)
    found = pair_signs.tied_signs(
        _writeable(scores), forced, np.array(tolerance, dtype=np.float64), LARGEST_LATTICE
    )
    distribution, status = SignDistribution(*found[:3]), found[3]
    if status.any():
        cyclic = status == pair_signs.CYCLIC
        if cyclic.any():
            raise ValueError(
                f"tied_signs: the forced pairs of problem {first_rows(cyclic)} contain a cycle."
            )
        _solve_large(distribution, np.flatnonzero(status), scores, before, tolerance, decoder)
    return distribution


def _placed_signs(
    scores: FloatArray,
    before: BoolArray,
    windows: IntArray,
    tolerance: FloatArray,
    decoder: OrderDecoder | None,
) -> SignDistribution:
    """`tied_signs` with windows: a single optimal order that fits them is optimal with them, too.

    Other problems are solved with their windows.
    """
    b, m, _ = before.shape
    distribution = SignDistribution(
        np.empty((b, m), dtype=np.int64), np.empty((b, m * (m - 1) // 2)), np.ones(b, dtype=bool)
    )
    placed = placed_problems(windows, before)
    rows = np.flatnonzero(~placed)
    if rows.size:
        found = tied_signs(
            scores[rows], m, before[rows], tolerance=tolerance[rows], decoder=decoder
        )
        for array, values in zip(distribution, found, strict=True):
            array[rows] = values
    rows = np.flatnonzero(placed)
    # At most one item in a part: problems that need more than a comparison of pairs are left.
    ranks, signs, single, status = pair_signs.tied_signs(
        scores[rows], before[rows], np.array(tolerance[rows], dtype=np.float64), 1
    )
    done = single & (status == pair_signs.FOUND) & within_windows(ranks, windows[rows])
    for array, values in zip(distribution, (ranks, signs, single), strict=True):
        array[rows[done]] = values[done]
    if not done.all():
        _solve_large(distribution, rows[~done], scores, before, tolerance, decoder, windows)
    return distribution


def _writeable(array: AnyArray) -> AnyArray:
    """A writeable array: for read-only ones numba would compile its functions once more."""
    array = np.ascontiguousarray(array)
    return array if array.flags.writeable else array.copy()


def _solve_large(
    distribution: SignDistribution,
    rows: IntArray,
    scores: FloatArray,
    before: AnyArray | None,
    tolerance: FloatArray,
    decoder: OrderDecoder | None,
    windows: IntArray | None = None,
) -> None:
    """Solve problems with windows or with a part that is too large to be counted; write rows."""
    m = distribution.ranks.shape[1]
    rest = tied_orders(
        pair_costs(scores[rows, : distribution.signs.shape[1]], m),
        None if before is None else before[rows],
        windows=None if windows is None else windows[rows],
        tolerance=tolerance[rows],
        decoder=decoder,
    )
    distribution.ranks[rows] = rest.ranks
    distribution.signs[rows] = signs_of_pairs(rest.pairs)
    distribution.single[rows] = rest.counts == 1.0
