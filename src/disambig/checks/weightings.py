"""`check_weighting`: a weighting turns inputs into votes as estimators rely on."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from disambig.checks.contract import Contract
from disambig.checks.votes import check_votes, entries
from disambig.notation import FloatArray
from disambig.weights import Weights

_N = 25
Inputs = Callable[[FloatArray, FloatArray], Any]


def check_weighting(weighting: Any, *, inputs: Inputs | None = None, seed: int = 0) -> None:
    """Check the contract of a weighting on random inputs, two of which are equal.

    It has the members of `Weights` and is a scikit-learn component: ``clone``, ``get_params`` and
    pickle work, nothing is fitted before ``fit``, inputs are not written to, and two fits are
    equal. Votes have the right shapes, are finite, and fulfil `check_votes`. New votes at the
    training rows are the training votes. A sample weight of 2 is the same as the row twice.
    `leave_one_out_votes` has no diagonal, and is what ``leave_one_out=True`` gives.

    Parameters
    ----------
    weighting : Weights
        It is cloned.
    inputs : callable, optional
        ``inputs(A, B)`` is what the weighting takes for rows ``A`` ``(q, 3)`` if it was fitted on
        rows ``B`` ``(n, 3)``: distances or similarities ``(q, n)``, for example. By default
        ``A`` itself.
    seed : int
        Of the inputs.

    Raises
    ------
    ContractError
        In words, with the first entry that differs. Errors of the weighting itself pass, with a
        note about what was checked.

    Examples
    --------
    >>> from disambig.checks import check_weighting
    >>> from disambig.weights import NeighborWeights
    >>> check_weighting(NeighborWeights(n_neighbors=4))
    """
    contract = Contract.of("check_weighting", weighting)
    contract.has(weighting, _MEMBERS, "disambig.weights.Weights")
    trial = _Trial(contract, weighting, inputs, np.random.default_rng(seed))
    for what, part in _PARTS:
        with contract.during(what):
            part(trial)


_MEMBERS = (
    "fit",
    "training_votes",
    "leave_one_out_votes",
    "votes",
    "get_params",
    "set_params",
)


class _Trial:
    """A weighting, inputs to fit it on, and inputs that are new."""

    def __init__(
        self,
        contract: Contract,
        weighting: Any,
        inputs: Inputs | None,
        rng: np.random.Generator,
    ) -> None:
        self.contract, self.weighting = contract, weighting
        self._inputs = inputs
        self.X, self.Q = rng.normal(size=(_N, 3)), rng.normal(size=(6, 3))
        self.X[7] = self.X[3]
        self.counts = rng.integers(1, 5, _N)

    def inputs(self, A: FloatArray, B: FloatArray) -> Any:
        return A if self._inputs is None else self._inputs(A, B)

    def fitted(self, rows: FloatArray | None = None, sample_weight: Any = None) -> Any:
        rows = self.X if rows is None else rows
        return clone(self.weighting).fit(self.inputs(rows, rows), sample_weight)

    def new(self, fitted: Any, rows: FloatArray | None = None) -> FloatArray:
        rows = self.X if rows is None else rows
        return entries(fitted.votes(self.inputs(self.Q, rows)))


def _component(trial: _Trial) -> None:
    contract, weighting = trial.contract, trial.fitted()
    contract.holds(isinstance(weighting, Weights), "fit returns no weighting; it must return self.")
    copy = clone(weighting)
    contract.holds(
        repr(copy.get_params()) == repr(weighting.get_params()),
        "a clone has other parameters: __init__ must store them as they are, and fit must not "
        "change them.",
    )
    left = [name for name in vars(copy) if name.endswith("_") and not name.endswith("__")]
    contract.holds(not left, f"has {left} before fit; attributes that end with _ are set by fit.")
    for name in ("training_votes", "leave_one_out_votes"):
        contract.refuses(getattr(copy, name), (NotFittedError,), f"{name}() before fit")
    contract.refuses(lambda: copy.votes(trial.X), (NotFittedError,), "votes(X) before fit")


def _shapes(trial: _Trial) -> None:
    contract, weighting = trial.contract, trial.fitted()
    for what, votes, shape in (
        ("training_votes()", weighting.training_votes(), (_N, _N)),
        ("leave_one_out_votes()", weighting.leave_one_out_votes(), (_N, _N)),
        ("votes(X)", weighting.votes(trial.inputs(trial.Q, trial.X)), (6, _N)),
    ):
        contract.holds(
            tuple(getattr(votes, "shape", ())) == shape,
            f"{what} has shape {getattr(votes, 'shape', None)}; expected {shape}, a row for each "
            "input and a column for each training row.",
        )
        check_votes(votes)
        contract.holds(np.abs(entries(votes)).sum() > 0, f"{what} has no vote at all.")


def _training_rows(trial: _Trial) -> None:
    weighting = trial.fitted(sample_weight=trial.counts)
    trial.contract.close(
        entries(weighting.votes(trial.inputs(trial.X.copy(), trial.X))),
        entries(weighting.training_votes()),
        "votes(X) at the training rows",
        reason="training_votes()",
        atol=1e-7,
    )


def _sample_weights(trial: _Trial) -> None:
    contract = trial.contract
    contract.close(
        entries(trial.fitted().training_votes()),
        entries(trial.fitted(sample_weight=np.ones(_N)).training_votes()),
        "training_votes() without sample_weight",
        reason="that with weights of one",
    )
    copies = np.repeat(np.arange(_N), trial.counts)
    together = np.zeros((copies.size, _N))
    together[np.arange(copies.size), copies] = 1.0
    weighted = trial.fitted(sample_weight=trial.counts)
    repeated = trial.fitted(trial.X[copies])
    reason = "a row with weight w is w copies, whose votes add up"
    if hasattr(weighted, "bandwidth_"):
        contract.close(
            weighted.bandwidth_, repeated.bandwidth_, "bandwidth_ with weights", reason=reason
        )
    contract.close(
        trial.new(weighted),
        trial.new(repeated, trial.X[copies]) @ together,
        "votes(X) with sample weights",
        reason=reason,
        atol=1e-9,
    )
    first = np.concatenate([[0], np.cumsum(trial.counts)[:-1]])
    contract.close(
        entries(weighted.training_votes()),
        (entries(repeated.training_votes()) @ together)[first],
        "training_votes() with sample weights",
        reason=reason,
        atol=1e-9,
    )


def _leave_one_out(trial: _Trial) -> None:
    contract, weighting = trial.contract, trial.fitted(sample_weight=trial.counts)
    others = entries(weighting.leave_one_out_votes())
    contract.close(
        others.diagonal(),
        np.zeros(_N),
        "the diagonal of leave_one_out_votes()",
        reason="no row votes for itself",
        # Up to rounding, for votes that are solved for.
        atol=1e-11,
    )
    if "leave_one_out" not in weighting.get_params(deep=False):
        return
    switched = clone(trial.weighting).set_params(leave_one_out=True)
    switched.fit(trial.inputs(trial.X, trial.X), trial.counts)
    contract.close(
        entries(switched.training_votes()),
        others,
        "training_votes() with leave_one_out=True",
        reason="leave_one_out_votes()",
    )
    contract.close(
        trial.new(switched),
        trial.new(weighting),
        "votes(X) with leave_one_out=True",
        reason="new inputs have no own vote to leave out",
    )


def _repeatable(trial: _Trial) -> None:
    contract = trial.contract
    weighting = clone(trial.weighting)
    rows, queries = trial.inputs(trial.X, trial.X).copy(), trial.inputs(trial.Q, trial.X).copy()
    weights = trial.counts.astype(float)
    for array in (rows, queries, weights):
        array.flags.writeable = False
    weighting.fit(rows, weights)
    found = entries(weighting.training_votes()), entries(weighting.votes(queries))
    restored = pickle.loads(pickle.dumps(weighting))
    again = trial.fitted(sample_weight=weights)
    for other, what in ((restored, "after pickle"), (again, "of a second fit")):
        votes = entries(other.training_votes()), entries(other.votes(queries))
        for one, two, name in zip(votes, found, ("training_votes()", "votes(X)"), strict=True):
            contract.close(one, two, f"{name} {what}", reason="the votes of the first fit")


_PARTS: tuple[tuple[str, Callable[[_Trial], None]], ...] = (
    ("it is a scikit-learn component with the members of Weights", _component),
    ("its votes have the right shapes and fulfil check_votes", _shapes),
    ("new votes at the training rows are the training votes", _training_rows),
    ("sample weights count copies", _sample_weights),
    ("leave-one-out votes have no diagonal", _leave_one_out),
    ("it does not write to its inputs, and two fits are equal", _repeatable),
)
