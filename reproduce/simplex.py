"""One input with three labels: decision regions, compatible distributions and objectives.

Distributions over three labels form a triangle, in which all of these can be drawn.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.losses import MatrixLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import FloatArray
from disambig.theory.regions import (
    CompatibleDistributions,
    DecisionRegion,
    compatible_distributions,
    decision_regions,
)

_N_LABELS = 3


@dataclass(frozen=True, eq=False)
class SimplexPicture:
    """What the figure shows in the simplex of distributions over three labels.

    Parameters
    ----------
    loss : FiniteLoss
    regions : tuple of DecisionRegion
        Where each prediction is best.
    compatible : CompatibleDistributions
        The distributions that the sets allow, and the average of the sets.
    infimum : float array (P,)
        ``E_S inf_{y in S} loss(z, y)``, the infimum loss of each prediction: its smallest expected
        loss under a compatible distribution.
    attained : float array (P, 3)
        The compatible distribution of that smallest loss; the mean of the vertices that tie.
    grid : float array (N, 3)
        Distributions on a regular grid of the simplex.
    expected : float array (N,)
        ``min_z E loss(z, Y)`` on the grid: the objective of disambiguation, a concave function.
    quadratic : float array (N,), or None
        ``E loss(Y, Y')`` on the grid, for two independent draws: its quadratic version. None if the
        predictions are not the classes.
    """

    loss: FiniteLoss
    regions: tuple[DecisionRegion, ...]
    compatible: CompatibleDistributions
    infimum: FloatArray
    attained: FloatArray
    grid: FloatArray
    expected: FloatArray
    quadratic: FloatArray | None

    @property
    def disambiguated(self) -> tuple[int, ...]:
        """The predictions of smallest infimum loss, which disambiguation can return."""
        return self._lowest(self.infimum)

    @property
    def averaged(self) -> tuple[int, ...]:
        """The predictions that are best under the average of the sets."""
        return self._lowest(self.loss.matrix @ self.compatible.average)

    def _lowest(self, losses: FloatArray) -> tuple[int, ...]:
        return tuple(np.flatnonzero(losses <= losses.min() + 1e-12 * self.loss.largest).tolist())


def paper_example() -> tuple[FiniteLoss, LabelSets, FloatArray]:
    """Loss, sets and their shares in the example of appendix C of the paper.

    Examples
    --------
    >>> loss, sets, shares = paper_example()
    >>> loss.matrix
    array([[0., 1., 1.],
           [1., 0., 2.],
           [1., 2., 0.]])
    """
    sets = LabelSets.from_any([{"a", "b", "c"}, {"c"}, {"a", "c"}, {"b", "c"}])
    loss = MatrixLoss([[0, 1, 1], [1, 0, 2], [1, 2, 0]]).bind(sets.classes)
    return loss, sets, np.array([5.0, 1.0, 1.0, 1.0]) / 8


def simplex_picture(
    loss: FiniteLoss, sets: LabelSets, shares: Any = None, *, steps: int = 160
) -> SimplexPicture:
    """The content of the ternary figure, for any loss on three labels.

    Parameters
    ----------
    loss : FiniteLoss
        On three classes; any number of predictions.
    sets : LabelSets
        Of the same classes.
    shares : array-like (n,), optional
        How often each set is observed; equal shares by default.
    steps : int, default 160
        Points along a side of the grid.

    Examples
    --------
    In the paper's example "c" is in every set, but "a" is best under the average of the sets:

    >>> picture = simplex_picture(*paper_example())
    >>> picture.loss.predictions[list(picture.disambiguated)].tolist()
    ['c']
    >>> picture.loss.predictions[list(picture.averaged)].tolist()
    ['a']
    >>> picture.infimum
    array([0.25 , 0.375, 0.   ])
    """
    if len(loss.classes) != _N_LABELS:
        raise ValueError(
            f"simplex_picture: the loss has {len(loss.classes)} classes; expected three."
        )
    if sets.classes.tolist() != loss.classes.tolist():
        raise ValueError(
            f"simplex_picture: the sets have the classes {sets.classes.tolist()!r}, the loss has "
            f"{loss.classes.tolist()!r}. Use sets.with_classes(loss.classes)."
        )
    if steps < 1:
        raise ValueError(f"simplex_picture: steps={steps!r}; expected at least 1.")
    compatible = compatible_distributions(sets, shares)
    reached = loss.matrix @ compatible.vertices.T
    infimum = reached.min(axis=1)
    ties = reached <= infimum[:, None] + 1e-12 * loss.largest
    grid = _triangle(steps)
    losses = grid @ loss.matrix.T
    square = np.array_equal(loss.predictions, loss.classes)
    return SimplexPicture(
        loss=loss,
        regions=decision_regions(loss),
        compatible=compatible,
        infimum=infimum,
        attained=(ties / ties.sum(axis=1, keepdims=True)) @ compatible.vertices,
        grid=grid,
        expected=losses.min(axis=1),
        quadratic=(losses * grid).sum(axis=1) if square else None,
    )


def _triangle(steps: int) -> FloatArray:
    """All ``(i, j, steps - i - j) / steps``."""
    i, j = np.indices((steps + 1, steps + 1)).reshape(2, -1)
    inside = i + j <= steps
    i, j = i[inside], j[inside]
    return np.asarray(np.stack([i, j, steps - i - j], axis=1) / steps)
