"""Influence: which rows a known label would change, by the votes of its row at the others."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.estimators.selection.scales import scaled_inputs, unit_scales
from disambig.exceptions import MissingOracleError
from disambig.notation import FloatArray, IntArray
from disambig.trust.examined import Examined
from disambig.weights import NeighborWeights
from disambig.weights.divided.rows import is_divided

# An answer takes this part of the doubt of a row at which no other row has more votes. Chosen on
# vehicle, vowel, segment and satimage with drawn sets, of none, 1/4, 1/2 and 1.
_MOST_SHARED = 0.25
# And at least this part of the doubt of rows with equal inputs: their labels are mostly equal.
_SHARED_BY_COPIES = 0.5
# Rows that count as influenced where the estimator has no votes, as many as `NeighborWeights` has.
_N_NEIGHBORS = 10


@dataclass(frozen=True, eq=False)
class Influence:
    """For each row the rows at which it votes.

    Attributes
    ----------
    shares : float array or csr_array (n, n)
        Entry (i, j): the share of row i in the votes at row j, by size; j has sum one over i, or
        zero if nobody votes there.
    shared : float array or csr_array (n, n)
        Entry (i, j): the part of the doubt of row j that an answer to row i takes away from
        questions that follow: 1/4 for the row with the most votes at j, others in proportion.
    equal : int array (n,)
        Equal numbers for rows with equal inputs.
    by_votes : bool
        Whether the votes are those of the estimator; else they are those of the nearest rows.
    """

    shares: Any
    shared: Any
    equal: IntArray
    by_votes: bool

    def of(self, row: int) -> tuple[IntArray, FloatArray, FloatArray]:
        """Rows that an answer to `row` influences, its shares there, and the parts of doubt."""
        if not sp.issparse(self.shares):
            reached = np.flatnonzero(self.shares[row])
            return reached, self.shares[row, reached], self.shared[row, reached]
        own = slice(self.shares.indptr[row], self.shares.indptr[row + 1])
        return self.shares.indices[own], self.shares.data[own], self.shared.data[own]

    def elsewhere(self, row: int, values: FloatArray) -> float:
        """``sum_j shares[row, j] values[j]``."""
        reached, shares, _ = self.of(row)
        return float(shares @ values[reached])

    def after(self, row: int, doubt: FloatArray) -> FloatArray:
        """The doubts ``(n,)`` that are left when `row` is answered."""
        left = doubt.copy()
        reached, _, parts = self.of(row)
        left[reached] *= 1.0 - parts
        copies = np.flatnonzero(self.equal == self.equal[row])
        left[copies] = np.minimum(left[copies], (1.0 - _SHARED_BY_COPIES) * doubt[copies])
        left[row] = 0.0
        return left


def influence_of(rows: Examined) -> Influence:
    """The influence of every row on the others.

    By the leave-one-out votes of the estimator, if it has votes that are stored as a matrix. Else
    (mixtures, other models, votes of low rank) by the ten nearest rows in features of unit
    variance. Rows that take no part in the fit have no influence. Of ``cv="prefit"`` no row has.
    """
    n = rows.kept.n
    if rows.folds is None:
        empty = sp.csr_array((n, n))
        return Influence(empty, empty, np.arange(n), by_votes=False)
    votes = _stored_votes(rows)
    by_votes = votes is not None
    sizes = abs(_neighbor_votes(rows) if votes is None else votes)
    is_sparse = sp.issparse(sizes)
    total = np.asarray(sizes.sum(axis=1)).ravel()
    most = sizes.max(axis=1).toarray().ravel() if is_sparse else sizes.max(axis=1)
    scales = [1.0 / np.where(total > 0, total, 1.0), _MOST_SHARED / np.where(most > 0, most, 1.0)]
    if is_sparse:
        # `diags_array` is not in the oldest scipy.
        square = (len(total), len(total))
        diagonals = [sp.dia_array((scale[None], [0]), shape=square) for scale in scales]
        parts = [sp.csr_array((diagonal @ sizes).T) for diagonal in diagonals]
    else:
        parts = [(sizes * scale[:, None]).T for scale in scales]
    if not rows.kept.all_rows:
        parts = [_among_all(part, rows.kept.rows, n) for part in parts]
    shares, shared = parts
    # Rows that take no part are nobody's copies.
    equal = np.arange(n) + n
    equal[rows.kept.rows] = rows.folds.equal
    return Influence(shares, shared, equal, by_votes)


def _stored_votes(rows: Examined) -> Any:
    """Leave-one-out votes of the rows that take part, as an array or a csr_array; else None."""
    weights: Any = getattr(rows.last, "weights_", None)
    if not hasattr(weights, "leave_one_out_votes"):
        return None
    try:
        entries = weights.leave_one_out_votes().entries
    except MissingOracleError:
        return None
    if entries is None or entries.shape != (rows.kept.rows.size,) * 2:
        return None
    return sp.csr_array(entries) if sp.issparse(entries) else np.asarray(entries)


def _neighbor_votes(rows: Examined) -> Any:
    """Votes of the nearest other rows that take part, as a csr_array."""
    kept, inputs = rows.kept, rows.taken_inputs
    if is_divided(inputs):
        raise MissingOracleError(
            "questions: what an answer tells of other rows is not known for rows in parts. Ask "
            "about `suspects`, or examine an array."
        )
    if not sp.issparse(inputs) and np.isnan(inputs).any():
        # A missing value says nothing about a distance: the mean of the column.
        inputs = np.where(np.isnan(inputs), np.nanmean(inputs, axis=0), inputs)
    scaled = scaled_inputs(inputs, unit_scales(inputs, kept.sample_weight))
    weighting = NeighborWeights(min(_N_NEIGHBORS, kept.rows.size - 1))
    return sp.csr_array(weighting.fit(scaled, kept.weights).leave_one_out_votes().entries)


def _among_all(part: Any, taken: IntArray, n: int) -> Any:
    """A matrix of the rows that take part as one of all n rows."""
    entries = sp.coo_array(part)
    place = taken[entries.row], taken[entries.col]
    return sp.csr_array((entries.data, place), shape=(n, n))
