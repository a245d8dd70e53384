"""Lazy predictions of partitions of new inputs, from indices and targets on the workers."""

from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
import scipy.sparse as sp
from dask import delayed
from distributed import Client, Future

from disambig.dask.collections import Inputs, describe_part, float_part
from disambig.dask.graph import VotesOptions, extend_table
from disambig.estimators.prediction import Predictor
from disambig.losses.labels.faces import CodedFaces, Embedding
from disambig.notation import AnyArray, IntArray
from disambig.votes.sparse import SparseVotes
from disambig.weights.neighbors.parts import NearestRows, neighbor_votes


class PartPredictor(NamedTuple):
    """What a partition of new inputs is predicted from, besides neighbours and their targets.

    Attributes
    ----------
    predictor : Predictor
        Without targets and candidate sets, which are as long as the training rows.
    outputs : array (P,)
        The possible predictions.
    options : VotesOptions
    n_features : int
    names : tuple of str, or None
    """

    predictor: Predictor
    outputs: AnyArray
    options: VotesOptions
    n_features: int
    names: tuple[str, ...] | None


def targets_on_workers(client: Client, targets: CodedFaces, bounds: IntArray) -> Future:
    """The targets of all rows as the result of tasks, so that they are made again if lost.

    One byte for each row goes through the scheduler, in parts.

    Parameters
    ----------
    client : distributed.Client
    targets : CodedFaces, n rows
    bounds : int array (parts + 1,)
    """
    parts = []
    for start, stop in pairwise(bounds.tolist()):
        own = targets.take(np.arange(start, stop))
        parts.append(
            client.submit(
                faces_part, own.codes, *own.several_words, own.size, own.embedding, pure=False
            )
        )
    joined: Future = client.submit(joined_faces, parts, pure=False)
    return joined


def faces_part(
    codes: AnyArray, several: IntArray, words: AnyArray, size: int, embedding: Embedding
) -> CodedFaces:
    """The targets of one partition."""
    return CodedFaces.from_several(codes, several, words, size, embedding)


def joined_faces(parts: list[CodedFaces]) -> CodedFaces:
    """The targets of all partitions."""
    codes = np.concatenate([part.codes for part in parts])
    words = np.concatenate([part.words for part in parts])
    return CodedFaces(codes, words, parts[0].size, parts[0].embedding)


def lazy_predictions(X: Any, indices: Any, targets: Any, how: PartPredictor) -> Any:
    """Predictions of a Dask collection ``(q, d)`` as a lazy array ``(q,)``, in its partitions.

    Parameters
    ----------
    X : dask.array or dask.dataframe
    indices : sequence of Future of RowIndex
    targets : Future of CodedFaces
    how : PartPredictor
    """
    is_array = isinstance(X, da.Array)
    if is_array:
        rows = X.chunks[0]
        parts = X.rechunk({1: -1}).to_delayed().ravel().tolist()
    else:
        parts = X.to_delayed()
        rows = [np.nan] * len(parts)
    options = how.options._replace(leave_one_out=False)
    found = []
    for part, m in zip(parts, rows, strict=True):
        queries = delayed(query_part)(part, how.n_features, how.names)
        table = None
        for index in indices:
            table = delayed(extend_table)(table, index, queries, options.n_neighbors)
        labels = delayed(predict_part)(table, targets, how._replace(options=options))
        found.append(da.from_delayed(labels, shape=(m,), dtype=how.outputs.dtype))
    return da.concatenate(found)


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
            f"{facts.bad.value:g}; expected finite numbers up to 1e36. Fill missing cells first."
        )
    return float_part(part, facts.single)


def predict_part(table: NearestRows, targets: CodedFaces, how: PartPredictor) -> AnyArray:
    """The predictions at the queries of a table of neighbours."""
    q, n = table.indices.shape[0], len(targets)
    no_row = np.full(q, -1, dtype=np.int64)
    votes = neighbor_votes(table, how.options.n_neighbors, n, no_row, vote=how.options.vote)
    # Only targets of rows that vote here are embedded.
    voting, columns = np.unique(votes.indices, return_inverse=True)
    part = sp.csr_array((votes.data, columns.ravel(), votes.indptr), shape=(q, voting.size))
    predictor = replace(how.predictor, xi=targets.take(voting).embedded)
    predicted: AnyArray = how.outputs[predictor.predict(SparseVotes(part)).outputs]
    return predicted


def check_queries(X: Any, inputs: Inputs) -> None:
    """Raise if new inputs cannot be like the training inputs, before anything is computed."""
    if not isinstance(X, da.Array) and not hasattr(X, "to_delayed"):
        raise TypeError(
            f"X is a {type(X).__name__}; expected a dask.array or a dask.dataframe. Data in memory "
            "become one by dask.array.from_array(X, chunks=(100_000, -1))."
        )
    n_columns = X.shape[1] if X.ndim == 2 else 0
    if n_columns != inputs.n_features:
        raise ValueError(f"X has {n_columns} columns; expected {inputs.n_features}, as in fit.")
