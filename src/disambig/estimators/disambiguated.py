"""What the estimators share that alternate between any model of scikit-learn and its targets."""

import numbers
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator

from disambig.estimators.alternation.held_out import (
    OUT_OF_BAG,
    by_folds,
    in_sample,
    out_of_bag,
    require_bags,
    unit_splits,
    units_of,
)
from disambig.estimators.alternation.loop import Alternation, HeldOut, Iterate, Task, alternate
from disambig.estimators.alternation.training import accepts_missing, weight_keyword
from disambig.estimators.fitting import validated_inputs
from disambig.estimators.mixture import is_judged
from disambig.estimators.progress.following import FollowedMixin
from disambig.estimators.progress.reporting import current_callback
from disambig.estimators.queries.mixins import InputShiftMixin
from disambig.estimators.queries.notebook_view import NotebookMixin
from disambig.estimators.queries.training_inputs import training_inputs
from disambig.estimators.rows.kept import (
    KeptRows,
    checked_groups,
)
from disambig.estimators.shared_parameters import ComponentParameters, check_tolerance
from disambig.exceptions import warn
from disambig.notation import BoolArray, FloatArray
from disambig.parameters import (
    check_callback,
    check_choice,
    check_integer,
    check_jobs,
    check_number,
)
from disambig.solvers.loop import Callback, Progress, Status
from disambig.weights.registry import is_pairwise

STARTS = ("average", "votes")


class DisambiguatedEstimator(
    NotebookMixin, FollowedMixin, InputShiftMixin, ComponentParameters, BaseEstimator, ABC
):
    """Alternate between any scikit-learn estimator and the targets that it is trained on.

    A subclass reads y, makes a `Task` and a start, and stores the labels.
    """

    estimator: Any
    start: str
    weights: Any
    method: str
    max_iter: int
    cv: Any
    tolerance: Any
    resolve_at: float
    decided_: BoolArray
    confidence_: FloatArray
    random_state: Any
    n_jobs: int | None
    callback: Callback | None
    verbose: int
    # What predicts, in errors: "classifier" or "regressor".
    _role: ClassVar[str]
    # Parameters of the start by votes, with their defaults.
    _of_votes: ClassVar[dict[str, Any]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        inner = self._template()
        if hasattr(inner, "__sklearn_tags__"):
            tags.input_tags.sparse = inner.__sklearn_tags__().input_tags.sparse
            tags.input_tags.allow_nan = self._accepts_missing()
        return tags

    @abstractmethod
    def _template(self) -> Any:
        """The estimator of the user, or the default one."""

    # ------------------------------------------------------------------ parameters and inputs

    def _check_parameters(self) -> None:
        name = type(self).__name__
        check_choice(name, "start", self.start, STARTS)
        check_integer(name, "max_iter", self.max_iter, least=0)
        check_number(name, "resolve_at", self.resolve_at, most=1)
        check_tolerance(name, self.tolerance, self.method)
        check_callback(name, self.callback)
        check_integer(name, "verbose", self.verbose, least=0)
        check_jobs(name, self.n_jobs)
        if isinstance(self.cv, numbers.Number):
            check_integer(name, "cv", self.cv, least=2)
        elif isinstance(self.cv, str):
            check_choice(name, "cv", self.cv, (OUT_OF_BAG,), "or a number of folds")
        template = self._template()
        if isinstance(template, type) or not hasattr(template, "fit"):
            raise TypeError(
                f"{name}: estimator must be a {self._role} of scikit-learn, with a method fit; got "
                f"{template!r}."
            )
        if hasattr(template, "__sklearn_tags__"):
            kind = template.__sklearn_tags__().estimator_type
            if kind in {"classifier", "regressor"} - {self._role}:
                raise TypeError(
                    f"{name}: estimator must be a {self._role}; got the {kind} {template!r:.200}."
                )
        if is_pairwise(self.weights):
            raise ValueError(
                f"{name} needs inputs that its {self._role} can learn from; X cannot hold "
                f"precomputed pairs. Recover the labels with them first, then fit the "
                f"{self._role} on labels_."
            )
        if self.start == "votes":
            return
        for parameter, default in self._of_votes.items():
            given = getattr(self, parameter)
            if given is not default and not (isinstance(given, str) and given == default):
                raise ValueError(
                    f"{name}: {parameter} is a parameter of start='votes' and has no effect with "
                    f"start={self.start!r}; got {given!r}. Leave it at {default!r}, or use "
                    "start='votes'."
                )

    def _accepts_missing(self) -> bool:
        return accepts_missing(self._template())

    def _checked(self, X: Any, *, reset: bool) -> Any:
        try:
            return validated_inputs(self, X, reset=reset, missing=self._accepts_missing())
        except ValueError as error:
            if ": nan (" in str(error):
                raise ValueError(
                    f"{error} {type(self._template()).__name__} cannot read missing values."
                ) from error
            raise

    def _require_sample_weight(self, advice: str) -> None:
        template = self._template()
        if weight_keyword(template) is None:
            raise ValueError(
                f"{type(template).__name__}.fit takes no sample_weight. Choose a {self._role} that "
                f"does, or {advice}."
            )

    @staticmethod
    def _inner_inputs(X: Any, checked: Any) -> Any:
        # Data frames are passed on unchanged, so that a pipeline inside can select columns by name.
        return X if hasattr(X, "columns") else checked

    def _queries(self, X: Any) -> Any:
        return self._inner_inputs(X, self._checked_queries(X))

    def _remember(self, X: Any, kept: KeptRows) -> None:
        """Keep what new inputs are compared with."""
        self._training_inputs_ = training_inputs(X, kept.rows, kept.groups) if is_judged() else None

    # ------------------------------------------------------------------ the fit

    def _without_votes(self, n: int) -> None:
        """What holds of n rows if there are no votes, or before these."""
        self.disambiguator_: Any = None
        self.tolerance_: float = np.inf
        self.outside_: BoolArray = np.zeros(n, dtype=np.bool_)

    def _start_by_votes(
        self, disambiguator: Any, X: Any, y: Any, weights: Any, groups: Any
    ) -> None:
        """Fit the disambiguator on checked inputs, with what all disambiguators share."""
        disambiguator.set_params(
            **{name: getattr(self, name) for name in self._of_votes if name != "undecided"},
        )
        with config_context(assume_finite=True):
            self.disambiguator_ = disambiguator.fit(X, y, sample_weight=weights, groups=groups)
        self.tolerance_, self.outside_ = disambiguator.tolerance_, disambiguator.outside_

    def _held_out(
        self, task: Task, checked: Any, kept: KeptRows, candidates: Any, groups: Any
    ) -> HeldOut | None:
        """How rows are predicted; None if no other row can predict them."""
        name = type(self).__name__
        if groups is not None:
            groups = checked_groups(groups, kept.n)
        if groups is not None and (self.cv is None or self.max_iter == 0):
            raise ValueError(
                f"{name}: groups keep rows together in the folds of cv, and there are none with "
                f"cv={self.cv!r} and max_iter={self.max_iter!r}. Leave groups out."
            )
        if self.cv is None:
            return in_sample(task)
        inputs = checked if kept.all_rows else checked[kept.rows]
        units = units_of(inputs, None if groups is None else groups[kept.rows])
        if isinstance(self.cv, str):
            require_bags(self._template())
            return out_of_bag(task, units) if units.any() else None
        splits = unit_splits(
            name,
            self.cv,
            units,
            kept=kept,
            candidates=candidates,
            groups=groups,
            random_state=self.random_state,
        )
        return by_folds(task, splits, self.n_jobs) if splits else None

    def _alternate(
        self, task: Task, start: Iterate, held_out: HeldOut | None, kept: KeptRows, is_open: bool
    ) -> Alternation:
        """Run the rounds, train the final model on the best targets, and store both.

        Parameters
        ----------
        task, start : of the rows that take part
        held_out : callable or None
            How rows are predicted.
        kept : KeptRows
        is_open : bool
            Whether some row has several possible targets; otherwise there is nothing to choose.
        """
        votes = self.disambiguator_
        earlier = () if votes is None else votes.trace_
        # A mixture has no solution of its own.
        solution = None if votes is None else votes.solution_
        status = Status.CONVERGED if solution is None else solution.status
        runs = is_open and self.max_iter > 0 and status is not Status.STOPPED
        if runs and held_out is not None:
            found = alternate(
                task,
                start,
                held_out,
                max_iter=int(self.max_iter),
                # Copies of a row leave few members that were trained without all of them.
                soft_rounds=1 if isinstance(self.cv, str) else None,
                keep_last=self.cv is None,
                callback=current_callback(),
            )
            found = replace(found, trace=(*earlier, *found.trace))
            self.estimator_ = task.fit(found.iterate)
        else:
            self.estimator_ = task.fit(start)
            predictions = task.predict(self.estimator_)
            objective = task.objective(predictions)
            # Where there is nothing to choose, the first round is the last.
            n_iter = min(1, int(self.max_iter))
            entry = Progress(start.stage, 0, objective, task.undecided(start), "alternation", 0)
            trace = (*earlier, entry)
            found = Alternation(start, predictions, objective, 0, n_iter, status, trace)
        self._alternated_ = runs and held_out is not None
        self.solution_ = found
        self.objective_ = self.relaxed_objective_ = found.objective
        self.n_iter_, self.converged_, self.trace_ = found.n_iter, found.converged, found.trace
        self.certified_ = False
        self.training_rows_ = kept.rows[found.iterate.known]
        self.trials_ = () if votes is None else votes.trials_
        self.weights_ = None if votes is None else votes.weights_
        self.solver_ = None if votes is None else votes.solver_
        return found

    def _take_from(self, votes: Any, *names: str) -> None:
        """Take what the start by votes has stored: no round changed it."""
        for name in (*names, "confidence_", "confidence_kind_", "decided_", "labels_"):
            setattr(self, name, getattr(votes, name))

    def _store_resolved(self) -> None:
        """Which rows are resolved, and who judged them."""
        if self._alternated_ or self.disambiguator_ is None:
            # The targets of the other rows were chosen when the set of the row was in play.
            judged = self._alternated_ and self.cv is not None
            self.confidence_kind_ = "leave-one-out" if judged else "in-sample"
        self.resolved_ = self.decided_ & (self.confidence_ >= self.resolve_at)

    def _decided_rows(self, decided: BoolArray, undecided: str, what: dict[str, str]) -> Any:
        """Rows that the first models are trained on, of those that take part; warns of others."""
        n_open = int(np.count_nonzero(~decided))
        if n_open:
            warn(
                f"{n_open} of {len(decided)} rows are not decided by the votes; "
                f"{what[undecided]} (undecided={undecided!r}).",
                UserWarning,
            )
        solution = self.disambiguator_.solution_
        is_stopped = solution is not None and solution.status is Status.STOPPED
        # A run that a callback has ended may decide nothing, and its choice is all that there is.
        if undecided != "exclude" or (is_stopped and not decided.any()):
            return np.ones(len(decided), dtype=np.bool_)
        if not decided.any():
            raise ValueError(
                "No row is decided by the votes, so there is no target to train on. Use "
                "undecided='include', start='average', other weights, or give more informative "
                "sets."
            )
        return decided
