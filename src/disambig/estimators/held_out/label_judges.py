"""Distributions of labels by rows from which their sets were hidden.

A *judge* is a weighting with a solver. The rows are dealt into folds; the sets of one fold are
opened, that is, replaced by the set of all classes; the judge disambiguates all rows, and the votes
of the others score the classes of the hidden rows. Votes are computed once for all folds. Scores
become probabilities at the temperature of highest likelihood of the sets (`SetCalibration`); those
of several judges are averaged. Leave-one-out votes alone would not do: the labels of the neighbours
were chosen with the set of the row in play.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.candidates.labels.bag_information import MIN_RANDOM_BAGS
from disambig.candidates.labels.class_counts import is_in_bags
from disambig.candidates.labels.tolerance import tolerant_sets
from disambig.estimators.balance.graphs import informed_graph
from disambig.estimators.completion.choice import of_chosen_way
from disambig.estimators.fitting import Fit
from disambig.estimators.held_out.bag_judges import hiding_of_bags, judged_in_bags
from disambig.estimators.held_out.hidden_votes import (
    HeldOutLabels,
    Hiding,
    Judge,
    opened_sets,
    own_votes,
    product_at,
    scaled_votes,
)
from disambig.estimators.held_out.kept_judgements import KeptJudgement, keep
from disambig.estimators.held_out.set_likelihood import fit_set_calibration
from disambig.estimators.prediction import label_distribution
from disambig.estimators.progress.reporting import Phase
from disambig.estimators.rows.kept import kept_inputs
from disambig.estimators.selection.protocol import MIN_INFORMATIVE_ROWS, Trial
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.labels.soft import SoftFaces
from disambig.memory import by_rows
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, AnnealedMinimization, Solver
from disambig.solvers.baselines import run_baseline
from disambig.votes.repeated import RepeatedVotes
from disambig.weights.row_groups import joined_groups, rank_hashes

# With ten folds more sets stay visible than with five, at up to twice the cost.
_FOLDS, _MAX_ROWS_OF_TEN = (10, 5), 2000
# The best weightings of the selection judge together: so many up to this number of rows, then fewer
# and fewer, as each costs a fit; and all but the first are of little use when rows are many.
_MAX_JUDGES = 10
_MAX_ROWS_OF_ALL = 1000
# Steps at each temperature, as in the selection.
_SWEEPS = 2
# Entries of the tables of all folds together; beyond, the folds are solved one by one.
_MAX_ENTRIES = 2**22
# Smaller probabilities count as this one.
_LEAST = 1e-9


def restricted(distributions: FloatArray, mask: BoolArray) -> FloatArray:
    """Distributions inside the sets, ``(n, K)``; uniform on a set of probability zero."""

    def part(distributions: FloatArray, mask: BoolArray) -> FloatArray:
        inside = np.where(mask, distributions, 0.0)
        total = inside.sum(axis=1, keepdims=True)
        even = mask / np.count_nonzero(mask, axis=1)[:, None]
        return np.where(total > 0, inside / np.where(total > 0, total, 1.0), even)

    return by_rows(part, distributions, mask)


def is_cheap(sets: Any, solver: Solver | None) -> bool:
    """Whether hidden sets cost little: alternation and annealing run on the votes of the fit."""
    usual = (AlternatingMinimization, AnnealedMinimization)
    if is_in_bags(sets):
        return isinstance(solver, AnnealedMinimization)
    return not sets.couples_rows and (solver is None or isinstance(solver, usual))


def judges_of(
    first: Judge,
    trials: Sequence[Trial],
    X: Any,
    sample_weight: FloatArray | None,
    n_rows: int,
    phase: str,
) -> Iterator[Judge]:
    """The weighting of the fit, and the next best of the selection: each is a step of the phase."""
    others = _other_trials(trials, n_rows)

    def fitted() -> Iterator[Judge]:
        yield first
        for trial in others:
            yield Judge(clone(trial.weights).fit(X, sample_weight), trial.solver)

    return Phase(phase, 1 + len(others)).over(fitted(), lambda judge: type(judge.weights).__name__)


def _other_trials(trials: Sequence[Trial], n_rows: int) -> list[Trial]:
    """The trials that judge beside the first weighting."""
    most = min(_MAX_JUDGES, int(_MAX_JUDGES * (_MAX_ROWS_OF_ALL / n_rows) ** 1.5))
    # The trials of a weighting differ in the solver; the best comes first.
    distinct: dict[str, Trial] = {}
    for trial in of_chosen_way(trials):
        if len(distinct) >= max(most, 1):
            break
        distinct.setdefault(repr(trial.weights), trial)
    return list(distinct.values())[1:]


def judge_fit(
    fit: Fit,
    solver: Solver | None,
    method: str,
    trials: Sequence[Trial],
    price: float = np.inf,
) -> HeldOutLabels | None:
    """The judgement of a fit of labels; None where leave-one-out votes judge instead.

    Parameters
    ----------
    fit : Fit
    solver : Solver or None
        That of the fit; None for the baselines.
    method : {"disambiguation", "infimum", "average"}
    trials : sequence of Trial
        Of the selection, best first; empty if weights were named.
    price : float
        At which labels may leave their sets; by default never.
    """
    sets, kept = fit.taken, fit.kept
    weighting = fit.weightings.weights
    if not is_cheap(sets, solver) or (is_in_bags(sets) and informed_graph(weighting) is not None):
        return None
    inputs = kept_inputs(fit.X, kept)
    hiding = hiding_of(sets, equal_inputs(inputs, fit.weightings.pairwise), kept.groups)
    # Distinct inputs are counted: a weight of w is w copies.
    if hiding.n_informative < (MIN_RANDOM_BAGS if hiding.hides_bags else MIN_INFORMATIVE_ROWS):
        return None
    n_units = int(hiding.equal.max()) + 1
    n_folds = _FOLDS[n_units > _MAX_ROWS_OF_TEN]
    first = Judge(weighting, solver, fit.votes)
    found = judged(
        judges_of(first, trials, inputs, kept.weights, n_units, "judgement"),
        sets,
        fit.problem.loss,
        method,
        kept.sample_weight,
        hiding,
        lambda number: [deal(hiding.units, hiding.informative, n_folds, number)],
        price,
    )
    # A callback may have ended it before all have judged.
    if found.n_judges == 1 + len(_other_trials(trials, n_units)):
        keep(KeptJudgement(weighting, price, hiding.units, hiding.informative, n_folds, found))
    return found


def hiding_of(candidates: Any, equal: IntArray, groups: IntArray | None) -> Hiding:
    """What is hidden of rows: sets, or whole bags if few rows have sets and bags are many.

    Parameters
    ----------
    candidates : candidate sets, n rows
    equal : int array (n,)
        Equal numbers for rows with equal inputs.
    groups : int array (n,) or None
        Rows that are hidden together.
    """
    of_sets = Hiding(equal, joined_groups(equal, groups), candidates.informative)
    if not is_in_bags(candidates) or of_sets.n_informative >= MIN_INFORMATIVE_ROWS:
        return of_sets
    return hiding_of_bags(candidates, groups, of_sets)


def equal_inputs(X: Any, pairwise: bool) -> IntArray:
    """Equal numbers for rows with equal inputs, ``(n,)``; rows of pairs are no inputs."""
    return np.arange(X.shape[0]) if pairwise else rank_hashes(X)


def deal(units: IntArray, informative: BoolArray, n_folds: int, number: int) -> IntArray:
    """The fold of each row, ``(n,)``; informative units are spread evenly over the folds.

    Parameters
    ----------
    units : int array (n,)
        Rows of a unit are in one fold; their numbers do not depend on the order of the rows.
    informative : bool array (n,)
    n_folds : int
    number : int
        Of the deal: another one deals anew.

    Examples
    --------
    >>> import numpy as np
    >>> folds = deal(np.array([0, 1, 2, 1]), np.array([True, True, False, True]), 2, number=0)
    >>> bool(folds[1] == folds[3]), bool(folds[0] != folds[1])
    (True, True)
    """
    count = int(units.max()) + 1
    is_informative = np.zeros(count, dtype=np.bool_)
    is_informative[units[informative]] = True
    order = np.random.default_rng(number).permutation(count)
    order = order[np.argsort(~is_informative[order], kind="stable")]
    place = np.empty(count, dtype=np.intp)
    place[order] = np.arange(count)
    folds: IntArray = place[units] % min(n_folds, count)
    return folds


def judged(
    judges: Iterable[Judge],
    sets: Any,
    loss: FiniteLoss,
    method: str,
    sample_weight: FloatArray,
    hiding: Hiding,
    deals: Callable[[int], Sequence[IntArray]],
    price: float = np.inf,
) -> HeldOutLabels:
    """The mean of calibrated probabilities over judges and deals.

    Parameters
    ----------
    judges : iterable of Judge
        They may be fitted one after another.
    sets : LabelSets, n rows, or ClassCounts with bags
    loss : FiniteLoss
    method : {"disambiguation", "infimum", "average"}
    sample_weight : float array (n,)
    hiding : Hiding
    deals : callable
        ``deals(j)`` are the folds ``(n,)`` of judge j, once or several times.
    price : float
        At which labels may leave their sets; by default never.
    """
    if is_in_bags(sets):
        return judged_in_bags(judges, sets, loss, sample_weight, hiding, deals(0))
    solved = sets if np.isinf(price) else tolerant_sets(sets, price)
    possible = np.asarray(sets.mask.any(axis=0))
    frequencies = sample_weight @ sets.distribution()
    prior = frequencies / frequencies.sum()
    first: HeldOutLabels | None = None
    total = np.zeros((0, 0))
    count = 0
    for judge in judges:
        found = [
            hidden_scores(judge, solved, loss, method, sample_weight, hiding.equal, folds)
            for folds in deals(count)
        ]
        # A mean would be one more table.
        scores = found[0] if len(found) == 1 else np.mean(found, axis=0)
        calibration = fit_set_calibration(scores, sets.mask, sample_weight, possible)
        probabilities = calibration(scores, possible)
        probabilities[~(scores != 0).any(axis=1)] = prior
        count += 1
        if first is None:
            first = HeldOutLabels(probabilities, calibration, scores, calibration, 1)
        else:
            total = (first.distributions if count == 2 else total) + probabilities
    assert first is not None
    if count == 1:
        return first
    logits = np.log(np.maximum(total / count, _LEAST))
    calibration = fit_set_calibration(logits, sets.mask, sample_weight, possible)
    return replace(
        first,
        distributions=calibration(logits, possible),
        calibration=calibration,
        n_judges=count,
    )


def hidden_scores(
    judge: Judge,
    sets: LabelSets,
    loss: FiniteLoss,
    method: str,
    sample_weight: FloatArray,
    equal: IntArray,
    folds: IntArray,
) -> FloatArray:
    """The votes of the others for every class of a row whose set is hidden, ``(n, K)``.

    The others are all rows with other inputs; a weight of w is w copies.
    """
    n_folds = int(folds.max()) + 1
    graph = informed_graph(judge.weights)
    is_annealed = isinstance(judge.solver, AnnealedMinimization)
    if is_annealed and graph is None and n_folds * sets.mask.size <= _MAX_ENTRIES:
        return _annealed_together(judge, sets, loss, sample_weight, equal, folds)
    scores = np.zeros(sets.mask.shape)
    votes = judge.training_votes()
    own = own_votes(judge.weights, votes, equal)
    for fold in range(n_folds):
        hidden = folds == fold
        rows = np.flatnonzero(hidden)
        if graph is not None:
            visible = graph.at_informed(sets.informative & ~hidden)
            votes = visible.training_votes()
            own = own_votes(visible, votes, equal)
        opened = opened_sets(sets, hidden)
        problem = Problem(
            scaled_votes(votes, sample_weight), loss, opened, sample_weight=sample_weight
        )
        if method == "disambiguation":
            assert judge.solver is not None
            solution = judge.solver.solve(problem)
        else:
            solution, _ = run_baseline(problem, method)
        targets = label_distribution(opened, solution, method)
        scores[rows] = own.at(rows).removed(product_at(votes, rows, targets), targets[rows])
    return scores


def _annealed_together(
    judge: Judge,
    sets: LabelSets,
    loss: FiniteLoss,
    sample_weight: FloatArray,
    equal: IntArray,
    folds: IntArray,
) -> FloatArray:
    """All folds as one problem: one product of the votes for all of them."""
    n_folds = int(folds.max()) + 1
    hidden = folds == np.arange(n_folds)[:, None]
    opened = [opened_sets(sets, one) for one in hidden]
    together = LabelSets.concatenated(opened)
    votes = judge.training_votes()
    problem = Problem(
        RepeatedVotes(scaled_votes(votes, sample_weight), n_folds),
        loss,
        together,
        sample_weight=np.tile(sample_weight, n_folds),
    )
    solver = cast(AnnealedMinimization, clone(judge.solver)).set_params(sweeps=_SWEEPS)
    *_, (_, run) = solver.path(problem)
    distributions = cast(SoftFaces, run.state.targets).distribution
    scores = RepeatedVotes(votes, n_folds) @ distributions
    # Of all folds, the one in which the row is hidden.
    place = folds, np.arange(len(sets))
    hidden_targets = distributions.reshape(n_folds, len(sets), -1)[place]
    own = own_votes(judge.weights, votes, equal)
    return own.removed(scores.reshape(n_folds, len(sets), -1)[place], hidden_targets)
