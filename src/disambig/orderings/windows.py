"""Windows of places: item i of problem r stands from ``windows[r, i, 0]`` to ``windows[r, i, 1]``.

Windows couple items that no pair connects, so that a problem with windows does not fall into the
parts of its majority relation. It falls into other parts: if k items must all stand at the first k
places, they and the rest are ordered separately.
"""

import numpy as np

from disambig.compiled.orders.windows import fits_windows
from disambig.notation import AnyArray, BoolArray, IntArray
from disambig.orderings.problems import OrderParts, PartGroup, first_rows


def no_windows() -> IntArray:
    """What compiled functions take for problems without windows, ``(1, 0, 2)``."""
    return np.empty((1, 0, 2), dtype=np.int64)


def as_windows(
    windows: AnyArray | None, before: BoolArray, b: int, m: int, name: str
) -> IntArray | None:
    """Windows as int64 ``(b, m, 2)``, checked; None if there are none.

    Parameters
    ----------
    windows : int array (b, m, 2), or None
    before : bool array (b, m, m) or (1, m, m)
        Forced pairs. Raises if they and the windows of a problem leave no order.
    b, m : int
    name : str
        The calling function, for messages.

    Examples
    --------
    >>> as_windows(np.array([[[0, 0], [0, 0]]]), np.zeros((1, 2, 2), dtype=bool), 1, 2, "example")
    Traceback (most recent call last):
    ...
    ValueError: example: no order fits the windows and forced pairs of problem 0 (1 such problem).
    """
    if windows is None:
        return None
    # A copy is writeable: for read-only arrays numba would compile the function once more.
    limits = np.array(windows, dtype=np.int64, order="C")
    if limits.shape != (b, m, 2):
        raise ValueError(
            f"{name}: windows must have shape {(b, m, 2)}, the first and the last place of each "
            f"item; got {limits.shape}."
        )
    fits = fits_windows(before, limits)
    if not fits.all():
        raise ValueError(
            f"{name}: no order fits the windows and forced pairs of problem {first_rows(~fits)}."
        )
    return limits


def placed_problems(windows: IntArray, before: BoolArray) -> BoolArray:
    """Problems, ``(b,)``, with a window that says more than the forced pairs of its item.

    Examples
    --------
    >>> windows = np.array([[[0, 0], [1, 2], [1, 2]], [[0, 2], [0, 2], [0, 2]]])
    >>> placed_problems(windows, np.zeros((1, 3, 3), dtype=bool))
    array([ True, False])
    """
    m = windows.shape[1]
    narrower = (windows[:, :, 0] > np.count_nonzero(before, axis=1)) | (
        windows[:, :, 1] < m - 1 - np.count_nonzero(before, axis=2)
    )
    return np.asarray(narrower.any(axis=1))


def within_windows(ranks: AnyArray, windows: AnyArray) -> BoolArray:
    """Whether every item of ``ranks[r]``, ``(b, m)``, stands within its window, ``(b,)``."""
    inside = (ranks >= windows[:, :, 0]) & (ranks <= windows[:, :, 1])
    return np.asarray(inside.all(axis=1))


def imply_pairs(windows: IntArray, before: BoolArray) -> BoolArray:
    """Problems, ``(b,)``, whose forced pairs all follow from two windows that do not overlap.

    Windows that share one place do not overlap either: two items cannot both stand there.

    Examples
    --------
    >>> windows, before = np.array([[[0, 1], [1, 2], [0, 2]]]), np.zeros((1, 3, 3), dtype=bool)
    >>> before[0, 0, 1] = True
    >>> imply_pairs(windows, before)
    array([ True])
    """
    apart = windows[:, :, None, 1] <= windows[:, None, :, 0]
    return np.asarray((apart | ~before).all(axis=(1, 2)))


def window_parts(windows: IntArray) -> OrderParts:
    """Parts that stand one after another whatever the costs, because of their windows.

    A part ends before place k if k windows end before it. Some order must fit.

    Examples
    --------
    >>> window_parts(np.array([[[2, 3], [0, 1], [0, 1], [0, 3]]])).parts
    array([[1, 0, 0, 1]])
    """
    last = windows[:, :, 1]
    b, m = last.shape
    ends = np.zeros((b, m), dtype=np.intp)
    ends[:, 1:] = np.sort(last, axis=1)[:, :-1] < np.arange(1, m)
    parts = np.take_along_axis(np.cumsum(ends, axis=1), last, axis=1)
    return OrderParts(parts, np.asarray(parts.max(axis=1) == m - 1))


def sub_windows(windows: IntArray, group: PartGroup) -> IntArray:
    """Windows within the parts of a group, ``(c, k, 2)``, counted from the start of the part."""
    own = windows[group.rows, group.items] - group.starts[:, None, None]
    return np.asarray(np.clip(own, 0, group.size - 1))
