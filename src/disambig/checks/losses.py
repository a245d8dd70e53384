"""`check_loss`: a loss on labels, bits, orders or numbers is what solvers rely on."""

import itertools
from typing import Any

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets, PartialBits, PartialOrders
from disambig.checks.contract import Contract
from disambig.checks.enumeration import Enumerated, check_infimum, check_minimisers, check_starts
from disambig.checks.number_losses import check_number_loss
from disambig.losses import NumberLoss
from disambig.losses.bits.hamming import BoundHamming
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.orders.protocol import BoundOrderLoss
from disambig.notation import FloatArray

_ROWS = 8


def check_loss(loss: Any, *, names: Any = None, seed: int = 0) -> None:
    """Check the contract of a loss by enumeration of all outputs, on random sets and scores.

    The loss is bound to a few classes, items or tags. Then its inner products are compared with
    its minimisers: `best_prediction` and `best_candidate` return exactly the outputs of least
    cost, with all ties; ``start(..., "average")`` is the mean over each set; `magnitude` is no
    less than any loss; `infimum_prediction`, if there is one, minimises the infimum loss. Losses
    of numbers are compared with a fine grid.

    Parameters
    ----------
    loss : object
        A loss on labels, bits or orders before it is bound (with ``bind``), one that is bound, or
        a `NumberLoss`. A `StructuredTask` has a check of its own, `check_structured_task`.
    names : array-like (K,), optional
        The classes, items or tags that it is bound to, at most 5; by default 0, 1, 2, 3.
    seed : int
        Of the sets and the scores.

    Raises
    ------
    ContractError
        In words, with the first entry that differs. Errors of the loss itself pass, with a note
        about what was checked.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from disambig.checks import check_loss
    >>> from disambig.losses import KendallLoss, MatrixLoss
    >>> check_loss(KendallLoss())
    >>> check_loss(MatrixLoss([[0, 5], [1, 0]]), names=["healthy", "sick"])

    A loss that forgets a class:

    >>> class Forgetful(BaseEstimator):
    ...     def bind(self, classes):
    ...         return MatrixLoss([[0, 1], [1, 0]]).bind(classes[:2])
    >>> check_loss(Forgetful())
    Traceback (most recent call last):
    disambig.exceptions.ContractError: check_loss: Forgetful: bound to 4 classes, but has 2.
    """
    contract = Contract.of("check_loss", loss)
    rng = np.random.default_rng(seed)
    if isinstance(loss, NumberLoss):
        with contract.during("it minimises as a fine grid does"):
            check_number_loss(contract, loss, rng)
        return
    with contract.during("it can be cloned and bound to names"):
        bound = _bound(contract, loss, np.arange(4) if names is None else np.asarray(names))
    for ties in (False, True):
        with contract.during("it minimises as an enumeration of all outputs does"):
            check_bound_loss(contract, bound, rng, ties=ties)


def _bound(contract: Contract, loss: Any, names: Any) -> Any:
    if not hasattr(loss, "bind"):
        contract.holds(
            isinstance(loss, (FiniteLoss, BoundHamming, BoundOrderLoss)),
            "is no loss on labels, bits, orders or numbers: it has neither bind(classes) nor the "
            "methods of disambig.losses.NumberLoss. For a StructuredTask: check_structured_task.",
        )
        return loss
    if len(names) > 5:
        raise ValueError(f"check_loss: got {len(names)} names; pass at most 5, all are enumerated.")
    before = repr(loss.get_params())
    bound = clone(loss).bind(names)
    contract.holds(
        repr(loss.get_params()) == before == repr(clone(loss).get_params()),
        "bind or clone changes its parameters; __init__ must store them as they are.",
    )
    if isinstance(bound, FiniteLoss):
        contract.holds(
            len(bound.classes) == len(names),
            f"bound to {len(names)} classes, but has {len(bound.classes)}.",
        )
    return bound


def check_bound_loss(
    contract: Contract, bound: Any, rng: np.random.Generator, *, ties: bool
) -> None:
    """The checks of a loss that knows its classes, items or tags."""
    if isinstance(bound, FiniteLoss):
        case = _labels(contract, bound, rng)
    elif isinstance(bound, BoundHamming):
        case = _bits(bound, rng)
    else:
        contract.holds(
            isinstance(bound, BoundOrderLoss),
            f"bind returns a {type(bound).__name__}; expected a FiniteLoss for labels, or what has "
            "the methods of disambig.losses.orders.protocol.BoundOrderLoss for orders.",
        )
        case = _orders(bound, rng)
    contract.finite(case.table, "the table of losses")
    check_minimisers(contract, case, rng, ties=ties)
    check_starts(contract, case)
    check_infimum(contract, case, rng)


def _labels(contract: Contract, bound: FiniteLoss, rng: np.random.Generator) -> Enumerated:
    n_predictions, n_classes = bound.matrix.shape
    contract.finite(bound.matrix, "the matrix of losses")
    contract.holds(
        (n_predictions, n_classes) == (len(bound.predictions), len(bound.classes)),
        f"the matrix has shape {bound.matrix.shape}; expected a row for each of "
        f"{len(bound.predictions)} predictions and a column for each of {len(bound.classes)} "
        "classes.",
    )
    psi, phi = label_vertices(bound)
    contract.close(
        psi @ phi.T, bound.matrix, "<psi(z), phi(y)>", reason="the matrix of losses", atol=1e-12
    )
    mask = rng.random((_ROWS, n_classes)) < 0.5
    mask[np.arange(_ROWS), rng.integers(0, n_classes, _ROWS)] = True
    mask[0] = True
    sets = LabelSets(mask, bound.classes)
    start = bound.start(sets, "infimum")
    nearest = np.array([bound.matrix[:, members].min(axis=1) for members in mask])
    contract.close(
        start - start.min(axis=1, keepdims=True),
        nearest - nearest.min(axis=1, keepdims=True),
        "start(..., 'infimum')",
        reason="the loss to the nearest member of each set, with row minimum 0",
        atol=1e-12,
    )
    contract.holds(
        not start.min(axis=1).any(), "start(..., 'infimum'): the minimum of a row is not 0."
    )
    return Enumerated(bound, psi, phi, sets, mask)


def label_vertices(bound: FiniteLoss) -> tuple[FloatArray, FloatArray]:
    """``psi(z)`` of all predictions and ``phi(y)`` of all classes, from the minimisers."""
    P, K = bound.matrix.shape
    # Scores that only one prediction minimises, and sets of one class.
    predictions = bound.best_prediction(-np.eye(P), np.zeros(P))
    singles = LabelSets(np.eye(K, dtype=np.bool_), bound.classes)
    classes = bound.best_candidate(np.zeros((K, P)), singles, np.zeros(K))
    return predictions.embedded, classes.embedded


def _bits(bound: BoundHamming, rng: np.random.Generator) -> Enumerated:
    m = len(bound.tags)
    outputs = np.array(list(itertools.product([0, 1], repeat=m)))
    known = rng.integers(-1, 2, (_ROWS, m)).astype(float)
    known[known < 0] = np.nan
    known[0] = np.nan
    inside = (np.isnan(known)[:, None] | (known[:, None] == outputs[None])).all(axis=2)
    sets = PartialBits.from_any(known, tags=bound.tags)
    return Enumerated(bound, bound.psi(outputs), bound.phi(outputs), sets, inside)


def _orders(bound: BoundOrderLoss, rng: np.random.Generator) -> Enumerated:
    m = bound.n_items
    ranks = np.array(list(itertools.permutations(range(m))))
    seen = ranks[rng.integers(0, len(ranks), _ROWS)].astype(float)
    seen[rng.random((_ROWS, m)) < 0.5] = np.nan
    sets = PartialOrders.from_any(seen)
    wrong = sets.before[:, None] & (ranks[:, :, None] > ranks[:, None, :])
    inside = np.asarray(~wrong.any(axis=(2, 3)))
    return Enumerated(bound, bound.psi(ranks), bound.phi(ranks), sets, inside)
