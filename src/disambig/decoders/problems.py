"""A batch of ordering problems as every decoder takes it: costs of pairs and forced pairs."""

from collections.abc import Iterator

import numpy as np

from disambig.kernels.majority import majority_parts
from disambig.notation import AnyArray, BoolArray, FloatArray

__all__ = ["as_problems", "blocks", "first_rows", "order_values", "pair_minima"]

# Entries of costs that are worked on at once: 16 MiB, and temporaries of that size.
_BLOCK = 2**21


def as_problems(
    costs: AnyArray, before: AnyArray | None, name: str, *, diagonal: bool = False
) -> tuple[FloatArray, BoolArray]:
    """Costs as float64 ``(b, m, m)`` and forced pairs as bool ``(b, m, m)`` or ``(1, m, m)``.

    Parameters
    ----------
    costs : array (b, m, m)
        Finite; the diagonal may be anything, and becomes 0, unless `diagonal` says it counts.
    before : bool array (b, m, m) or (m, m), or None
        None forces nothing; one relation serves all problems. Acyclic, which is checked.
    name : str
        Who asks, for messages.
    diagonal : bool

    Examples
    --------
    >>> costs, before = as_problems(np.zeros((5, 3, 3)), None, "example")
    >>> costs.shape, before.shape
    ((5, 3, 3), (1, 3, 3))
    """
    costs = np.ascontiguousarray(costs, dtype=np.float64)
    if costs.ndim != 3 or costs.shape[1] != costs.shape[2] or costs.shape[1] == 0:
        raise ValueError(
            f"{name}: costs must have shape (problems, items, items), got {costs.shape}. "
            "Write costs[None] for a single problem."
        )
    b, m, _ = costs.shape
    ignored = np.arange(0 if diagonal else m)
    # Compiled loops would be compiled once more for arrays that are read-only.
    if not costs.flags.writeable or costs[:, ignored, ignored].any():
        costs = costs.copy()
        costs[:, ignored, ignored] = 0.0
    finite = np.asarray(np.isfinite(costs).all(axis=(1, 2)))
    if not finite.all():
        raise ValueError(
            f"{name}: costs of problem {first_rows(~finite)} are not finite. "
            "Forbid a direction by `before`, not by an infinite cost."
        )
    if before is None:
        return costs, np.zeros((1, m, m), dtype=np.bool_)
    forced = np.ascontiguousarray(before)
    if forced.dtype != np.bool_:
        raise ValueError(f"{name}: before must be boolean, got {forced.dtype}.")
    if forced.ndim == 2:
        forced = forced[None]
    if forced.shape not in {(b, m, m), (1, m, m)}:
        raise ValueError(
            f"{name}: before must have shape {(b, m, m)} or {(m, m)} to go with the costs, "
            f"got {np.shape(before)}."
        )
    if not forced.flags.writeable:
        forced = forced.copy()
    _require_acyclic(forced, name)
    return costs, forced


def first_rows(mask: BoolArray) -> str:
    """The first row of a mask, and how many there are, for messages.

    Examples
    --------
    >>> first_rows(np.array([False, True, True]))
    '1 (2 such problems)'
    """
    count = int(mask.sum())
    return f"{int(mask.argmax())} ({count} such problem{'s' if count > 1 else ''})"


def blocks(b: int, m: int) -> Iterator[slice]:
    """Rows of a batch of b problems on m items, a few MiB at a time; one empty block if b = 0.

    Examples
    --------
    >>> [rows.stop for rows in blocks(50_000, 10)]
    [20971, 41942, 50000]
    """
    size = max(1, _BLOCK // (m * m))
    for start in range(0, max(b, 1), size):
        yield slice(start, min(start + size, b))


def _require_acyclic(before: BoolArray, name: str) -> None:
    """Raise `ValueError` unless every relation ``(b, m, m)`` has an order that respects it."""
    b, m, _ = before.shape
    acyclic = np.asarray(~np.diagonal(before, axis1=1, axis2=2).any(axis=1))
    for rows in blocks(b, m):
        free = np.zeros(before[rows].shape)
        acyclic[rows] &= majority_parts(free, before[rows], False, np.zeros(len(free)))[1]
    if not acyclic.all():
        raise ValueError(
            f"{name}: the forced pairs of problem {first_rows(~acyclic)} contain a cycle. "
            "before[i, j] must be a strict partial order: no item before itself, directly or by "
            "way of others."
        )


def order_values(costs: AnyArray, ranks: AnyArray) -> FloatArray:
    """``sum of costs[r, i, j] over pairs with ranks[r, i] < ranks[r, j]``, ``(b,)``.

    Examples
    --------
    >>> order_values(np.array([[[0, 1], [5, 0]]]), np.array([[1, 0]]))
    array([5.])
    """
    ranks, costs = np.asarray(ranks), np.asarray(costs)
    values = np.empty(len(ranks))
    for rows in blocks(*ranks.shape):
        earlier = ranks[rows, :, None] < ranks[rows, None, :]
        values[rows] = np.where(earlier, costs[rows], 0.0).sum(axis=(1, 2))
    return values


def pair_minima(costs: FloatArray, before: BoolArray) -> FloatArray:
    """``sum over pairs of the cheaper direction``, or of the forced one: a lower bound, ``(b,)``.

    Examples
    --------
    >>> pair_minima(np.array([[[0.0, 1.0], [5.0, 0.0]]]), np.zeros((1, 2, 2), dtype=bool))
    array([1.])
    """
    allowed = np.where(np.swapaxes(before, 1, 2), np.inf, costs)
    first, second = np.triu_indices(costs.shape[1], 1)
    least: FloatArray = np.minimum(allowed[:, first, second], allowed[:, second, first]).sum(axis=1)
    return least
