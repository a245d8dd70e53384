"""A loss with one more prediction: to abstain."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.labels.losses import name_array
from disambig.losses.registry import bind_label_loss
from disambig.notation import AnyArray


class AbstainLoss(BaseEstimator):
    """A loss on labels with one more prediction, whose cost is the same for every class.

    Parameters
    ----------
    cost : float
        The loss of abstaining. Under the 0-1 loss abstaining is best if no class has a share of the
        votes above ``1 - cost``.
    loss : str or loss, default "zero_one"
        The loss of the other predictions.
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
        """The loss on these classes; the last row of its matrix is to abstain."""
        if not np.isfinite(self.cost):
            raise ValueError(f"AbstainLoss: cost={self.cost!r}; expected a finite number.")
        base = bind_label_loss(self.loss, classes)
        if self.name in list(base.predictions):
            raise ValueError(
                f"AbstainLoss: {self.name!r} is already a prediction. Pass another name=."
            )
        matrix = np.vstack([base.matrix, np.full(len(classes), float(self.cost))])
        return FiniteLoss(
            matrix, name_array([*base.predictions.tolist(), self.name], classes), classes
        )
