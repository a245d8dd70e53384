"""`DaskEstimator`: an estimator on rows in the partitions of a Dask collection."""

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from disambig.dask.cluster import client_of, require_dask
from disambig.estimators.rows.parts_choice import gathered_if_few
from disambig.estimators.rows.parts_estimator import PartsEstimator, rows_key
from disambig.exceptions import ClusterError
from disambig.solvers.kept_solves import keeping_solves
from disambig.solvers.loop import Status
from disambig.weights.divided.neighbors import DividedNeighbors
from disambig.weights.divided.rows import DividedRows
from disambig.weights.registry import reads_parts

_NAME = "DaskEstimator"


def dask_rows(X: Any, client: Any = None, *, max_attempts: int = 10) -> DividedRows:
    """A Dask collection as rows that every estimator, and `cross_examine`, takes in place of X.

    The partitions stay on the workers. `DaskEstimator` does this itself.

    Parameters
    ----------
    X : dask.array or dask.dataframe (n, d), or a folder or list of Parquet files
        Numbers; NaN marks a missing cell.
    client : distributed.Client, optional
        By default the current client.
    max_attempts : int, default 10
        How often a step is run until no worker dies in it.

    Returns
    -------
    DividedRows

    Examples
    --------
    >>> from disambig.dask import dask_rows, local_client
    >>> with local_client(2) as client:  # doctest: +SKIP
    ...     dask_rows("folder of Parquet files", client).shape
    (1000000, 8)

    Then::

        rows = dask_rows(dask.array.from_array(X, chunks=(100_000, -1)), client)
        found = cross_examine(PartialLabelClassifier(NeighborWeights(10)), rows, mask)
    """
    require_dask()
    from distributed import default_client

    from disambig.dask.collections import open_inputs, read_inputs
    from disambig.dask.executor import DaskExecutor

    client = default_client() if client is None else client
    executor = DaskExecutor(client, max_attempts=max_attempts)
    return read_inputs(executor, open_inputs(X))[0]


class DaskEstimator(PartsEstimator):
    """An estimator of `disambig`, fitted on rows on the workers of a Dask cluster.

    Inputs, votes and their transpose stay in partitions on the workers. In a step, the targets of
    all rows travel to the workers (labels as one byte for each row), and what was computed for each
    row returns. Candidate sets and targets are in the memory of the client. With votes of
    neighbours and of cut-off kernels the results are those of memory, bit for bit, for any
    partitions and any number of workers; with low-rank votes and forests up to rounding. If a
    worker dies, the cluster computes its partitions again and the step is repeated.

    ``weights="auto"`` chooses on the rows that it would choose on in memory; these are brought to
    the client. Of what it tries, numbers, orders and bits use the best weighting that can be built
    in partitions, instead of a mixture. Up to 5000 rows are fitted in memory then.

    Parameters
    ----------
    estimator : estimator of labels, numbers, bits or orders
        `PartialLabelClassifier`, `IntervalRegressor`, `PartialMultilabelClassifier` or
        `PartialRanker`, with weights "auto", `NeighborWeights` (exact search, euclidean),
        `NystromWeights`, `RandomFeatureWeights`, `NadarayaWatsonWeights` of compact support,
        `ForestWeights`, or scaled and mixed ones of these.
    max_attempts : int, default 10
        How often a step is run until no worker dies in it.
    checkpoint : path, optional
        For labels: a folder in which the states of the solver are kept between steps. If the
        process of the fit is killed, the same fit with the same folder builds the votes again and
        goes on from the last state that was kept, to the same labels. The folder is removed after
        a fit.
    checkpoint_seconds : float, default 60
        Seconds between two states that are kept; 0 keeps all.

    Attributes
    ----------
    estimator_ : fitted estimator
        Its attributes (`labels_`, `confidence_`, `decided_`, `objective_`, `trials_` and so on,
        arrays in memory) are also attributes of this one. It predicts arrays.
    traffic_ : dict
        What travelled between client and workers in the fit: calls, tasks, messages, bytes_sent,
        bytes_received, and repeated steps.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.dask import DaskEstimator
    >>> DaskEstimator(PartialLabelClassifier("neighbors"))
    DaskEstimator(estimator=PartialLabelClassifier(weights='neighbors'))

    With a collection and workers on this machine::

        import dask.array as da
        from disambig.dask import DaskEstimator, local_client

        if __name__ == "__main__":  # worker processes import this file
            with local_client(2) as client:
                X = da.from_array(inputs, chunks=(100_000, -1))
                model = DaskEstimator(PartialLabelClassifier()).fit(X, mask, client=client)
                predicted = model.predict(X).compute()
    """

    def __init__(
        self,
        estimator: Any,
        *,
        max_attempts: int = 10,
        checkpoint: Any = None,
        checkpoint_seconds: float = 60.0,
    ) -> None:
        self.estimator = estimator
        self.max_attempts = max_attempts
        self.checkpoint = checkpoint
        self.checkpoint_seconds = checkpoint_seconds

    def fit(self, X: Any, y: Any, client: Any = None, **options: Any) -> Self:
        """Disambiguate the rows of a collection.

        Parameters
        ----------
        X : dask.array or dask.dataframe (n, d), or a folder or list of Parquet files
            Numbers; NaN marks a missing cell. The number of tasks grows with the square of the
            number of partitions: some tens are enough.
        y : collection with the partitions of X, array-like (n,), str or list of str
            Anything that the estimator reads. For frames also the name of a column of X, or names
            of columns that are a table.
        client : distributed.Client, optional
            By default the current client, and if there is none one with workers on this machine,
            which `close` ends.
        **options
            Of `fit` of the estimator, such as ``groups=``; arrays in memory.
        """
        require_dask()
        from disambig.dask.collections import (
            open_inputs,
            read_inputs,
            read_targets,
            target_columns,
        )
        from disambig.dask.executor import DaskExecutor

        model = clone(self._checked_estimator())
        X = open_inputs(X)
        columns = target_columns(X, y)
        with ExitStack() as on_error:
            client, is_own = client_of(client)
            if is_own:
                on_error.callback(client.close)
            executor = DaskExecutor(client, max_attempts=self.max_attempts)
            rows, own = read_inputs(executor, X, columns)
            targets = read_targets(executor, y, own, rows.bounds)
            with self._keeping(model, rows):
                model.fit(rows, targets, **options)
            on_error.pop_all()
        before = vars(self)
        if before.get("_client_") is client:
            is_own = before["_is_own_client_"]
        self._client_, self._is_own_client_, self._executor_ = client, is_own, executor
        self._predictor_: Any = None
        # Few rows, and what needs all of them, were fitted in memory.
        is_gathered = gathered_if_few(model, rows) is not rows
        self._in_memory_ = is_gathered or not reads_parts(model.weights_)
        self.estimator_ = _without_tables(model)
        self.traffic_ = dict(executor.counts)
        executor.forget()
        return self

    @contextmanager
    def _keeping(self, model: Any, rows: DividedRows) -> Iterator[None]:
        """Keep the states of the solver while a model is fitted, if a folder is named."""
        if self.checkpoint is None:
            yield
            return
        folder = Path(self.checkpoint)
        # A function is known by its name: its address differs between processes.
        named = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(model))
        with keeping_solves(folder, self.checkpoint_seconds, rows_key(rows) + named):
            yield
        if model.solution_ is None or model.solution_.status is not Status.STOPPED:
            shutil.rmtree(folder, ignore_errors=True)

    def predict(self, X: Any) -> Any:
        """`predict` of the estimator at each input, as a lazy ``dask.array``.

        It has the partitions of X, and is computed by the client of the fit, which must be open.

        Parameters
        ----------
        X : dask.array or dask.dataframe (q, d)
        """
        return self.lazy("predict", X)

    def predict_proba(self, X: Any) -> Any:
        """`predict_proba` of the estimator, of labels and tags, as a lazy ``dask.array``.

        Parameters
        ----------
        X : dask.array or dask.dataframe (q, d)
        """
        return self.lazy("predict_proba", X)

    def lazy(self, method: str, X: Any, **arguments: Any) -> Any:
        """Any method of the estimator that predicts an array, as a lazy ``dask.array``.

        Parameters
        ----------
        method : str
            Such as "decision_function", or "predict_order" of a `PartialRanker`.
        X : dask.array or dask.dataframe (q, d)
        **arguments
            Of the method.
        """
        from disambig.dask.collections import open_inputs
        from disambig.dask.executor import check_client
        from disambig.dask.predictions import LazyPredictor, MemoryPredictor, check_queries

        self._require(method)
        if self._client_ is None or self._executor_ is None:
            raise ClusterError(
                f"{_NAME}: the workers of this model are closed, and its rows with them. Fit again."
            )
        check_client(self._client_)
        X = open_inputs(X)
        check_queries(X, self.estimator_.n_features_in_)
        if self._predictor_ is None:
            kind = MemoryPredictor if self._in_memory_ else LazyPredictor
            self._predictor_ = kind(self.estimator_, self._executor_)
        return self._predictor_(X, method, arguments)

    def close(self) -> None:
        """Free the partitions on the workers, and end workers that the fit has started itself."""
        check_is_fitted(self)
        if self._client_ is not None and self._is_own_client_:
            self._client_.close()
        self._client_ = self._predictor_ = None

    def __getstate__(self) -> Any:
        # Futures and clients are of this process; what is left has labels, and predicts nothing.
        state = dict(super().__getstate__())
        if "_client_" in state:
            from disambig.estimators.queries.condensed import without_votes

            state |= {"_client_": None, "_predictor_": None, "_executor_": None}
            state |= {"_is_own_client_": False, "estimator_": without_votes(self.estimator_)}
        return state


def _without_tables(model: Any) -> Any:
    """The model without the lists of neighbours, of which votes were made."""
    weights = model.weights_
    while hasattr(weights, "weights_"):
        weights = weights.weights_
    index: Any = getattr(weights, "index_", None)
    if isinstance(index, DividedNeighbors):
        weights.index_ = replace(index, tables=())
    return model
