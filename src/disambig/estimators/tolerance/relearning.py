"""Learn, let the others judge every set, widen the contradicted ones, and learn again.

1. The estimator is fitted as usual.
2. Every set is judged by rows that never saw it: by the held-out predictions of a mixture or of
   `confidence_`, else by fits from which the sets of one fold are hidden at a time.
3. Sets that are contradicted beyond the price are widened.
4. The same components learn again, on the widened sets. Probabilities are calibrated by the sets
   of the user, since the contradicted ones would be missing among the others.

"auto" keeps nothing that makes the sets of the user clearly less likely to rows that never saw
them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import clone

from disambig.candidates import Intervals, IntervalUnions, PartialBits, PartialOrders
from disambig.estimators.held_out.label_judges import deal, equal_inputs
from disambig.estimators.held_out.residual_fit import WORTH
from disambig.estimators.held_out.wrong_sets import NOT_KNOWN
from disambig.estimators.mixture import only_predicts
from disambig.estimators.progress.reporting import Phase, unreported
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_inputs,
)
from disambig.estimators.tolerance.numbers import judge_numbers, opened_intervals
from disambig.estimators.tolerance.signs import judge_bits, judge_orders, opened_bits, opened_orders
from disambig.exceptions import warn
from disambig.inputs.completed_weights import plain_weights
from disambig.notation import BoolArray, FloatArray
from disambig.weights.registry import is_pairwise
from disambig.weights.row_groups import joined_groups

_N_FOLDS = 5
# Better targets of the others make a better verdict: sets are judged and widened so often.
_N_ROUNDS = 3


class Verdict(Protocol):
    """What rows that never saw the sets say about them."""

    @property
    def is_known(self) -> bool:
        """False if the others know too little to tell wrong sets from right ones."""
        ...

    @property
    def wrong_share(self) -> float:
        """The share of wrong sets; 0 unless the sets show it."""
        ...

    @property
    def trial_price(self) -> float:
        """What is tried if no set is shown to be wrong; infinite for nothing."""
        ...

    @property
    def log_likelihood(self) -> float:
        """Of the sets of the user."""
        ...

    def widened(self, price: float) -> Any:
        """The sets that a price leaves; those that nobody contradicts are the same."""
        ...


class _Kind(NamedTuple):
    """How sets of a kind are judged, and how some rows ``(n, 1)`` are opened.

    `selects_solver`: whether ``weights="auto"`` chooses a solver, too.
    """

    judge: Callable[[FloatArray, Any, FloatArray], Verdict]
    opened: Callable[[Any, BoolArray], Any]
    selects_solver: bool = False


_KINDS = {
    Intervals: _Kind(judge_numbers, opened_intervals),
    PartialOrders: _Kind(judge_orders, opened_orders),
    PartialBits: _Kind(judge_bits, opened_bits, selects_solver=True),
}


def check_kind(owner: str, tolerance: Any, candidates: Any) -> None:
    """Raise an error if the targets of these sets cannot leave them at the price `tolerance`."""
    reason = ""
    if isinstance(candidates, IntervalUnions):
        reason = "unions of intervals: give intervals"
    elif isinstance(candidates, PartialOrders) and bool(candidates.is_placed.any()):
        reason = "known places, only for pairs of items: use ranks='order'"
    elif type(candidates) not in _KINDS:
        reason = (
            "this kind of output: for class labels use PartialLabelClassifier, for tags "
            "PartialMultilabelClassifier"
        )
    if reason:
        raise ValueError(
            f"{owner}: tolerance={tolerance!r} is not possible for {reason}, or tolerance=None."
        )


def tolerate(estimator: Any, X: Any, kept: KeptRows, candidates: Any) -> None:
    """Let targets of a fitted estimator leave their sets; sets `tolerance_` and `outside_`.

    Parameters
    ----------
    estimator : CandidateEstimator
        Fitted. Its `_learn` stores in `_others_` what others predict for all rows, and judges by
        the sets `_given_`.
    X : (n, d), checked
    kept : KeptRows
    candidates : Intervals, PartialOrders or PartialBits, n rows
    """
    kind = _KINDS[type(candidates)]
    others = _held_out(estimator, X, kept, candidates, kind)
    is_automatic = isinstance(estimator.tolerance, str)
    if others is None:
        if is_automatic:
            # Nothing shows that a set is wrong.
            return
        raise ValueError(
            f"{type(estimator).__name__}: tolerance={estimator.tolerance!r} needs rows that judge "
            "the sets of others, and only one sample, or one group, excludes something. Use "
            "tolerance=None."
        )
    first = kind.judge(others, candidates, kept.all_weights)
    phase = Phase("tolerance", _N_ROUNDS)
    rounds = list(_rounds(estimator, X, kept, candidates, kind, first, phase))
    phase.finish()
    if is_automatic:
        rounds = _confirmed(rounds, first)
    if is_automatic and not rounds and not first.is_known:
        warn(
            f"{type(estimator).__name__}: tolerance='auto' lets no target leave its set: "
            f"{NOT_KNOWN}.",
            UserWarning,
        )
    if not rounds:
        estimator.tolerance_ = np.inf if is_automatic else float(estimator.tolerance)
        return
    learned, price, _ = rounds[-1]
    _adopt(estimator, learned)
    estimator.tolerance_ = price
    estimator.outside_ = np.asarray(~candidates.contains(estimator.labels_))


class _Round(NamedTuple):
    """What was learned from sets that were widened at a price, and the verdict of its rows."""

    learned: Any
    price: float
    verdict: Verdict


def _rounds(
    estimator: Any,
    X: Any,
    kept: KeptRows,
    candidates: Any,
    kind: _Kind,
    verdict: Verdict,
    phase: Phase,
) -> Iterator[_Round]:
    """Widen the sets by a verdict, learn and judge again; until the sets stay the same.

    A trial is no result: only the sets that its rows show to be wrong are left.
    """
    is_automatic = isinstance(estimator.tolerance, str)
    widened = candidates
    for number in phase.over(range(_N_ROUNDS)):
        is_trial = is_automatic and number == 0 and verdict.wrong_share == 0.0
        if not is_automatic:
            price = float(estimator.tolerance)
        else:
            price = verdict.trial_price if is_trial else _price(verdict.wrong_share)
        wider = candidates if np.isinf(price) else verdict.widened(price)
        if wider == widened:
            return
        if not wider[kept.rows].informative.any():
            raise ValueError(
                f"{type(estimator).__name__}: at the price {price:.3g} (tolerance="
                f"{estimator.tolerance!r}) every set is left, and nothing remains to learn from. "
                "Use a higher price, or None."
            )
        widened = wider
        learned = _without_search(estimator, kind)
        learned._given_ = candidates
        learned._learn(X, kept, widened, widened[kept.rows])
        others = _held_out(learned, X, kept, widened, kind)
        if others is None:
            # All that is left excludes something in one group only.
            return
        verdict = kind.judge(others, candidates, kept.all_weights)
        if not is_trial:
            yield _Round(learned, price, verdict)


def _confirmed(rounds: Sequence[_Round], first: Verdict) -> list[_Round]:
    """The round whose rows predict the sets of the user best; none if the first fit does better.

    If the first fit shows wrong sets, it must be clearly better. What began as a trial must show
    them, and be clearly better than the first fit.
    """
    if not rounds:
        return []
    best = max(rounds, key=lambda one: one.verdict.log_likelihood)
    gain = best.verdict.log_likelihood - first.log_likelihood
    if first.wrong_share > 0.0:
        return [best] if gain > -WORTH else []
    return [best] if best.verdict.wrong_share > 0.0 and gain > WORTH else []


def _price(share: float) -> float:
    """At which a set is as probably wrong as right, if this share of the sets is wrong."""
    return float(np.log((1.0 - share) / share)) if share > 0.0 else float(np.inf)


def _held_out(
    estimator: Any, X: Any, kept: KeptRows, candidates: Any, kind: _Kind
) -> FloatArray | None:
    """Predictions of all rows by others that never saw their sets; None if there are none.

    If a callback ends the phase, rows of further folds are judged by leave-one-out votes.
    """
    pairwise = is_pairwise(estimator.weights)
    inputs = kept_inputs(X, kept)
    informative = candidates[kept.rows].informative
    units = joined_groups(equal_inputs(inputs, pairwise), kept.groups)
    if np.unique(units[informative]).size < 2:
        return None
    others: FloatArray = estimator._others_
    if estimator.confidence_kind_ == "hidden sets":
        return others
    # Rows that take no part are judged by all others already.
    others = others.copy()
    folds = deal(units, informative, _N_FOLDS, 0)
    n_folds = int(folds.max()) + 1
    for fold in Phase("judgement", n_folds).over(range(n_folds)):
        hidden = kept.rows[folds == fold]
        rows = np.zeros((kept.n, 1), dtype=np.bool_)
        rows[hidden] = True
        opened = kind.opened(candidates, rows)
        trial = _without_search(estimator, kind)
        with only_predicts(), unreported():
            trial._learn(X, kept, opened, opened[kept.rows])
        others[hidden] = trial._others_[hidden]
    return others


def _without_search(estimator: Any, kind: _Kind) -> Any:
    """A copy of a fitted estimator that learns with the components that were chosen."""
    copy = object.__new__(type(estimator))
    copy.__dict__.update(vars(estimator))
    copy.confidence_kind_ = "leave-one-out"
    weights = plain_weights(estimator.weights)
    if isinstance(weights, str) and weights == "auto":
        copy.weights = clone(estimator.weights_)
        if kind.selects_solver and estimator.solver_ is not None:
            copy.solver = estimator.solver_
    return copy


def _adopt(estimator: Any, learned: Any) -> None:
    """Take over what a copy has learned; parameters and the trials of the search stay."""
    own = {"trials_", *estimator.get_params(deep=False)}
    for name, value in vars(learned).items():
        if name not in own and name != "_given_":
            setattr(estimator, name, value)
