"""`DaskLabelClassifier`: labels from candidate sets, for rows in the partitions of a collection."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets
from disambig.estimators.fitting import check_information
from disambig.estimators.prediction import predictor_of
from disambig.exceptions import ClusterError, MissingOracleError, warn
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.registry import bind_label_loss
from disambig.notation import AnyArray
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.solvers.checkpoints import checkpoint_key, checkpoints
from disambig.solvers.loop import Callback, Status
from disambig.solvers.solution import Solution
from disambig.votes.row_blocks import RowBlocks
from disambig.weights import NeighborWeights
from disambig.weights.registry import resolve_weights

_NAME = "DaskLabelClassifier"
# Options of the weights that the search in partitions has.
_OPTIONS = ("n_neighbors", "vote", "leave_one_out")


class DaskLabelClassifier(ClassifierMixin, BaseEstimator):
    """`PartialLabelClassifier` with neighbour votes, for rows on the workers of a Dask cluster.

    Votes and steps are those in memory: the same labels and predictions, bit for bit, for any
    partitions and any number of workers. Inputs, votes and their transpose stay in partitions on
    the workers. In a step, labels travel as one byte for each row (two or four beyond 254 classes),
    and costs of rows return. If a worker dies, the cluster computes its partitions again and the
    step is repeated.

    Candidate sets and labels are in the memory of the client. There is no selection, no held-out
    confidence, and no completion of missing cells yet: name the weights, and fill X.

    Parameters
    ----------
    weights : "neighbors" or NeighborWeights, default "neighbors"
        Options: `n_neighbors`, `vote` (a function must be importable by the workers) and
        `leave_one_out`. The search is exact, by the euclidean distance.
    loss : str, array (P, K) or loss, default "zero_one"
        As in `PartialLabelClassifier`.
    solver : "alternating" or AlternatingMinimization, default "alternating"
    classes, unlabeled
        As in `PartialLabelClassifier`.
    max_attempts : int, default 10
        How often a step is run until no worker dies in it.
    checkpoint : path, optional
        A folder in which the state is kept between steps. If the process of the fit is killed, the
        same fit with the same folder builds the votes again and goes on from the last state that
        was kept, to the same labels. The folder is empty after a fit.
    checkpoint_seconds : float, default 60
        Seconds between two states that are kept; 0 keeps all.
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every step; returning True ends the run.

    Attributes
    ----------
    classes_, predictions_, labels_, decided_, objective_, relaxed_objective_, n_iter_, converged_
        As in `PartialLabelClassifier`; arrays in memory.
    trace_, solution_, loss_, weights_, solver_, n_features_in_, feature_names_in_
        As there.
    traffic_ : dict
        What travelled between client and workers in the fit: calls, tasks, messages, bytes_sent,
        bytes_received, and repeated steps.

    Examples
    --------
    >>> from disambig.dask import DaskLabelClassifier
    >>> from disambig.weights import NeighborWeights
    >>> DaskLabelClassifier(NeighborWeights(n_neighbors=3))
    DaskLabelClassifier(weights=NeighborWeights(n_neighbors=3))

    With a collection and workers on this machine::

        import dask.array as da
        from disambig.dask import DaskLabelClassifier, local_client

        if __name__ == "__main__":  # worker processes import this file
            with local_client(2) as client:
                X = da.from_array(inputs, chunks=(100_000, -1))
                model = DaskLabelClassifier().fit(X, mask, client=client)
                predicted = model.predict(X).compute()
    """

    def __init__(
        self,
        weights: Any = "neighbors",
        *,
        loss: Any = "zero_one",
        solver: Any = "alternating",
        classes: Any = None,
        unlabeled: Any = None,
        max_attempts: int = 10,
        checkpoint: Any = None,
        checkpoint_seconds: float = 60.0,
        callback: Callback | None = None,
    ) -> None:
        self.weights = weights
        self.loss = loss
        self.solver = solver
        self.classes = classes
        self.unlabeled = unlabeled
        self.max_attempts = max_attempts
        self.checkpoint = checkpoint
        self.checkpoint_seconds = checkpoint_seconds
        self.callback = callback

    def fit(self, X: Any, y: Any, client: Any = None) -> Self:
        """Disambiguate the rows of a collection.

        Parameters
        ----------
        X : dask.array or dask.dataframe (n, d), or a folder of Parquet files
            Numbers without missing cells. The number of tasks grows with the square of the number
            of partitions: some tens are enough.
        y : collection with the partitions of X, array-like (n,), str or list of str
            Anything that `LabelSets.from_any` reads. For frames also the name of a column of X, or
            names of columns that are a mask.
        client : distributed.Client, optional
            By default the current client, and if there is none one with workers on this machine,
            which `close` ends.
        """
        from disambig.dask.cluster import client_of, require_dask

        require_dask()
        from disambig.dask.collections import (
            open_inputs,
            read_inputs,
            read_targets,
            target_columns,
        )
        from disambig.dask.executor import DaskExecutor
        from disambig.dask.graph import VotesOptions, build_graph

        weights, solver = self._weights(), self._solver()
        X = open_inputs(X)
        columns = target_columns(X, y)
        client, is_own = client_of(client)
        try:
            executor = DaskExecutor(client, max_attempts=self.max_attempts)
            inputs, own = read_inputs(executor, X, columns)
            sets = LabelSets.from_any(
                read_targets(executor, y, own, inputs.bounds),
                classes=self.classes,
                unlabeled=self.unlabeled,
            )
            check_information(sets, "disambiguation")
            loss = bind_label_loss(self.loss, sets.classes)
            self._warn_if_too_many(weights, len(sets))
            options = VotesOptions(*(getattr(weights, name) for name in _OPTIONS))
            graph = build_graph(client, inputs.parts, inputs.bounds, options)
            votes = RowBlocks(graph.blocks, graph.transposed, executor)
            problem = Problem(votes, loss, sets)
            solution = self._solved(solver, problem, loss)
        except BaseException:
            if is_own:
                client.close()
            raise
        predictor = predictor_of(problem, solution, "disambiguation", np.ones(len(sets)))
        self._predictor_ = replace(predictor, xi=predictor.xi[:0], candidates=None)
        before = vars(self)
        if before.get("_client_") is client:
            is_own = before["_is_own_client_"]
        self._client_, self._is_own_client_ = client, is_own
        # The scheduler keeps the tasks of the partitions, so that indices can be made again.
        self._inputs_ = inputs._replace(parts=())
        self._indices_, self._options_ = graph.indices, options
        self._targets_: Any = None
        self.weights_, self.solver_, self.loss_ = weights, solver, loss
        self.classes_, self.predictions_ = sets.classes, loss.predictions
        self.labels_: AnyArray = sets.classes[solution.decoded.outputs]
        self.decided_ = solution.decided
        self.solution_, self.trace_ = solution, solution.trace
        self.objective_, self.relaxed_objective_ = solution.objective, solution.relaxed_objective
        self.n_iter_, self.converged_ = solution.n_iter, solution.converged
        self.n_features_in_ = inputs.n_features
        if inputs.names is not None:
            self.feature_names_in_ = np.asarray(inputs.names, dtype=object)
        self.traffic_ = dict(executor.counts)
        executor.forget()
        return self

    def predict(self, X: Any) -> Any:
        """The prediction of least expected loss at each input, as a lazy ``dask.array`` ``(q,)``.

        It has the partitions of X, and is computed by the client of the fit, which must be open.

        Parameters
        ----------
        X : dask.array or dask.dataframe (q, d)
        """
        from disambig.dask.collections import open_inputs
        from disambig.dask.executor import check_client
        from disambig.dask.predictions import (
            PartPredictor,
            check_queries,
            lazy_predictions,
            targets_on_workers,
        )

        check_is_fitted(self)
        if self._client_ is None:
            raise ClusterError(
                f"{_NAME}: the workers of this model are closed, and its rows with them. Fit again."
            )
        check_client(self._client_)
        X = open_inputs(X)
        check_queries(X, self._inputs_)
        if self._targets_ is None:
            targets: Any = self.solution_.targets
            self._targets_ = targets_on_workers(self._client_, targets, self._inputs_.bounds)
        how = PartPredictor(
            self._predictor_,
            self.predictions_,
            self._options_,
            self._inputs_.n_features,
            self._inputs_.names,
        )
        return lazy_predictions(X, self._indices_, self._targets_, how)

    def close(self) -> None:
        """Free the partitions on the workers, and end workers that the fit has started itself."""
        check_is_fitted(self)
        if self._client_ is not None and self._is_own_client_:
            self._client_.close()
        self._client_, self._indices_, self._targets_ = None, (), None

    def __getstate__(self) -> Any:
        # Futures and clients are of this process.
        state = dict(super().__getstate__())
        if "_client_" in state:
            state |= {"_client_": None, "_indices_": (), "_targets_": None}
            state["_is_own_client_"] = False
        return state

    def _solved(
        self, solver: AlternatingMinimization, problem: Problem, loss: FiniteLoss
    ) -> Solution:
        if self.checkpoint is None:
            return solver.solve(problem, callback=self.callback)
        key = checkpoint_key(
            [
                problem.prediction_tolerance,
                problem.target_tolerance,
                problem.candidates.mask,
                problem.candidates.weights,
                loss.matrix,
                solver.start if isinstance(solver.start, np.ndarray) else None,
                solver,
            ]
        )
        with checkpoints(self.checkpoint, key, self.checkpoint_seconds) as kept:
            solution = solver.solve(problem, callback=self.callback)
            if solution.status is not Status.STOPPED:
                kept.remove()
        return solution

    def _weights(self) -> NeighborWeights:
        weights = self.weights
        if isinstance(weights, str) and weights == "auto":
            raise MissingOracleError(
                f"{_NAME}: weights='auto' is not selected on Dask. Select in memory, on a sample "
                "of the rows, and name the weights here, as NeighborWeights(n_neighbors=10)."
            )
        found = resolve_weights(weights)
        if not isinstance(found, NeighborWeights):
            raise MissingOracleError(
                f"{_NAME}: weights must be 'neighbors' or NeighborWeights; got "
                f"{type(found).__name__}, which is not built in partitions yet. Fit it in memory."
            )
        found._check_parameters()
        expected = NeighborWeights()
        for name, value in found.get_params().items():
            exact = name == "algorithm" and value != "approximate"
            # Squared distances have the same neighbours, but other votes by distance.
            plain = name == "metric" and found._euclidean and value != "sqeuclidean"
            if name in _OPTIONS or exact or plain or value == getattr(expected, name):
                continue
            if name in ("min_recall", "random_state", "n_jobs"):
                continue
            raise MissingOracleError(
                f"{_NAME}: NeighborWeights({name}={value!r}) is not built in partitions yet. Use "
                f"{name}={getattr(expected, name)!r}, or fit in memory."
            )
        return found

    def _warn_if_too_many(self, weights: NeighborWeights, n: int) -> None:
        others = n - 1 if weights.leave_one_out else n
        if weights.n_neighbors > others:
            warn(
                f"{_NAME}: n_neighbors={weights.n_neighbors} is more than the {others} rows that "
                "can vote at a row: all of them vote.",
                UserWarning,
            )

    def _solver(self) -> AlternatingMinimization:
        if isinstance(self.solver, str) and self.solver in ("auto", "alternating"):
            return AlternatingMinimization()
        if isinstance(self.solver, AlternatingMinimization):
            return self.solver
        raise MissingOracleError(
            f"{_NAME}: solver must be 'alternating' or AlternatingMinimization; got "
            f"{self.solver!r}, whose steps do not run in partitions yet."
        )
