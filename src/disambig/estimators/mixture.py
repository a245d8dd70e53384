"""Mixtures of estimators: shares fitted on held-out predictions, members fitted on all rows.

A member is an estimator of the same kind of target: a weighting with its solver inside
`IntervalRegressor` or `PartialRanker`, or a model of scikit-learn in alternation. The mixture
predicts ``sum_m share_m f_m(x)``, where ``f_m`` are numbers or probabilities.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn import config_context
from sklearn.base import BaseEstimator, clone

from disambig.estimators.progress.reporting import Phase, unreported
from disambig.inputs.holes import rows_without_input
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.weights.row_groups import hash_rows, joined_groups

# Shares below this are rounding of the optimiser.
_MIN_SHARE = 1e-3
_N_FOLDS = 5
_ONLY_PREDICTS: ContextVar[bool] = ContextVar("_ONLY_PREDICTS", default=False)

# What a fitted member predicts at inputs, first axis q; only such arrays can be mixed.
Predict = Callable[[Any, Any], FloatArray]


class Mixture(BaseEstimator):
    """Estimators and their shares, for ``weights=`` of an estimator of the same kind.

    ``weights="auto"`` selects one for numbers, orders and bits; `weights_` holds it. Passed as
    `weights`, it is fitted again without the search.

    Parameters
    ----------
    members : list of estimators
        Unfitted. They predict the same kind of target.
    shares : list of float, optional
        Non-negative, with sum one; equal by default.

    Examples
    --------
    >>> from disambig import IntervalRegressor, Mixture
    >>> near = IntervalRegressor(weights="neighbors")
    >>> Mixture([near, IntervalRegressor(weights="kernel_ridge")], [0.25, 0.75]).shares
    [0.25, 0.75]
    """

    def __init__(self, members: Any, shares: Any = None) -> None:
        self.members = members
        self.shares = shares

    def checked(self) -> tuple[list[Any], FloatArray]:
        """Members and shares, or an error that says what is wrong."""
        members = list(self.members)
        for place, member in enumerate(members):
            if isinstance(member, type) or not hasattr(member, "fit"):
                raise TypeError(
                    f"Mixture: members[{place}] must be an estimator with a method fit; got "
                    f"{member!r}."
                )
        if not members:
            raise ValueError("Mixture: members is empty; at least one estimator is needed.")
        if self.shares is None:
            return members, np.full(len(members), 1.0 / len(members))
        shares = np.asarray(self.shares, dtype=np.float64)
        if shares.shape != (len(members),) or not (shares >= 0).all() or shares.sum() <= 0:
            raise ValueError(
                f"Mixture: shares must be {len(members)} numbers >= 0 with a positive sum, one for "
                f"each member; got {self.shares!r}."
            )
        return members, shares / shares.sum()

    def first(self, count: int) -> tuple["Mixture", bool]:
        """The mixture of the first `count` members with a share, and whether these are all.

        Parameters
        ----------
        count : int
        """
        members, shares = self.checked()
        places = np.flatnonzero(shares > 0)
        if len(places) == count:
            return self, True
        kept = places[:count]
        return Mixture([members[k] for k in kept], shares[kept].tolist()), False


@dataclass(frozen=True, eq=False)
class FittedMixture:
    """The fitted members of a mixture.

    Attributes
    ----------
    members : tuple of fitted estimators
    shares : float array (M,)
    held_out : float array, first axis n
        At each training row the prediction of the mixture by members that were trained without
        its fold.
    hides_sets : bool
        False if one group has all information, without which nothing can be learned, or if a
        callback ended the cross-fit: `held_out` are predictions of members that saw the row's set.
    constant : float array
        The mean of `held_out`, or of predictions of the members: what is predicted without any
        input. None in models that earlier versions saved; it is then the mean of `held_out`.
    """

    members: tuple[Any, ...]
    shares: FloatArray
    held_out: FloatArray
    hides_sets: bool = True
    constant: FloatArray | None = None

    def mixed(self, predict: Predict, X: Any) -> FloatArray:
        """The mixed predictions ``predict(member, X)`` at checked inputs.

        What is mixed is not stored: a function has no place in a saved model.
        """
        without_input = rows_without_input(X)
        if without_input is None:
            return mixed(self.shares, [predict(member, X) for member in self.members])
        constant = self.held_out.mean(axis=0) if self.constant is None else self.constant
        found = np.empty((X.shape[0], *constant.shape))
        found[without_input] = constant
        if not without_input.all():
            found[~without_input] = self.mixed(predict, X[~without_input])
        return found

    def at_rows(self, predict: Predict, X: Any, rows: IntArray) -> FloatArray:
        """`held_out` at the rows of X that took part, predictions of the members at the others."""
        if len(rows) == X.shape[0]:
            return self.held_out
        rest = np.setdiff1d(np.arange(X.shape[0]), rows)
        found = np.empty((X.shape[0], *self.held_out.shape[1:]))
        found[rows], found[rest] = self.held_out, self.mixed(predict, X[rest])
        return found


def mixed(shares: FloatArray, predictions: Sequence[FloatArray]) -> FloatArray:
    """``sum_m share_m f_m``."""
    total: FloatArray = np.zeros_like(predictions[0], dtype=np.float64)
    for share, one in zip(shares, predictions, strict=True):
        total += share * one
    return total


def fit_mixture(
    mixture: Mixture,
    X: Any,
    candidates: Any,
    sample_weight: FloatArray | None,
    groups: IntArray | None,
    predict: Predict,
    *,
    hashes: IntArray | None = None,
    n_folds: int = _N_FOLDS,
) -> FittedMixture:
    """Fit the members on all rows, and cross-fit them for predictions of the training rows.

    The rows are passed in the order of a hash of their inputs, so that members with random parts
    do not depend on the order of the rows. Rows with equal inputs, and the groups of the user, are
    in one fold. If a callback ends the phase "members", those that are not fitted yet are left out.

    Parameters
    ----------
    mixture : Mixture
    X : (n, d), checked
    candidates : candidate sets of n rows
    sample_weight : float array (n,), or None
    groups : int array (n,), or None
    predict : callable
    hashes : int array (n,), optional
        The groups of rows with equal inputs, in their order; by default those of `hash_rows`.
    n_folds : int
        Of the cross-fit; 0: there is none, and `held_out` are NaN.
    """
    members, shares = mixture.checked()
    members = [member for member, share in zip(members, shares, strict=True) if share > 0]
    shares = shares[shares > 0]
    together = joined_groups(hash_rows(X) if hashes is None else hashes, groups)
    order = np.argsort(together, kind="stable")
    X, candidates, together = X[order], candidates[order], together[order]
    weights = None if sample_weight is None else sample_weight[order]
    with config_context(assume_finite=True):
        fitted = tuple(
            fitted_member(member, X, candidates, weights)
            for member in Phase("members", len(members)).over(members, _name)
        )
        if len(fitted) < len(members):
            members, shares = members[: len(fitted)], shares[: len(fitted)]
            shares = shares / shares.sum()
        if not n_folds:
            seen = mixed(shares, [predict(member, X) for member in fitted])
            constant = np.average(seen, axis=0, weights=weights)
            return FittedMixture(fitted, shares, np.full_like(seen, np.nan), constant=constant)
        folds = _folds(together, candidates.informative, n_folds)
        phase = Phase("judgement", len(members) * (int(folds.max()) + 1))
        parts = [
            held_out_predictions(member, X, candidates, weights, folds, predict, phase)
            for member in members
            if not phase.stopped
        ]
        phase.finish()
        if phase.is_cut:
            parts = [predict(member, X) for member in fitted]
        held_out = mixed(shares, parts)
    unsorted = np.empty_like(held_out)
    unsorted[order] = held_out
    hides_sets = not phase.is_cut and len(np.unique(together[candidates.informative])) > 1
    constant = np.average(held_out, axis=0, weights=weights)
    return FittedMixture(fitted, shares, unsorted, hides_sets, constant)


def _folds(together: IntArray, informative: BoolArray, n_folds: int) -> IntArray:
    """The fold of each row; groups with informative rows are spread evenly over the folds."""
    is_informative = np.zeros(int(together.max()) + 1, dtype=np.bool_)
    is_informative[together[informative]] = True
    number = np.empty(is_informative.size, dtype=np.int64)
    # Stable: otherwise in the order of the hashes.
    number[np.argsort(~is_informative, kind="stable")] = np.arange(is_informative.size)
    folds: IntArray = number[together] % min(n_folds, is_informative.size)
    return folds


def fitted_member(member: Any, X: Any, candidates: Any, sample_weight: FloatArray | None) -> Any:
    """A clone of a member, fitted on these rows."""
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    with only_predicts():
        return clone(member).fit(X, candidates, **options)


@contextmanager
def only_predicts() -> Iterator[None]:
    """Estimators that are fitted inside are wanted for their predictions.

    Their `confidence_` is the cheapest one, by leave-one-out votes.
    """
    token = _ONLY_PREDICTS.set(True)
    try:
        yield
    finally:
        _ONLY_PREDICTS.reset(token)


def is_judged() -> bool:
    """Whether the labels of an estimator that is fitted now are worth a judgement."""
    return not _ONLY_PREDICTS.get()


def held_out_predictions(
    member: Any,
    X: Any,
    candidates: Any,
    sample_weight: FloatArray | None,
    folds: IntArray,
    predict: Predict,
    phase: Phase | None = None,
) -> FloatArray:
    """Predictions of each row by a member that was fitted without the rows of its fold.

    Parameters
    ----------
    member : estimator
    X : (n, d)
    candidates : candidate sets of n rows
    sample_weight : float array (n,), or None
    folds : int array (n,)
        The fold in which a row is hidden; -1 for never. Such rows have NaN in the result.
    predict : callable
    phase : Phase, optional
        Each fold is a step of it; if it is ended, rows of further folds have NaN. Without it
        nothing is reported.
    """
    found: FloatArray | None = None
    with unreported() if phase is None else nullcontext():
        for fold in range(int(folds.max()) + 1):
            hidden, visible = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
            if not hidden.size or not visible.size:
                continue
            if not candidates[visible].informative.any():
                # One group has all information: without it nothing can be learned.
                visible = np.arange(len(folds))
            weights = None if sample_weight is None else sample_weight[visible]
            fitted = fitted_member(member, X[visible], candidates[visible], weights)
            predictions = predict(fitted, X[hidden])
            if found is None:
                found = np.full((len(folds), *predictions.shape[1:]), np.nan)
            found[hidden] = predictions
            if phase is not None and phase.done(_name(member)):
                break
        if found is None:
            # One group only: no row can be predicted by others.
            found = predict(fitted_member(member, X, candidates, sample_weight), X)
    return found


def _name(member: Any) -> str:
    return type(member).__name__


def mixing_shares(
    objective: Callable[[FloatArray], tuple[float, FloatArray]], n_members: int, pull: float
) -> FloatArray:
    """Shares ``w`` on the simplex that minimise ``objective(w) + pull |w - 1/M|^2``, ``(M,)``.

    Parameters
    ----------
    objective : callable
        The held-out loss of the mixture and its gradient, convex in the shares.
    n_members : int
    pull : float
        How strongly shares are drawn to equal ones, in units of the objective.
    """
    even = np.full(n_members, 1.0 / n_members)
    if n_members == 1:
        return even

    def penalised(shares: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(shares)
        away = shares - even
        return value + pull * float(away @ away), gradient + 2.0 * pull * away

    unit = max(abs(penalised(even)[0]), np.finfo(float).tiny)
    found = minimize(
        lambda w: tuple(part / unit for part in penalised(w)),
        even,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * n_members,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": np.ones_like},
        options={"maxiter": 200, "ftol": 1e-10},
    )
    shares = np.maximum(found.x, 0.0)
    shares[shares < _MIN_SHARE] = 0.0
    shares /= shares.sum()
    result: FloatArray = shares if penalised(shares)[0] <= penalised(even)[0] else even
    return result
