"""The best points of many lines that their boxes bend, at once."""

import numpy as np

from disambig.notation import FloatArray

__all__ = ["best_on_bent_paths"]


def best_on_bent_paths(
    Q: FloatArray,
    y: FloatArray,
    gradient: FloatArray,
    direction: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """The minimisers of ``y(t)' Q y(t)`` along ``y(t) = clip(y + t d)``, one a problem, ``(B, n)``.

    The objective is quadratic between the times at which entries reach a bound. All these pieces
    are minimised exactly, where `best_on_bent_path` looks for the most promising ones: with few
    rows there are few pieces, and all of them together cost a product or two.

    Parameters
    ----------
    Q : (B, n, n) array
        Positive semi-definite.
    y, gradient, direction, lower, upper : (B, n) array
        As in `best_on_bent_path`.
    """
    bounds = np.where(direction > 0, upper, lower)
    times = np.ones((len(y), y.shape[1] + 2))
    times[:, 0] = 0.0
    # An entry that does not move, or meets no bound, gives the full step once more.
    np.divide(bounds - y, direction, out=times[:, 1:-1], where=direction != 0)
    times[np.isinf(times)] = 1.0
    times.sort(axis=1)
    # Beyond the last bound the line goes on for ever: any point there gives its direction.
    times = np.concatenate([times, times[:, -1:] + 1.0], axis=1)
    corners = y[:, None] + times[:, :, None] * direction[:, None]
    np.clip(corners, lower[:, None], upper[:, None], out=corners)
    begin, move = corners[:, :-1], np.diff(corners, axis=1)
    # Q is symmetric, so that points may be rows.
    bend, slopes = move @ Q, begin @ Q
    curve = np.einsum("btj,btj->bt", move, bend)
    slope = np.einsum("btj,btj->bt", begin, bend)
    share = np.divide(-slope, curve, out=np.zeros_like(slope), where=curve > 0)
    share[(slope < 0) & (curve <= 0)] = 1.0
    np.maximum(share, 0.0, out=share)
    np.minimum(share[:, :-1], 1.0, out=share[:, :-1])
    # f(y(t)) - f(y) as one inner product: nearly equal values do not cancel.
    rise = np.einsum("btj,btj->bt", begin - y[:, None], slopes + gradient[:, None])
    rise += share * (2.0 * slope + share * curve)
    best, problem = rise.argmin(axis=1), np.arange(len(y))
    found = begin[problem, best] + share[problem, best, None] * move[problem, best]
    return np.asarray(np.clip(found, lower, upper))
