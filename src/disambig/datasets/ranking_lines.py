"""Lines that cross: items whose order changes with the input, the paper's ranking problem."""

from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from disambig.notation import FloatArray, IntArray

__all__ = ["RankingLines", "make_ranking_lines"]

_DESIGNS = ("uniform", "grid")


class RankingLines(NamedTuple):
    """Inputs, the score of every item there, and the ranking that the scores give.

    Attributes
    ----------
    X : float array (n, 1)
        In [-1, 1].
    scores : float array (n, m)
        ``scores[j, i] = slope[i] * X[j] + intercept[i]``.
    ranks : int array (n, m)
        ``ranks[j, i]``: how many items stand before item i, from 0 on. The highest score comes
        first; among equal scores, the item that comes first.
    """

    X: FloatArray
    scores: FloatArray
    ranks: IntArray


def make_ranking_lines(
    n_samples: int = 20,
    n_items: int = 10,
    *,
    design: Literal["uniform", "grid"] = "uniform",
    lines: npt.ArrayLike | None = None,
    random_state: Any = None,
) -> RankingLines:
    """``score_i(x) = a_i x + b_i``, all a_i and b_i standard normal, x uniform in [-1, 1].

    The ranking problem of Cabannes, Bach and Rudi (2021), appendix D.4: m random lines, and at
    every input the items in the order of their lines there. The laws are those of the authors'
    program, which the paper does not print; its figure of errors has 10 items, 20 such inputs to
    learn from and a grid of 50 to predict at, for the same lines.

    Parameters
    ----------
    n_samples : int, default 20
    n_items : int, default 10
    design : {"uniform", "grid"}, default "uniform"
        Independent inputs, or equally spaced ones from -1 to 1, both ends included.
    lines : array-like (m, 2), default None
        Slope and intercept of every item, in place of random ones. The authors' picture of four
        items has ``[[0.5, 0.75], [0, 0.5], [1, 0.5], [-0.75, 0.75]]``.
    random_state : int, numpy Generator or None, default None
        What `numpy.random.default_rng` takes. The lines are drawn first: with the same integer,
        more samples or another design belong to the same lines.

    See Also
    --------
    disambig.datasets.ORDER_CORRUPTIONS : Ways to hide a part of the ranking.

    Examples
    --------
    >>> from disambig.datasets import make_ranking_lines
    >>> lines = [[0.5, 0.75], [0, 0.5], [1, 0.5], [-0.75, 0.75]]
    >>> data = make_ranking_lines(3, 4, design="grid", lines=lines)
    >>> data.X.ravel().tolist()
    [-1.0, 0.0, 1.0]
    >>> data.ranks.tolist()
    [[2, 1, 3, 0], [0, 2, 3, 1], [1, 2, 0, 3]]
    """
    for name, size in (("n_samples", n_samples), ("n_items", n_items)):
        if isinstance(size, bool) or not isinstance(size, Integral) or size < 1:
            raise ValueError(f"make_ranking_lines: {name} must be an integer >= 1; got {size!r}.")
    if design not in _DESIGNS:
        raise ValueError(f"make_ranking_lines: design must be 'uniform' or 'grid'; got {design!r}.")
    rng = np.random.default_rng(random_state)
    slopes, intercepts = rng.normal(size=(2, n_items))
    if lines is not None:
        slopes, intercepts = _checked_lines(lines, n_items)
    if design == "grid":
        X = np.linspace(-1.0, 1.0, n_samples)[:, np.newaxis]
    else:
        X = rng.uniform(-1.0, 1.0, size=(n_samples, 1))
    scores = slopes * X + intercepts
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty(scores.shape, dtype=np.intp)
    np.put_along_axis(ranks, order, np.arange(n_items)[np.newaxis], axis=1)
    return RankingLines(X, scores, ranks)


def _checked_lines(lines: npt.ArrayLike, n_items: int) -> FloatArray:
    """Slopes and intercepts, ``(2, m)``."""
    given = np.asarray(lines, dtype=np.float64)
    if given.shape != (n_items, 2):
        raise ValueError(
            f"make_ranking_lines: lines has shape {given.shape}; expected ({n_items}, 2), slope "
            f"and intercept of each of n_items={n_items} items."
        )
    if not np.isfinite(given).all():
        row = int(np.argmin(np.isfinite(given).all(axis=1)))
        raise ValueError(
            f"make_ranking_lines: lines[{row}] is {given[row].tolist()}; expected finite numbers."
        )
    return given.T
