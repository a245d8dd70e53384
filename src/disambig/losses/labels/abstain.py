"""A loss with the right to say nothing."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.labels.losses import name_array
from disambig.losses.registry import resolve_loss
from disambig.notation import AnyArray


class AbstainLoss(BaseEstimator):
    """Another loss with one more prediction, which costs the same whatever the truth.

    Parameters
    ----------
    cost : float
        What abstaining costs. Under the 0-1 loss it pays where no class has a share of the votes
        above ``1 - cost``.
    loss : str or loss, default "zero_one"
        What is paid otherwise.
    name : str, default "abstain"
        The name of the new prediction.

    Examples
    --------
    >>> import numpy as np
    >>> AbstainLoss(cost=0.3).bind(np.array(["cat", "dog"])).predictions.tolist()
    ['cat', 'dog', 'abstain']
    """

    def __init__(self, cost: float, loss: Any = "zero_one", name: Any = "abstain") -> None:
        self.cost = cost
        self.loss = loss
        self.name = name

    def bind(self, classes: AnyArray) -> FiniteLoss:
        """The loss on these classes, and the abstention as its last row."""
        if not np.isfinite(self.cost):
            raise ValueError(f"AbstainLoss: cost={self.cost!r}; expected a finite number.")
        base = resolve_loss(self.loss).bind(classes)
        if self.name in list(base.predictions):
            raise ValueError(
                f"AbstainLoss: {self.name!r} is a prediction already. Pass another name=."
            )
        matrix = np.vstack([base.matrix, np.full(len(classes), float(self.cost))])
        return FiniteLoss(
            matrix, name_array([*base.predictions.tolist(), self.name], classes), classes
        )
