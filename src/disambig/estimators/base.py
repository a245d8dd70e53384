"""The base of all estimators: one `fit` for every kind of target.

A subclass provides what differs between kinds: how y is read (`_read`) and how a solution becomes
labels (`_store`). It may replace when y says nothing, what "auto" means, the problem and the
solver.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from disambig.estimators.completion.choice import completed_trials
from disambig.estimators.completion.completing import completed_inputs, completed_rows, single_sets
from disambig.estimators.fitting import (
    Fit,
    FittedWeightings,
    check_lengths,
    check_taken_inputs,
    fit_weightings,
    validated_inputs,
)
from disambig.estimators.mixture import FittedMixture, Mixture, is_judged
from disambig.estimators.progress.following import FollowedMixin
from disambig.estimators.progress.reporting import current_callback
from disambig.estimators.queries.mixins import VotingMixin
from disambig.estimators.queries.notebook_view import NotebookMixin
from disambig.estimators.queries.training_inputs import training_inputs
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_inputs,
    kept_rows,
)
from disambig.estimators.rows.parts_choice import chosen_for, gathered_if_few
from disambig.estimators.selection.protocol import SelectionKind, Trial
from disambig.estimators.selection.search import Selection, select
from disambig.estimators.selection.space import SEARCH_SPACE, SearchSpace
from disambig.estimators.shared_parameters import ComponentParameters, check_call
from disambig.estimators.tolerance.relearning import tolerate
from disambig.inputs.completed_weights import plain_weights
from disambig.inputs.completion import Completion
from disambig.memory import read_once
from disambig.notation import BoolArray, FloatArray
from disambig.solvers import AlternatingMinimization, Solution, Solver
from disambig.solvers.baselines import run_baseline
from disambig.solvers.kept_solves import kept_solve
from disambig.solvers.loop import Callback
from disambig.solvers.registry import resolve_solver
from disambig.votes import Votes
from disambig.weights.registry import is_pairwise, reads_missing, resolve_weights


@contextmanager
def continued(estimator: Any, earlier: Any) -> Iterator[None]:
    """Let the next fit of an estimator start from the solution of an earlier one.

    Both have the same components and rows; sets of some rows may differ. The trials of the
    selection are taken over, so that the same weightings judge. An estimator of another family, or
    one without a solution (a mixture), is fitted as usual.

    Parameters
    ----------
    estimator : unfitted estimator
    earlier : fitted estimator
    """
    takes_part = isinstance(estimator, CandidateEstimator)
    if takes_part:
        estimator._earlier = earlier
    try:
        yield
    finally:
        if takes_part:
            del estimator._earlier


class CandidateEstimator(
    NotebookMixin, FollowedMixin, VotingMixin, ComponentParameters, BaseEstimator, ABC
):
    """An estimator that learns from candidate sets.

    Constructor parameters that all share: `weights`, `predict_weights`, `loss`, `method`,
    `solver`, `unlabeled`, `tolerance`, `resolve_at`, `time_limit`, `callback`, `verbose`.
    Attributes that all have after ``fit``: `labels_`, `confidence_`, `confidence_kind_`,
    `decided_`, `resolved_`, `outside_`, `tolerance_`, `objective_`, `relaxed_objective_`,
    `n_iter_`, `converged_`, `certified_`, `trace_`, `solution_`, `trials_`, `loss_`, `weights_`,
    `predict_weights_`, `solver_`; `members_` and `shares_` where members can be mixed.

    X may have missing cells, NaN. `completion_` says how they are completed (`completed_inputs`);
    it is None for pairs of rows. Rows in which every cell is missing, `without_input_` ``(n,)``,
    take no part: their label follows from their set and the frequencies of the recovered targets.
    """

    weights: Any
    predict_weights: Any
    loss: Any
    method: str
    solver: Any
    tolerance: Any
    resolve_at: float
    time_limit: float | None
    callback: Callback | None
    verbose: int
    decided_: BoolArray
    confidence_: FloatArray
    outside_: BoolArray
    tolerance_: float
    # What ``weights="auto"`` tries, and whether it may mix several members.
    _search_space: SearchSpace = SEARCH_SPACE
    _mixes: ClassVar[bool] = False
    _instead_of_y: ClassVar[str] = ""
    # The fitted estimator that a refit continues, for one fit; see `continued`.
    _earlier: "CandidateEstimator | None" = None
    loss_: Any
    members_: tuple[Any, ...]
    shares_: FloatArray
    completion_: Completion | None
    without_input_: BoolArray
    # The best trials of ways to complete inputs that were not chosen, during a fit.
    _ways_: tuple[Trial, ...]
    infimum_is_exact_: bool | None
    _predictor_: Any
    # For `tolerance`: what others predict for all rows, and the sets of the user if wider ones
    # are learned from.
    _others_: Any
    _given_: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # What reads NaN decides about sparse inputs, too.
        weights = plain_weights(self.weights)
        reads = reads_missing(weights)
        tags.input_tags.sparse = not reads or get_tags(resolve_weights(weights)).input_tags.sparse
        tags.input_tags.pairwise = is_pairwise(self.weights)
        tags.input_tags.allow_nan = not tags.input_tags.pairwise
        return tags

    # ------------------------------------------------------------------ what a kind provides

    @abstractmethod
    def _read(self, y: Any) -> Any:
        """The candidate sets of y; sets `loss_` and the names of the outputs."""

    @abstractmethod
    def _store(self, fit: Fit) -> None:
        """Store the labels, and what prediction needs."""

    # ------------------------------------------------------------------ what a kind may replace

    def _check_information(self, candidates: Any) -> None:
        """Raise `NoInformationError` if no set excludes anything."""

    def _prepare(self, kept: KeptRows, taken: Any) -> None:
        """Read parameters that need to know the rows that take part."""

    def _kept(self, sample_weight: Any, X: Any, candidates: Any, groups: Any) -> KeptRows:
        """Rows that take part."""
        return kept_rows(sample_weight, X, groups)

    def _informed(self, candidates: Any) -> BoolArray | None:
        """Rows that may vote, for weightings in which only informed rows do; None: all."""
        return None

    def _selection_kind(self, taken: Any, solver: Solver | None) -> SelectionKind | None:
        """What the selection of ``weights="auto"`` tries; None: `_fixed_weights` are used."""
        return None

    def _space_for(self, taken: Any) -> SearchSpace:
        """What the selection tries."""
        return self._search_space

    def _fixed_weights(self, kept: KeptRows, taken: Any) -> Any:
        """The weights that "auto" means where nothing is selected."""
        return "neighbors"

    def _named_solver(self) -> Solver | None:
        """The solver of the user; None for "auto"."""
        return resolve_solver(self.solver)

    def _chosen(self, selection: Selection) -> tuple[Any, Solver | None]:
        """Weights and solver of a selection."""
        return selection.weights, selection.solver

    def _learn_mixture(
        self, mixture: Mixture, X: Any, kept: KeptRows, candidates: Any, taken: Any
    ) -> None:
        """Fit the members of a mixture, and store labels and what prediction needs."""
        raise ValueError(f"{type(self).__name__}: weights cannot be a Mixture.")

    def _balanced(
        self, weightings: FittedWeightings, solver: Solver | None, kept: KeptRows, taken: Any
    ) -> tuple[FittedWeightings, Solver | None]:
        """Weightings and solver that keep what is known of all rows together."""
        return weightings, solver

    def _problem(self, weightings: FittedWeightings, votes: Votes, taken: Any) -> Any:
        """The problem of the rows that take part."""
        return weightings.problem(votes, self.loss_, taken)

    def _suited_solver(self, problem: Any) -> Solver:
        """The solver that "auto" means for a problem."""
        return AlternatingMinimization()

    def _tolerate(self, X: Any, kept: KeptRows, candidates: Any, taken: Any) -> None:
        """Let targets leave their sets at the price `tolerance`, after a fit in which none does.

        Sets `tolerance_`, the price in use, and `outside_`.
        """
        tolerate(self, X, kept, candidates)

    def _run_baseline(self, problem: Any, votes: Votes) -> Solution:
        """The solution of ``method="infimum"`` or ``"average"``."""
        solution, self.infimum_is_exact_ = run_baseline(problem, self.method)
        return solution

    # ------------------------------------------------------------------ shared

    def _checked(self, X: Any, *, reset: bool) -> Any:
        return validated_inputs(self, X, reset=reset, missing=not is_pairwise(self.weights))

    def _completed(self, X: Any) -> Any:
        # Estimators that were saved by earlier versions have none.
        completion = getattr(self, "completion_", None)
        return X if completion is None else completed_rows(X, completion)

    def _choose(self, X: Any, kept: KeptRows, taken: Any) -> tuple[Any, Solver | None, Any]:
        """Weights, solver (None: by `_suited_solver`) and trials."""
        solver = self._named_solver()
        weights = plain_weights(self.weights)
        if not (isinstance(weights, str) and weights == "auto"):
            return weights, solver, ()
        kind = self._selection_kind(taken, solver)
        if kind is None:
            return self._fixed_weights(kept, taken), solver, ()
        found = select(
            kind,
            kept_inputs(X, kept),
            kept.sample_weight,
            self._space_for(taken),
            groups=kept.groups,
            time_limit=self.time_limit,
        )
        return *chosen_for(self, found, X, kept), found.records

    def _of_member(self, member: Any) -> tuple[Any, Solver | None]:
        """Weights and solver of a member of a mixture that is used alone."""
        return member.weights, member._named_solver()

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        check_call(self, y)
        X = self._checked(X, reset=True)
        with read_once():
            candidates = self._read(y)
            check_lengths(X, candidates)
            X = gathered_if_few(self, X)
            kept = self._kept(sample_weight, X, candidates, groups)
            taken = candidates if kept.all_rows else candidates[kept.rows]
            self._check_information(taken)
            self._prepare(kept, taken)
            given, X = X, completed_inputs(self, X, kept, taken)
            check_taken_inputs(X, kept, is_pairwise(self.weights))
            # The entries of X are checked; see `weights/inputs.py`.
            self.confidence_kind_ = "leave-one-out"
            self.tolerance_ = np.inf
            self.outside_ = np.zeros(len(candidates), dtype=np.bool_)
            with config_context(assume_finite=True):
                self._learn(X, kept, candidates, taken)
                if self.tolerance is not None:
                    self._tolerate(X, kept, candidates, taken)
        pairwise = is_pairwise(self.weights)
        self._training_inputs_ = None
        if is_judged():
            self._training_inputs_ = training_inputs(
                given, kept.rows, kept.groups, pairwise=pairwise
            )
        # Nothing else needs them, and those of orders are large.
        for attribute in ("_others_", "_ways_"):
            self.__dict__.pop(attribute, None)
        self.decided_ &= ~self.without_input_ | single_sets(candidates)
        self.resolved_: BoolArray = self.decided_ & (self.confidence_ >= self.resolve_at)

    def _learn(self, X: Any, kept: KeptRows, candidates: Any, taken: Any) -> None:
        """Choose weights and solver, then learn, from checked inputs."""
        # Parameters are resolved before the votes, which take the most time.
        weights, solver, trials = self._choose(X, kept, taken)
        self.trials_ = completed_trials(trials, self.completion_, self._ways_)
        start = None
        if self._earlier is not None:
            start, self.trials_ = self._earlier.solution_, self._earlier.trials_
        self._learn_with(weights, solver, X, kept, candidates, taken, start)

    def _learn_with(
        self,
        weights: Any,
        solver: Solver | None,
        X: Any,
        kept: KeptRows,
        candidates: Any,
        taken: Any,
        start: Solution | None = None,
    ) -> None:
        """Votes, problem, solution and labels, with weights and solver that are chosen."""
        self._mixture_: FittedMixture | None = None
        if self._mixes:
            self.members_, self.shares_ = (), np.zeros(0)
        if isinstance(weights, Mixture):
            self._check_mixture()
            self._learn_mixture(weights, X, kept, candidates, taken)
            return
        weightings = fit_weightings(
            weights,
            self.predict_weights,
            X,
            kept,
            self._informed(candidates),
            recovers=self.method == "disambiguation",
        )
        weightings, solver = self._balanced(weightings, solver, kept, taken)
        self.weights_, self.predict_weights_ = weightings.weights, weightings.predict_weights
        self._weightings_ = weightings
        votes = self.weights_.training_votes()
        problem = self._problem(weightings, votes, taken)
        self.solver_: Solver | None = None
        self.infimum_is_exact_ = None
        if self.method == "disambiguation":
            self.solver_ = self._suited_solver(problem) if solver is None else solver
            with kept_solve(problem, self.solver_, start):
                solution = self.solver_.solve(problem, start=start, callback=current_callback())
        else:
            solution = self._run_baseline(problem, votes)
        self.solution_: Solution | None = solution
        self.objective_ = solution.objective
        self.relaxed_objective_ = solution.relaxed_objective
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        self.certified_ = solution.certified
        self.trace_ = solution.trace
        self._store(Fit(X, kept, candidates, taken, weightings, votes, problem, solution))

    def _check_mixture(self) -> None:
        """Refuse parameters that a mixture could only ignore."""
        others = {"predict_weights": None, "method": "disambiguation", "solver": "auto"}
        for name, expected in others.items():
            if getattr(self, name) != expected:
                raise ValueError(
                    f"{type(self).__name__}: {name}={getattr(self, name)!r} cannot be combined "
                    f"with a Mixture, whose members have their own. Set it in the members, and "
                    f"use {name}={expected!r}."
                )

    def _store_mixture(self, mixture: Mixture, fitted: FittedMixture, objective: float) -> None:
        """Attributes of a mixture that do not depend on the kind.

        Parameters
        ----------
        mixture : Mixture
        fitted : FittedMixture
        objective : float
            The mean loss of its held-out predictions to the sets of the informative rows.
        """
        self._mixture_ = fitted
        self.members_, self.shares_ = fitted.members, fitted.shares
        mixture, is_whole = mixture.first(len(fitted.members))
        self.weights_ = self.predict_weights_ = mixture
        self.solver_ = self.solution_ = self.infimum_is_exact_ = None
        self.objective_ = self.relaxed_objective_ = objective
        self.n_iter_ = sum(int(getattr(member, "n_iter_", 0)) for member in fitted.members)
        converged = all(getattr(member, "converged_", True) for member in fitted.members)
        self.converged_ = is_whole and converged
        self.certified_, self.trace_ = False, ()
