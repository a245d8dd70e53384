"""`disambiguate`: recover labels from candidate sets without fitting a predictor.

Also the checks and the solving step that `PartialLabelClassifier` shares with it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.fitting import (
    check_lengths,
    check_method,
    checked_inputs,
    fit_weightings,
    kept_rows,
    solve,
)
from disambig.estimators.probabilities import candidate_shares
from disambig.estimators.selection import resolve_weights_and_solver
from disambig.exceptions import NoInformationError, UnusedClassWarning, warn
from disambig.losses import CodedFaces, FiniteLoss, LabelFaces, resolve_loss
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.problem import Problem
from disambig.solvers import Callback, Progress, Solution, resolve_solver
from disambig.threads import limit_threads
from disambig.votes import Votes, as_votes


@dataclass(frozen=True, eq=False, repr=False)
class Disambiguation:
    """Recovered labels with their confidence.

    Attributes
    ----------
    sets : LabelSets
        The candidate sets.
    loss : FiniteLoss
    distribution : float array (n, K)
        The relaxed solution; a predictor should learn from it.
    solution : Solution
        The result of the solver.

    Examples
    --------
    >>> from disambig import disambiguate
    >>> near = [[0.5, 0.5, 0.0], [0.3, 0.4, 0.3], [0.0, 0.5, 0.5]]
    >>> found = disambiguate([[0.0], [0.1], [0.2]], [{"a"}, {"a", "b"}, {"a", "b"}], weights=near)
    >>> found.labels.tolist(), found.resolved.tolist()
    (['a', 'a', 'a'], [True, True, True])
    """

    sets: LabelSets
    loss: FiniteLoss
    distribution: FloatArray
    solution: Solution
    _leave_one_out: Callable[[FloatArray], FloatArray]

    def __repr__(self) -> str:
        return (
            f"Disambiguation({len(self.sets)} rows, {len(self.classes)} classes, "
            f"{np.count_nonzero(self.resolved)} resolved, objective {self.objective:.6g}, "
            f"{self.solution.status.value})"
        )

    @property
    def classes(self) -> AnyArray:
        """The K classes."""
        return self.sets.classes

    @cached_property
    def labels(self) -> AnyArray:
        """The recovered label of every row, ``(n,)``."""
        labels: AnyArray = self.classes[self.solution.decoded.outputs]
        return labels

    @cached_property
    def resolved(self) -> BoolArray:
        """Rows whose label the data decide; the solver chose the others by a fixed rule."""
        return self.solution.resolved

    @cached_property
    def label_distributions(self) -> FloatArray:
        """Positive leave-one-out votes within each set, divided by their sum, ``(n, K)``."""
        votes = self._leave_one_out(self.distribution)
        return candidate_shares(votes, self.sets.mask, self.sets.distribution())

    @cached_property
    def confidence(self) -> FloatArray:
        """The share of the leave-one-out votes that agree with each label, ``(n,)``."""
        chosen = self.solution.decoded.outputs
        shares: FloatArray = self.label_distributions[np.arange(len(chosen)), chosen]
        return shares

    @property
    def objective(self) -> float:
        """The objective at `labels`."""
        return self.solution.objective

    @property
    def relaxed_objective(self) -> float:
        """The objective before undecided rows are decoded, at `distribution`.

        For baselines it is taken at the candidates nearest to the prediction of each row.
        """
        return self.solution.relaxed_objective

    @property
    def n_iter(self) -> int:
        """Iterations of the winning start."""
        return self.solution.n_iter

    @property
    def converged(self) -> bool:
        """Whether the solver converged."""
        return self.solution.converged

    @property
    def trace(self) -> tuple[Progress, ...]:
        """One `Progress` for every iteration."""
        return self.solution.trace


@limit_threads(0)
def disambiguate(
    X: Any,
    y: Any,
    *,
    weights: Any = "auto",
    loss: Any = "zero_one",
    method: str = "disambiguation",
    solver: Any = "auto",
    classes: Any = None,
    unlabeled: Any = None,
    sample_weight: Any = None,
    callback: Callback | None = None,
) -> Disambiguation:
    """Find labels inside the sets that are as close as possible to a function of the inputs.

    Parameters
    ----------
    X : array-like or sparse matrix (n, d), or None
        Inputs. If `weights` are votes, only the number of rows is checked, and None is allowed.
    y : array-like, n rows
        Candidate sets in any form that `LabelSets.from_any` reads.
    weights : str, weighting, callable, array, sparse matrix or operator, default "auto"
        "auto" selects a weighting without true labels (see `PartialLabelClassifier`). Or a
        weighting of `disambig.weights`, or your own votes ``(n, n)``: any object with ``@``, ``T``
        and ``shape``.
    loss : str, array or loss, default "zero_one"
        A name, a matrix, or a loss of `disambig.losses`.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        The paper's method, or one of the two baselines it is compared with.
    solver : str or solver, default "auto"
        "auto" is selected together with ``weights="auto"``, and is "alternating" with other
        weights.
    classes, unlabeled
        See `LabelSets.from_any`.
    sample_weight : array-like (n,), optional
        w means w copies of a row. Weights of zero raise an error: leave such rows out.
    callback : callable, optional
        Called with a `Progress` after every iteration; returning True stops.

    Returns
    -------
    Disambiguation

    Examples
    --------
    >>> from disambig import disambiguate
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> found = disambiguate(X, y, weights=NeighborWeights(n_neighbors=3))
    >>> found.labels.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """
    check_method(method)
    sets = LabelSets.from_any(y, classes=classes, unlabeled=unlabeled)
    bound = resolve_loss(loss).bind(sets.classes)
    if _are_votes(weights):
        if X is not None:
            check_lengths(X, sets)
        votes = as_votes(weights, shape=(len(sets), len(sets)))
        if sample_weight is not None:
            raise ValueError(
                "sample_weight cannot be combined with your own votes, which already determine "
                "how much each row counts. Scale rows and columns of the votes instead."
            )
        return disambiguate_labels(
            votes,
            partial(_without_own_vote, votes),
            sets,
            bound,
            method,
            "alternating" if isinstance(solver, str) and solver == "auto" else solver,
            callback,
        )
    if X is None:
        raise ValueError(
            "X is None: the weighting needs inputs. Pass X, or your own votes (n, n) as weights."
        )
    X = checked_inputs(X)
    check_lengths(X, sets)
    kept = kept_rows(sample_weight, X)
    if not kept.all_rows:
        row = int(np.setdiff1d(np.arange(kept.n), kept.rows)[0])
        raise ValueError(
            f"sample_weight: row {row} has weight 0 ({kept.n - kept.rows.size} such rows) and "
            "would take no part. Leave such rows out of X and y."
        )
    weights, solver, _ = resolve_weights_and_solver(weights, solver, X, kept, sets, bound, method)
    fitted = fit_weightings(weights, None, X, kept, informed_rows(sets, method))
    return disambiguate_labels(
        fitted.training_votes(),
        fitted.leave_one_out,
        sets,
        bound,
        method,
        solver,
        callback,
        kept.weights,
    )


def disambiguate_labels(
    votes: Votes,
    leave_one_out: Callable[[FloatArray], FloatArray],
    sets: LabelSets,
    loss: FiniteLoss,
    method: str,
    solver: Any,
    callback: Callback | None,
    sample_weight: FloatArray | None = None,
) -> Disambiguation:
    """Check that the sets are informative, and run the method."""
    check_information(sets, method)
    problem = Problem(votes, loss, sets, sample_weight=sample_weight)
    solution, _ = solve(problem, method, resolve_solver(solver), callback)
    if method == "average":
        distribution = sets.distribution()
    else:
        faces = solution.decoded if method == "infimum" else solution.targets
        distribution = cast(LabelFaces | CodedFaces, faces).distribution
    return Disambiguation(sets, loss, distribution, solution, leave_one_out)


def informed_rows(sets: LabelSets, method: str) -> BoolArray | None:
    """Informative rows of a baseline, which learns from the sets; None for disambiguation.

    Disambiguation recovers the labels of all rows, so that all of them vote.
    """
    return None if method == "disambiguation" else _informative(sets, method)


def _informative(sets: LabelSets, method: str) -> BoolArray:
    if sets.weights is not None and method == "average":
        # The average learns from the weights themselves: they may all be positive.
        unequal: BoolArray = np.ptp(sets.weights, axis=1) > 0
        return unequal
    return sets.informative


def check_information(sets: LabelSets, method: str) -> None:
    """Raise an error if no set excludes a class; warn of classes that are never a candidate."""
    informative = _informative(sets, method)
    if sets.n_classes > 1 and not informative.any() and sets.weights is not None:
        raise NoInformationError(
            f"y: all {len(sets)} rows give every class a positive weight, so that no set excludes "
            "a class (every class of positive weight is a candidate). Set small weights to 0, or "
            "use method='average', which learns from the weights themselves."
        )
    if sets.n_classes > 1 and not informative.any():
        raise NoInformationError(
            f"y: none of the {len(sets)} rows excludes a class, so there is nothing to learn from. "
            "Label at least one row, or narrow some sets."
        )
    unused = sets.unused_classes
    if len(unused):
        names = ", ".join(map(repr, unused[:5].tolist())) + (", ..." if len(unused) > 5 else "")
        warn(
            f"{len(unused)} of {sets.n_classes} classes are never a candidate ({names}); they keep "
            "probability 0.",
            UnusedClassWarning,
        )


def _are_votes(weights: Any) -> bool:
    return isinstance(weights, list) or (
        hasattr(weights, "shape") and hasattr(weights, "__matmul__")
    )


def _without_own_vote(votes: Votes, values: FloatArray) -> FloatArray:
    return votes @ values - votes.diagonal()[:, None] * values
