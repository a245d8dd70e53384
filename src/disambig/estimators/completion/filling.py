"""Training rows whose cells and targets are chosen in turn, and the loss at hidden rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing, get_tags

from disambig.estimators.alternation.refits import step_options
from disambig.estimators.completion.target_codes import TargetCodes, recovered_targets
from disambig.estimators.mixture import only_predicts
from disambig.inputs.cells import CellChoice, CellProblem
from disambig.inputs.distribution import InputDraws
from disambig.notation import AnyArray, FloatArray, IntArray


class Filled(NamedTuple):
    """Inputs that targets have filled."""

    model: Any
    inputs: FloatArray
    choice: CellChoice | None
    trace: tuple[float, ...]
    n_iter: int


class TrainingRows:
    """The training rows: their draws and targets, and the three steps."""

    def __init__(
        self,
        owner: Any,
        draws: InputDraws,
        y: Any,
        weights: FloatArray,
        is_weighted: bool,
        empty: AnyArray,
    ) -> None:
        self.owner, self.draws, self.y = owner, draws, y
        self.weights, self.is_weighted, self.empty = weights, is_weighted, empty

    def take(self, rows: IntArray) -> "TrainingRows":
        """Some of the rows."""
        y = _safe_indexing(self.y, rows)
        parts = self.draws.take(rows), y, self.weights[rows], self.is_weighted, self.empty[rows]
        return TrainingRows(self.owner, *parts)

    def fit(self, model: Any, inputs: FloatArray) -> Any:
        """Fit a model on filled inputs."""
        given = {"sample_weight": self.weights} if self.is_weighted else {}
        filled = with_empty(inputs, self.empty, model)
        return model.fit(filled, self.y, **step_options(model, given))

    def filled(self, template: Any, first: Any, temperature: float) -> Filled:
        """Alternate between cells and targets; the model is the one that chose the last targets."""
        targets = recovered_targets(first, self.y)
        codes = TargetCodes.of(first, targets)
        present = codes(targets)
        # Rows without input would learn from their own target alone.
        weights = np.where(self.empty, 0.0, self.weights)
        seed = self.owner.random_state
        problem = CellProblem.of(self.draws, present, temperature, weights, seed)
        found = Filled(first, self.draws.means(), None, (), 0)
        for _ in range(self.owner.max_iter):
            choice = problem.solve(present, found.choice)
            inputs = self.draws.means(choice.weights)
            with only_predicts():
                model = self.fit(clone(template), inputs)
            trace = (*found.trace, *choice.trace)
            found = Filled(model, inputs, choice, trace, found.n_iter + 1)
            proposed = codes(recovered_targets(model, self.y))
            better = problem.better_targets(choice, present, proposed)
            if not better.any():
                break
            present = np.where(better[:, None], proposed, present)
        return found

    def hidden_losses(
        self, template: Any, temperatures: Sequence[float], train: IntArray, test: IntArray
    ) -> list[float]:
        """The loss at some rows, of each temperature, if others are filled and learned from.

        The hidden rows are filled as new ones are.
        """
        part = self.take(train)
        with only_predicts():
            first = part.fit(clone(template), part.draws.means())
        models = [
            first if np.isinf(temperature) else part.filled(template, first, temperature).model
            for temperature in temperatures
        ]
        y = _safe_indexing(self.y, test)
        scorer = check_scoring(first, self.owner.scoring)
        inputs = self.draws.known[test]
        return [
            -float(scorer(model, with_empty(inputs, self.empty[test], model), y))
            for model in models
        ]


def with_empty(inputs: FloatArray, empty: AnyArray, model: Any) -> FloatArray:
    """Rows of which nothing is known as NaN, for an estimator that takes it."""
    if not empty.any() or not get_tags(model).input_tags.allow_nan:
        return inputs
    return np.where(empty[:, None], np.nan, inputs)
