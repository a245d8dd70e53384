"""Half steps of a finite loss over sparse votes, row by row in compiled functions."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import scipy.sparse as sp

from disambig.candidates.labels.label_sets import LabelSets
from disambig.compiled.bits import pack_rows
from disambig.compiled.face_choice import GROW, KEEP_VERTEX, REPLACE
from disambig.compiled.face_sweep import mark_neighbors, sweep_faces
from disambig.losses.labels.faces import CodedFaces, Embedding, IdentityEmbedding, LabelFaces
from disambig.losses.protocol import Faces, Sweep
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.votes import Votes
from disambig.votes.protocol import CompressedRows

# Empty arrays have a meaning to the compiled functions: no row is kept, and the 0-1 loss.
_NO_ROWS = np.zeros(0, dtype=np.bool_)
_ZERO_ONE_TABLE = np.zeros((0, 0))

# If a larger share of rows moved, finding the rows that they affect takes longer than visiting all.
_MAX_SHARE_MOVED = 1 / 16


@dataclass(frozen=True, eq=False)
class LabelSteps:
    """`RowSteps` of a finite loss: the costs of a row are ``table.T @ (votes for each vertex)``.

    A step reads each row of votes once and visits only the classes that have votes there. So under
    the 0-1 loss its time hardly depends on the number of classes.

    Parameters
    ----------
    votes : Votes (n, n)
        Stored in compressed rows, and so is its transpose.
    candidates : LabelSets
    embedding : Embedding
        Of the targets.
    matrix : float array (P, K), or None
        The loss; None is the 0-1 loss.
    """

    votes: Votes
    candidates: LabelSets
    embedding: Embedding
    matrix: FloatArray | None

    @cached_property
    def _sets(self) -> AnyArray:
        return pack_rows(self.candidates.mask)

    @property
    def _n_predictions(self) -> int:
        return self.candidates.n_classes if self.matrix is None else len(self.matrix)

    def coded(self, predictions: Faces) -> CodedFaces:
        if isinstance(predictions, CodedFaces):
            return predictions
        return CodedFaces.from_mask(cast(LabelFaces, predictions).mask, IdentityEmbedding())

    def first_predictions(self, kind: str, rtol: float) -> CodedFaces | None:
        # Under the 0-1 loss each set votes for its members: with equal shares of one vote for the
        # average start, with one vote for each member for the infimum start.
        weighted = kind == "average" and self.candidates.weights is not None
        if self.matrix is not None or weighted or kind not in ("average", "infimum"):
            return None
        shared = kind == "average"
        sets = CodedFaces.from_words(self._sets, self.candidates.n_classes, self.embedding)
        vote_sizes = 1.0 / self.candidates.sizes if shared else np.ones(len(sets))
        # Whole sets vote for every class alike, so they add no size to the scores.
        vote_sizes[self.candidates.is_whole] = 0.0
        tolerance = rtol * self.votes.absolute_row_sums(vote_sizes)
        return self._predictions(sets, self._blank_predictions, tolerance, shared=shared).faces

    def rows_affected_by_targets(self, moved: BoolArray) -> BoolArray:
        return _columns_of(self.votes.T, moved)

    def rows_affected_by_predictions(self, moved: BoolArray) -> BoolArray:
        return _columns_of(self.votes, moved)

    def scores_at(self, rows: IntArray, targets: CodedFaces) -> FloatArray:
        votes = self.votes.entries[rows]
        # Only targets with votes in these rows are embedded.
        voters, columns = np.unique(votes.indices, return_inverse=True)
        shape = (rows.size, voters.size)
        part = sp.csr_array((votes.data, columns.ravel(), votes.indptr), shape=shape)
        scores: FloatArray = part @ targets.take(voters).embedded
        return scores

    def best_predictions(self, targets: CodedFaces, tolerance: FloatArray) -> Sweep[CodedFaces]:
        return self._predictions(targets, self._blank_predictions, tolerance)

    def best_targets(self, predictions: CodedFaces, tolerance: FloatArray) -> Sweep[CodedFaces]:
        n = len(predictions)
        blank = CodedFaces.blank(n, self.candidates.n_classes, self.embedding)
        older = Sweep(blank, np.empty(n), _NO_ROWS)
        return self._targets(predictions, older, tolerance, _all_rows(n), _NO_ROWS, REPLACE)

    def move_predictions(
        self, targets: CodedFaces, older: CodedFaces, tolerance: FloatArray, visited: BoolArray
    ) -> Sweep[CodedFaces]:
        return self._predictions(targets, older.copy(), tolerance, visited, GROW)

    def move_targets(
        self,
        predictions: CodedFaces,
        older: Sweep[CodedFaces],
        tolerance: FloatArray,
        visited: BoolArray,
        *,
        kept: BoolArray | None = None,
        at_vertices: bool = False,
    ) -> Sweep[CodedFaces]:
        copy = Sweep(older.faces.copy(), older.costs.copy(), _NO_ROWS)
        rule = KEEP_VERTEX if at_vertices else GROW
        kept = _NO_ROWS if kept is None else kept
        return self._targets(predictions, copy, tolerance, visited, kept, rule)

    @property
    def _blank_predictions(self) -> CodedFaces:
        return CodedFaces.blank(len(self.candidates), self._n_predictions, IdentityEmbedding())

    def _predictions(
        self,
        targets: CodedFaces,
        faces: CodedFaces,
        tolerance: FloatArray,
        visited: BoolArray | None = None,
        rule: int = REPLACE,
        *,
        shared: bool = True,
    ) -> Sweep[CodedFaces]:
        """The prediction step; overwrites `faces`."""
        n = len(faces)
        table = _ZERO_ONE_TABLE if self.matrix is None else np.ascontiguousarray(self.matrix.T)
        found = Sweep(faces, np.empty(n), np.zeros(n, dtype=np.bool_))
        visited = _all_rows(n) if visited is None else visited
        allowed = np.zeros((0, faces.words.shape[1]), dtype=np.uint32)
        _sweep(
            self.votes, targets, shared, table, allowed, tolerance, visited, _NO_ROWS, rule, found
        )
        return found

    def _targets(
        self,
        predictions: CodedFaces,
        older: Sweep[CodedFaces],
        tolerance: FloatArray,
        visited: BoolArray,
        kept: BoolArray,
        rule: int,
    ) -> Sweep[CodedFaces]:
        """The target step; overwrites `older`."""
        table = _ZERO_ONE_TABLE if self.matrix is None else np.ascontiguousarray(self.matrix)
        found = older._replace(moved=np.zeros(len(predictions), dtype=np.bool_))
        _sweep(
            self.votes.T,
            predictions,
            True,
            table,
            self._sets,
            tolerance,
            visited,
            kept,
            rule,
            found,
        )
        return found


def _sweep(
    votes: Votes,
    voting: CodedFaces,
    shared: bool,
    table: FloatArray,
    allowed: AnyArray,
    tolerance: FloatArray,
    visited: BoolArray,
    kept: BoolArray,
    rule: int,
    found: Sweep[CodedFaces],
) -> None:
    """`sweep_faces` with the faces of the voting rows; writes to the arrays of `found`."""
    rows, faces = _compressed(votes), found.faces
    sweep_faces(
        rows.indptr,
        rows.indices,
        rows.data,
        rows.unit,
        voting.codes,
        voting.words,
        voting.size,
        shared,
        table,
        faces.size,
        allowed,
        tolerance,
        visited,
        kept,
        rule,
        faces.codes,
        faces.words,
        found.costs,
        found.moved,
    )


def _columns_of(votes: Votes, moved: BoolArray) -> BoolArray:
    """Columns in which a row in `moved` has an entry; all if many rows moved."""
    if np.count_nonzero(moved) > _MAX_SHARE_MOVED * moved.size:
        return _all_rows(moved.size)
    marked = np.zeros(moved.size, dtype=np.bool_)
    rows = _compressed(votes)
    mark_neighbors(rows.indptr, rows.indices, moved, marked)
    return marked


def _compressed(votes: Votes) -> CompressedRows:
    rows = votes.compressed
    assert rows is not None, "checked by `FiniteLoss.row_steps`"
    return rows


def _all_rows(n: int) -> BoolArray:
    return np.ones(n, dtype=np.bool_)
