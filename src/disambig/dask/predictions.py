"""Lazy predictions of partitions of new inputs, computed where the partitions are.

With votes of neighbours a partition searches the indices of all training partitions, and reads the
tables of the rows that vote. Other votes are products: what they multiply is computed once, in the
fit, and is small.
"""

import copy
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
import scipy.sparse as sp
from dask import delayed

from disambig.dask.collections import describe_part, float_part
from disambig.dask.executor import DaskExecutor
from disambig.estimators.queries.condensed import (
    RowTables,
    condensed,
    distinct_rows_of,
    predicting,
    require_products,
    row_tables,
)
from disambig.inputs.holes import rows_without_input, zero_rows
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.votes.dense import DenseVotes
from disambig.votes.sparse import SparseVotes
from disambig.weights import NeighborWeights
from disambig.weights.divided.neighbors import (
    DividedNeighbors,
    VotesOptions,
    extend_table,
    query_votes,
)
from disambig.weights.divided.projection import projection_of
from disambig.weights.neighbors.parts import NearestRows

# With at most so many different rows a table travels as one or two bytes for each row.
_MAX_WORDS = 2**16 - 1


class PartPredictor(NamedTuple):
    """What a partition of new inputs is predicted with.

    Attributes
    ----------
    model : condensed estimator
    tables : RowTables
        Names and widths, with an empty table.
    completion : Completion or None
    transform : callable
        From completed inputs to those that neighbours are searched for.
    options : VotesOptions or None
        None for votes that are products.
    n_rows : int
        Of training.
    """

    model: Any
    tables: RowTables
    completion: Any
    transform: Any
    options: VotesOptions | None
    n_rows: int


class _Predictor(ABC):
    """Predictions of collections, a partition at a time."""

    n_features: int
    names: tuple[str, ...] | None

    def __init__(self, model: Any) -> None:
        names = getattr(model, "feature_names_in_", None)
        self.n_features = model.n_features_in_
        self.names = None if names is None else tuple(names.tolist())

    def __call__(self, X: Any, method: str, arguments: dict[str, Any]) -> Any:
        """Predictions of a Dask collection ``(q, d)`` as a lazy array with its partitions.

        Parameters
        ----------
        X : dask.array or dask.dataframe
        method : str
            Of the estimator.
        arguments : dict
            Of the method.
        """
        if isinstance(X, da.Array):
            heights = X.chunks[0]
            parts = X.rechunk({1: -1}).to_delayed().ravel().tolist()
        else:
            parts = X.to_delayed()
            heights = [np.nan] * len(parts)
        # Of one made-up input, for shape and type.
        zero = np.zeros((1, self.n_features))
        like = np.asarray(getattr(self._like(), method)(zero, **arguments))
        found = []
        for part, height in zip(parts, heights, strict=True):
            queries = delayed(query_part)(part, self.n_features, self.names)
            predicted = self._predicted(queries, method, arguments)
            shape = (height, *like.shape[1:])
            found.append(da.from_delayed(predicted, shape=shape, dtype=like.dtype))
        return da.concatenate(found)

    @abstractmethod
    def _like(self) -> Any:
        """An estimator whose predictions have the same shape and type."""

    @abstractmethod
    def _predicted(self, queries: Any, method: str, arguments: dict[str, Any]) -> Any:
        """The lazy predictions of one partition."""


class MemoryPredictor(_Predictor):
    """Predictions by an estimator that was fitted in memory, which travels to the workers.

    Parameters
    ----------
    model : fitted estimator
    executor : DaskExecutor
    """

    def __init__(self, model: Any, executor: DaskExecutor) -> None:
        super().__init__(model)
        self._model = copy.copy(model)
        self._model.callback = self._model._training_inputs_ = None
        # `query_part` compares the names.
        vars(self._model).pop("feature_names_in_", None)
        self._how = executor.submit(_same, self._model)

    def _like(self) -> Any:
        return self._model

    def _predicted(self, queries: Any, method: str, arguments: dict[str, Any]) -> Any:
        return delayed(model_part)(queries, self._how, method, arguments)


class LazyPredictor(_Predictor):
    """Predictions by an estimator that was fitted on rows in parts.

    Parameters
    ----------
    model : fitted estimator
    executor : DaskExecutor
    """

    def __init__(self, model: Any, executor: DaskExecutor) -> None:
        super().__init__(model)
        tables = row_tables(model)
        weights, transform = model._weightings_.predict_weights, _Transform([])
        while hasattr(weights, "divided_transform"):
            transform.steps.append(weights.divided_transform)
            weights = weights.weights_
        options = None
        self._indices: tuple[Any, ...] = ()
        if isinstance(weights, NeighborWeights) and isinstance(weights.index_, DividedNeighbors):
            options, self._indices = weights.index_.options, tuple(weights.index_.indices)
            self._tables = _tables_on_workers(executor, tables.table)
        else:
            require_products(model)
            projection = projection_of(model._weightings_.predict_weights, tables.table)
            self._tables = executor.submit(_same, projection)
        empty = tables._replace(table=tables.table[:0])
        n = len(tables.table)
        self._how = PartPredictor(condensed(model), empty, model.completion_, transform, options, n)
        self._placed = executor.submit(_same, self._how)

    def _like(self) -> Any:
        width = sum(self._how.tables.widths)
        tables = self._how.tables.part(np.ones((1, width)))
        return predicting(self._how.model, tables, DenseVotes(np.ones((1, 1))))

    def _predicted(self, queries: Any, method: str, arguments: dict[str, Any]) -> Any:
        rest = queries, self._tables, self._placed, method, arguments
        if self._how.options is None:
            return delayed(project_part)(*rest)
        wanted, table = delayed(searched_part)(queries, self._placed), None
        for index in self._indices:
            table = delayed(extend_table)(table, index, wanted, self._how.options.n_neighbors)
        return delayed(vote_part)(table, *rest)


class _Transform(NamedTuple):
    """Maps of inputs, one after the other."""

    steps: list[Any]

    def __call__(self, X: Any) -> Any:
        for step in self.steps:
            X = step(X)
        return X


def _tables_on_workers(executor: DaskExecutor, table: FloatArray) -> Any:
    """The tables of all rows as the result of tasks, so that they are made again if lost."""
    found = distinct_rows_of(table, _MAX_WORDS)
    if found is None:
        return executor.submit(_same, (table, None))
    words, codes = found
    small = codes.astype(np.uint8 if len(words) < 2**8 else np.uint16)
    return executor.submit(_same, (words, small))


def _same(value: Any) -> Any:
    return value


# ------------------------------------------------------------------ functions of one partition


def query_part(part: Any, n_features: int, names: tuple[str, ...] | None) -> AnyArray:
    """A partition of new inputs as floats; raises if it is not like the training inputs."""
    facts = describe_part(part)
    if facts.n_columns != n_features or (names is not None and facts.names not in (None, names)):
        raise ValueError(
            f"X has the columns {facts.names or facts.n_columns}; expected {names or n_features}, "
            "as in fit."
        )
    if facts.bad is not None:
        raise ValueError(
            f"X: row {facts.bad.row} of a partition, column {facts.bad.column}, has "
            f"{facts.bad.value:g}; expected finite numbers up to 1e36, or NaN for a missing cell."
        )
    return float_part(part, facts.single)


def _completed(queries: AnyArray, how: PartPredictor) -> AnyArray:
    found = queries if how.completion is None else how.completion.transform(queries)
    without_input = rows_without_input(found)
    filled: AnyArray = found if without_input is None else zero_rows(found, without_input)
    return filled


def searched_part(queries: AnyArray, how: PartPredictor) -> AnyArray:
    """The inputs that neighbours are searched for."""
    found: AnyArray = how.transform(_completed(queries, how))
    return found


def vote_part(
    table: NearestRows,
    queries: AnyArray,
    tables: tuple[FloatArray, IntArray | None],
    how: PartPredictor,
    method: str,
    arguments: dict[str, Any],
) -> AnyArray:
    """The predictions at the queries of a table of neighbours."""
    assert how.options is not None
    votes = query_votes(table, how.options, how.n_rows)
    # Only the tables of rows that vote here are read.
    voting, columns = np.unique(votes.indices, return_inverse=True)
    part = sp.csr_array(
        (votes.data, columns.ravel(), votes.indptr), shape=(votes.shape[0], voting.size)
    )
    words, codes = tables
    own = words[voting if codes is None else codes[voting]]
    model = predicting(how.model, how.tables.part(own), SparseVotes(part))
    return np.asarray(getattr(model, method)(queries, **arguments))


def project_part(
    queries: AnyArray, projection: Any, how: PartPredictor, method: str, arguments: dict[str, Any]
) -> AnyArray:
    """The predictions at queries of which votes are products."""
    scores = projection(_completed(queries, how))
    tables = how.tables.part(np.eye(scores.shape[1]))
    model = predicting(how.model, tables, DenseVotes(scores))
    return np.asarray(getattr(model, method)(queries, **arguments))


def model_part(queries: AnyArray, model: Any, method: str, arguments: dict[str, Any]) -> AnyArray:
    """The predictions of an estimator in memory."""
    return np.asarray(getattr(model, method)(queries, **arguments))


def check_queries(X: Any, n_features: int) -> None:
    """Raise if new inputs cannot be like the training inputs, before anything is computed."""
    if not isinstance(X, da.Array) and not hasattr(X, "to_delayed"):
        raise TypeError(
            f"X is a {type(X).__name__}; expected a dask.array or a dask.dataframe. Data in memory "
            "become one by dask.array.from_array(X, chunks=(100_000, -1)), and are predicted by "
            "estimator_."
        )
    n_columns = X.shape[1] if X.ndim == 2 else 0
    if n_columns != n_features:
        raise ValueError(f"X has {n_columns} columns; expected {n_features}, as in fit.")
