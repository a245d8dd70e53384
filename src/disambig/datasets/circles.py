"""Four concentric circles with one labelled point each: the paper's semi-supervised problem."""

from typing import Any, NamedTuple

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["ConcentricCircles", "make_concentric_circles"]

_RADII = np.array([1, 2, 3, 4])
_LABELLED = np.array(
    [[-2 * np.sqrt(3), 2.0], [1.0, -2 * np.sqrt(2)], [-np.sqrt(3), -1.0], [-1.0, 0.0]]
)
_LABELS = np.array([4, 3, 2, 1])


class ConcentricCircles(NamedTuple):
    """Points, what is known of them, and the truth; the last four points are the labelled ones.

    Attributes
    ----------
    X : float array (n + 4, 2)
    candidates : bool array (n + 4, 4)
        Column c stands for the label c + 1. The first n rows allow everything.
    labels : int array (n + 4,)
        The radius of the circle that each point lies on, 1 to 4.
    """

    X: FloatArray
    candidates: BoolArray
    labels: IntArray


def make_concentric_circles(
    n_samples: int = 2000, *, random_state: Any = None
) -> ConcentricCircles:
    r"""``x = r (cos t, sin t)``, r uniform in {1, 2, 3, 4}, t uniform, nothing labelled but four.

    The semi-supervised problem of Cabannes, Bach and Rudi (2021), appendix D.3. The label of a
    point is ``sqrt(x1^2 + x2^2)``; the paper prints it without the root. The paper joins each
    point to its 20 nearest neighbours, which at n = 2000 lie on its own circle; among far fewer
    points they do not.

    Parameters
    ----------
    n_samples : int, default 2000
        Unlabelled points; four labelled ones are added, in the paper's order.
    random_state : int, numpy Generator or None, default None
        What `numpy.random.default_rng` takes.

    Examples
    --------
    >>> from disambig.datasets import make_concentric_circles
    >>> X, candidates, labels = make_concentric_circles(6, random_state=0)
    >>> candidates.sum(axis=1).tolist()
    [4, 4, 4, 4, 4, 4, 1, 1, 1, 1]
    >>> labels[-4:].tolist()
    [4, 3, 2, 1]
    """
    if n_samples < 0:
        raise ValueError(
            f"make_concentric_circles: n_samples={n_samples!r}; expected a number of points >= 0."
        )
    rng = np.random.default_rng(random_state)
    angles = 2 * np.pi * rng.random(n_samples)
    radii = rng.choice(_RADII, size=n_samples)
    points = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    labels = np.concatenate([radii, _LABELS]).astype(np.intp)
    candidates = np.ones((n_samples + 4, 4), dtype=np.bool_)
    candidates[n_samples:] = _LABELS[:, None] == _RADII
    return ConcentricCircles(np.vstack([points, _LABELLED]), candidates, labels)
