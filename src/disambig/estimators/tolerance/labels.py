"""Labels that leave their sets at a price: the price, what is selected for it, and which leave.

The price is a logarithm of odds. Label y of row i costs ``-log P_i(y)``, and the price more if y is
outside of the set; ``P_i`` are the probabilities by rows that never saw the set, so that no row
votes itself out of it. An infinite price is the paper's method.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from disambig.estimators.balance.graphs import informed_graph
from disambig.estimators.completion.choice import of_chosen_way
from disambig.estimators.fitting import Fit
from disambig.estimators.held_out.hidden_votes import HeldOutLabels
from disambig.estimators.held_out.wrong_sets import NOT_KNOWN, fit_wrong_sets
from disambig.estimators.prediction import RowLabels
from disambig.estimators.progress.reporting import Phase
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_inputs,
)
from disambig.estimators.selection import LabelSelection
from disambig.estimators.selection.protocol import Trial
from disambig.estimators.selection.search import select
from disambig.estimators.selection.space import SearchSpace
from disambig.estimators.selection.tolerant_labels import TolerantSelection, best_weightings
from disambig.estimators.tolerance.leaving import Leaving
from disambig.exceptions import warn
from disambig.notation import BoolArray, FloatArray
from disambig.solvers import AnnealedMinimization, Solver
from disambig.weights.registry import is_pairwise, resolve_weights

# Probabilities of labels tie if they differ by less.
_TIE_TOLERANCE = 1e-6
# Fewer wrong sets cost less than another fit can change.
_LEAST_SHARE = 0.01
# The share of wrong sets that the price is for where it is not known.
_TRIAL_SHARE = 0.2


def check_tolerable(model: Any, candidates: Any) -> None:
    """Raise an error if labels of these candidates cannot leave their sets with this solver."""
    if model.tolerance is None:
        return
    owner, named = type(model).__name__, model._named_solver()
    if not isinstance(model.tolerance, str) and model.tolerance == 0:
        raise ValueError(
            f"{owner}: at tolerance=0 classes outside of a set count as much as those inside, so "
            "that nothing is left to learn from. Use a price above 0, such as 2.0, or 'auto'."
        )
    if candidates.couples_rows:
        raise ValueError(
            f"{owner}: tolerance={model.tolerance!r} cannot be combined with class counts, which "
            "need labels inside the sets. Use tolerance=None, or pass the sets alone."
        )
    if named is not None and not isinstance(named, AnnealedMinimization):
        raise ValueError(
            f"{owner}: tolerance={model.tolerance!r} needs probabilities of labels, which "
            f"{type(named).__name__} has not. Use solver='auto' or solver='annealed'."
        )


def tolerate(model: Any, X: Any, kept: KeptRows, candidates: Any, taken: Any) -> None:
    """Let labels of a fitted classifier leave their sets: `PartialLabelClassifier._tolerate`."""
    name, named = type(model).__name__, model._named_solver()
    held_out = model.__dict__.pop("_held_out_")
    leaving = label_leaving(name, model.tolerance, taken, model.weights_, held_out, kept)
    if np.isinf(leaving.price):
        _say_what_is_not_known(name, leaving)
        return
    model._leaving_, model.tolerance_ = leaving, leaving.price
    phase = Phase("tolerance", 1)
    if named is None and is_pairwise(model.weights):
        # Pairs of rows cannot be sampled.
        named = AnnealedMinimization()
    shares = model.class_shares_
    if named is not None and shares is not None:
        named = shares.kept_by(named, model.weights)
    chosen = tolerant_choice(
        LabelSelection.of(taken, model.loss_, model.method, None, shares=shares),
        model.weights,
        named,
        tuple(of_chosen_way(model.trials_)),
        leaving.price,
        X,
        kept,
        model._search_space,
        model.time_limit,
    )
    model.trials_ = chosen.trials
    model._learn_with(chosen.weights, chosen.solver, X, kept, candidates, taken)
    del model._held_out_
    _say_what_is_not_known(name, model._leaving_)
    phase.done()


def _say_what_is_not_known(owner: str, leaving: Leaving) -> None:
    """Warn if "auto" cannot tell wrong sets from right ones."""
    if leaving.wrong_sets is not None and not leaving.wrong_sets.is_known:
        warn(f"{owner}: tolerance='auto' lets no label leave its set: {NOT_KNOWN}.", UserWarning)


class Choice(NamedTuple):
    """Weights and solver for labels that may leave their sets; trials, best first."""

    weights: Any
    solver: Solver
    trials: tuple[Trial, ...]


def label_leaving(
    owner: str, tolerance: Any, sets: Any, weights: Any, held_out: HeldOutLabels | None, kept: Any
) -> Leaving:
    """When labels leave their sets; never if "auto" finds hardly any wrong sets.

    Where "auto" cannot tell, wrong sets may be many that hide behind each other. Labels are then
    learned at the price of a fifth of wrong sets, and leave only if that brings wrong ones to
    light.

    Parameters
    ----------
    owner : str
    tolerance : float or "auto"
    sets : LabelSets
        Of the rows that take part.
    weights : fitted weighting
        Of the fit in which no label leaves its set.
    held_out : HeldOutLabels or None
        The judgement of that fit.
    kept : KeptRows
    """
    reason = None
    if informed_graph(weights) is not None:
        reason = f"with {type(weights).__name__} only rows that exclude a class vote"
    elif held_out is None:
        reason = "fewer than 30 distinct rows exclude a class, too few to judge the others by"
    if reason is not None and tolerance != "auto":
        raise ValueError(
            f"{owner}: tolerance={tolerance!r} cannot be used: {reason}. Use tolerance=None."
        )
    if reason is not None or held_out is None:
        warn(f"{owner}: tolerance='auto' lets no label leave its set: {reason}.", UserWarning)
        return Leaving()
    if tolerance != "auto":
        return Leaving(float(tolerance))
    found = fit_wrong_sets(held_out.distributions, sets.mask, kept.sample_weight)
    share = found.share if found.is_known else _TRIAL_SHARE
    if share < _LEAST_SHARE:
        return Leaving()
    return Leaving(price_of(share, sets.mask), found)


def price_of(wrong_share: float, mask: BoolArray) -> float:
    """``log((1 - nu) / nu) + log((1 - p) / p)``; infinite for a share nu of 0.

    Here p is how often a wrong class is in a set. If the truth is missing with probability nu, and
    every other class is in the set with probability p, these are the odds that a class inside is
    the truth, against one outside. Infinite, too, if they are not above one: a price of 0 would
    leave nothing to learn from.

    Examples
    --------
    >>> import numpy as np
    >>> mask = np.array([[True, True, False], [True, False, True]])
    >>> round(price_of(0.2, mask), 3), price_of(0.0, mask)
    (1.386, inf)
    """
    if wrong_share <= 0:
        return float(np.inf)
    n_possible = int(np.count_nonzero(mask.any(axis=0)))
    sizes = np.count_nonzero(mask, axis=1)
    sizes = sizes[sizes < n_possible]
    # One more set, with half of the classes: the share of wrong classes is neither 0 nor 1.
    wrong = (float((sizes - 1).sum()) + 0.5 * (n_possible - 1)) / (
        (len(sizes) + 1) * max(n_possible - 1, 1)
    )
    price = float(np.log((1.0 - wrong_share) / wrong_share * (1.0 - wrong) / wrong))
    return price if price > 0 else float(np.inf)


def tolerant_choice(
    strict: LabelSelection,
    named: Any,
    solver: Any,
    trials: tuple[Trial, ...],
    price: float,
    X: Any,
    kept: KeptRows,
    space: SearchSpace,
    time_limit: float | None,
) -> Choice:
    """Weights and solver for labels that may leave their sets.

    The mean of the best weightings of the trials, and an annealing that holds class shares near
    those of average candidates. Named weights are kept, and so is a named annealing.

    Parameters
    ----------
    strict : LabelSelection
        Of the rows that take part.
    named : weighting or str
        What the estimator was given, or what "auto" chose.
    solver : AnnealedMinimization or None
        None: selected.
    trials : tuple of Trial
        Of the selection, best first; empty if weights were named.
    price : float
    X, kept, space, time_limit
        See `select`.
    """
    if solver is not None:
        return Choice(named, solver, trials)
    members = best_weightings(trials) if trials else (resolve_weights(named),)
    found = select(
        TolerantSelection(strict, tuple(clone(member) for member in members), price),
        kept_inputs(X, kept),
        kept.sample_weight,
        space,
        groups=kept.groups,
        time_limit=time_limit,
    )
    return Choice(found.weights, found.solver or AnnealedMinimization(), found.records or trials)


def labels_inside(found: RowLabels, distribution: FloatArray, fit: Fit) -> RowLabels:
    """Labels of tolerant rows inside their sets: the most probable class there."""
    inside = np.where(fit.taken.mask, distribution, -1.0)
    largest = inside.max(axis=1, keepdims=True)
    codes, decided = found.codes.copy(), found.decided.copy()
    codes[fit.kept.rows] = inside.argmax(axis=1)
    decided[fit.kept.rows] = np.count_nonzero(inside >= largest - _TIE_TOLERANCE, axis=1) == 1
    return found._replace(codes=codes, decided=decided)
