"""`check_structured_task`: the embeddings, minimisers and means of a task fit together."""

from collections.abc import Callable
from typing import Any

import numpy as np

from disambig.checks.contract import Contract
from disambig.losses.structured import StructuredLoss
from disambig.notation import BoolArray, FloatArray

_DRAWS = 6
_ROUNDING = 1e-9


def check_structured_task(
    task: Any,
    y: Any,
    *,
    outputs: Any = None,
    contains: Callable[[Any, Any], Any] | None = None,
    loss: Callable[[Any, Any], float] | None = None,
    seed: int = 0,
) -> None:
    """Check the methods of a `StructuredTask` on your own observations.

    Without further arguments the check compares what the methods return with each other: batches
    of rows give what single rows give, no output that the task returned for other scores is better
    than the one that it returned for these, and no loss is larger than ``largest_loss``. List the
    outputs, say which candidates contain them, and give the loss, and it compares with enumeration.

    Parameters
    ----------
    task : StructuredTask
    y : object
        Some observations, as `StructuredPredictor.fit` would get them; few rows suffice.
    outputs : sequence, optional
        All outputs of a small instance of the task.
    contains : callable, optional
        ``contains(candidates, output)``: which of the n sets contain an output, bool ``(n,)``.
        Needs `outputs`.
    loss : callable, optional
        ``loss(z, y)`` of two outputs.
    seed : int
        Of the scores.

    Raises
    ------
    ContractError
        In words. Errors of the task itself pass, with a note about what was checked.

    Examples
    --------
    The task of `HammingLoss`, written out for two tags:

    >>> import numpy as np
    >>> from disambig.checks import check_structured_task
    >>> class Tags:
    ...     def candidates(self, y):
    ...         return np.asarray(y, dtype=float)
    ...
    ...     def embed_target(self, outputs):
    ...         return np.asarray(outputs, dtype=float)
    ...
    ...     def embed_prediction(self, outputs):
    ...         return 1.0 - 2.0 * np.asarray(outputs, dtype=float)
    ...
    ...     def best_prediction(self, scores):
    ...         return (scores > 0) * 1.0
    ...
    ...     def best_candidate(self, scores, candidates):
    ...         return np.where(np.isnan(candidates), scores < 0, candidates)
    ...
    ...     def average(self, candidates):
    ...         return np.where(np.isnan(candidates), 0.5, candidates)
    ...
    ...     def largest_loss(self, candidates):
    ...         return 2.0
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> inside = lambda known, bit: (np.isnan(known) | (known == bit)).all(axis=1)
    >>> y = [[1, np.nan], [np.nan, np.nan]]
    >>> check_structured_task(Tags(), y, outputs=bits, contains=inside)

    The mean of a set that forgets the unknown tags:

    >>> Tags.average = lambda self, candidates: np.nan_to_num(candidates)
    >>> check_structured_task(Tags(), y, outputs=bits, contains=inside)
    Traceback (most recent call last):
    disambig.exceptions.ContractError: check_structured_task: Tags: average of row 0 is 0.0 at ...
    """
    contract = Contract.of("check_structured_task", task)
    if contains is not None and outputs is None:
        raise ValueError(
            "check_structured_task: contains says which sets have an output; list the outputs, too."
        )
    # Shapes, lengths and finite numbers are checked by every call of it.
    adapter = StructuredLoss(task)
    with contract.during("candidates(y) can be indexed by rows"):
        candidates = adapter.candidates(y)
        rows = np.arange(len(candidates))
        again = candidates[rows]
        contract.holds(
            len(again) == len(candidates) > 0, "candidates(y) indexed by all rows loses some."
        )
    trial = _Trial(contract, task, adapter, candidates, np.random.default_rng(seed))
    with contract.during("batches of rows give what single rows give"):
        _check_batches(trial)
    with contract.during("no output that it returned elsewhere is better"):
        found = _check_minimisers(trial)
    with contract.during("no loss is larger than largest_loss"):
        _check_losses(trial, found if outputs is None else list(outputs), loss)
    if outputs is not None:
        with contract.during("it minimises as an enumeration does"):
            _check_enumeration(trial, list(outputs), contains)


class _Trial:
    """A task with scores as problems have them."""

    def __init__(
        self,
        contract: Contract,
        task: Any,
        adapter: StructuredLoss,
        candidates: Any,
        rng: np.random.Generator,
    ) -> None:
        self.contract, self.task, self.adapter = contract, task, adapter
        self.candidates, n = candidates, len(candidates)
        average = adapter.start(candidates, "average")
        none = np.zeros(n)
        first = adapter.best_prediction(rng.normal(size=(n, n)) @ average, none)
        # Votes times embedded targets, and votes times embedded predictions.
        self.to_predict = [rng.normal(size=(n, n)) @ average for _ in range(_DRAWS)]
        predictions = [first, *(adapter.best_prediction(one, none) for one in self.to_predict)]
        self.to_choose = [rng.normal(size=(n, n)) @ p.first().embedded for p in predictions]

    def predicted(self, scores: FloatArray) -> tuple[Any, FloatArray]:
        faces = self.adapter.best_prediction(scores, np.zeros(len(scores)))
        return faces.outputs, faces.first().embedded

    def chosen(self, scores: FloatArray, candidates: Any) -> tuple[Any, FloatArray]:
        faces = self.adapter.best_candidate(scores, candidates, np.zeros(len(scores)))
        return faces.outputs, faces.embedded


def _check_batches(trial: _Trial) -> None:
    scores_of_predictions, scores_of_targets = trial.to_predict[0], trial.to_choose[0]
    _, predicted = trial.predicted(scores_of_predictions)
    _, chosen = trial.chosen(scores_of_targets, trial.candidates)
    for row in range(len(trial.candidates)):
        one = np.array([row])
        for name, whole, (_, single) in (
            ("best_prediction", predicted, trial.predicted(scores_of_predictions[one])),
            (
                "best_candidate",
                chosen,
                trial.chosen(scores_of_targets[one], trial.candidates[one]),
            ),
        ):
            trial.contract.close(
                single[0],
                whole[row],
                f"the embedding of {name} for row {row} alone",
                reason="the one for all rows together",
                atol=1e-12,
            )


def _check_minimisers(trial: _Trial) -> list[Any]:
    predictions = [trial.predicted(scores) for scores in trial.to_predict]
    targets = [trial.chosen(scores, trial.candidates) for scores in trial.to_choose]
    pool = np.concatenate([embedded for _, embedded in predictions])
    for scores, (_, embedded) in zip(trial.to_predict, predictions, strict=True):
        _no_better(trial, "best_prediction", scores, embedded, pool[None])
    # Of a set only what was chosen in the same set.
    of_row = np.stack([embedded for _, embedded in targets], axis=1)
    for scores, (_, embedded) in zip(trial.to_choose, targets, strict=True):
        _no_better(trial, "best_candidate", scores, embedded, of_row)
    return [output for outputs, _ in predictions for output in outputs]


def _no_better(
    trial: _Trial, name: str, scores: FloatArray, embedded: FloatArray, others: FloatArray
) -> None:
    """No row of `others` ``(n or 1, k, p)`` has lower costs than the embedded outputs."""
    costs = np.einsum("ip,ip->i", embedded, scores)
    lowest = (others * scores[:, None]).sum(axis=2).min(axis=1)
    unit = np.abs(scores).sum(axis=1) * max(1.0, float(np.abs(others).max()))
    worse = costs > lowest + _ROUNDING * unit
    row = int(worse.argmax())
    trial.contract.holds(
        not worse.any(),
        f"{name} of row {row} has the cost {costs[row]:.6g}, but an output that it returned for "
        f"other scores has {lowest[row]:.6g}.",
    )


def _check_losses(trial: _Trial, outputs: list[Any], loss: Any) -> None:
    objects = _objects(outputs)
    psi = np.asarray(trial.task.embed_prediction(objects), dtype=np.float64)
    phi = np.asarray(trial.task.embed_target(objects), dtype=np.float64)
    trial.contract.holds(
        psi.ndim == phi.ndim == 2 and psi.shape[1] == phi.shape[1],
        f"embed_prediction has shape {psi.shape} and embed_target {phi.shape}; expected the same "
        "number of columns.",
    )
    table = psi @ phi.T
    largest = trial.adapter.magnitude(trial.candidates)
    trial.contract.holds(
        np.abs(table).max() <= largest * (1 + 1e-9),
        f"largest_loss is {largest}, but a loss of {np.abs(table).max():.6g} occurs.",
    )
    if loss is not None:
        expected = [[float(loss(z, y)) for y in outputs] for z in outputs]
        trial.contract.close(
            table, expected, "<psi(z), phi(y)>", reason="loss(z, y)", atol=1e-9 * max(largest, 1.0)
        )


def _check_enumeration(trial: _Trial, outputs: list[Any], contains: Any) -> None:
    objects = _objects(outputs)
    psi = np.asarray(trial.task.embed_prediction(objects), dtype=np.float64)
    for scores in trial.to_predict:
        _, embedded = trial.predicted(scores)
        _no_better(trial, "best_prediction", scores, embedded, psi[None])
    if contains is None:
        return
    phi = np.asarray(trial.task.embed_target(objects), dtype=np.float64)
    inside: BoolArray = np.stack([contains(trial.candidates, one) for one in outputs], axis=1)
    empty = ~inside.any(axis=1)
    trial.contract.holds(
        not empty.any(), f"contains: row {int(empty.argmax())} contains none of the outputs."
    )
    average = trial.adapter.start(trial.candidates, "average")
    for row, members in enumerate(inside):
        trial.contract.close(
            average[row],
            phi[members].mean(axis=0),
            f"average of row {row}",
            reason=f"the mean of phi over the {int(members.sum())} outputs in its set",
            atol=1e-9,
        )
        for scores in trial.to_choose:
            _, embedded = trial.chosen(scores, trial.candidates)
            gap = np.abs(phi[members] - embedded[row]).max(axis=1).min()
            trial.contract.holds(
                gap <= 1e-9, f"best_candidate of row {row} returns an output outside of its set."
            )
            here = scores[row : row + 1]
            _no_better(trial, "best_candidate", here, embedded[row : row + 1], phi[members][None])


def _objects(outputs: list[Any]) -> Any:
    """A batch of outputs: an array if they are numbers of one shape, else an array of objects."""
    try:
        array = np.array(outputs)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "biuf":
        return array
    array = np.empty(len(outputs), dtype=object)
    array[:] = outputs
    return array
