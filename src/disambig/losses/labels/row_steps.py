"""Half steps of a finite loss over sparse votes, row by row in compiled functions."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import scipy.sparse as sp

from disambig.candidates.labels.label_sets import LabelSets
from disambig.compiled.bits import pack_rows
from disambig.compiled.face_choice import GROW, KEEP_VERTEX, REPLACE
from disambig.losses.labels.faces import CodedFaces, Embedding, IdentityEmbedding, LabelFaces
from disambig.losses.labels.sweeps import NO_ROWS, Choice, all_rows, columns_of, rows_at, sweep
from disambig.losses.protocol import Faces, Sweep
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.votes import Votes

# An empty table is the 0-1 loss to the compiled functions.
_ZERO_ONE_TABLE = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class LabelSteps:
    """`RowSteps` of a finite loss: the costs of a row are ``table.T @ (votes for each vertex)``.

    A step reads each row of votes once and visits only the classes that have votes there. So under
    the 0-1 loss its time hardly depends on the number of classes.

    Parameters
    ----------
    votes : Votes (n, n)
        Stored in compressed rows or in blocks of them, and so is its transpose.
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
        return columns_of(self.votes.T, moved)

    def rows_affected_by_predictions(self, moved: BoolArray) -> BoolArray:
        return columns_of(self.votes, moved)

    def scores_at(self, rows: IntArray, targets: CodedFaces) -> FloatArray:
        votes = rows_at(self.votes, rows)
        # Only targets with votes in these rows are embedded.
        voters, columns = np.unique(votes.indices, return_inverse=True)
        shape = (rows.size, voters.size)
        part = sp.csr_array((votes.data, columns.ravel(), votes.indptr), shape=shape)
        scores: FloatArray = part @ targets.take(voters).embedded
        return scores

    def best_predictions(self, targets: CodedFaces, tolerance: FloatArray) -> Sweep[CodedFaces]:
        blank = self._blank_predictions
        return self._predictions(targets, blank, tolerance, with_costs=True)

    def best_targets(self, predictions: CodedFaces, tolerance: FloatArray) -> Sweep[CodedFaces]:
        n = len(predictions)
        blank = CodedFaces.blank(n, self.candidates.n_classes, self.embedding)
        older = Sweep(blank, np.empty(n), NO_ROWS)
        return self._targets(predictions, older, tolerance, all_rows(n), NO_ROWS, REPLACE)

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
        copy = Sweep(older.faces.copy(), older.costs.copy(), NO_ROWS)
        rule = KEEP_VERTEX if at_vertices else GROW
        kept = NO_ROWS if kept is None else kept
        return self._targets(predictions, copy, tolerance, visited, kept, rule)

    def packed(self, faces: CodedFaces) -> dict[str, AnyArray]:
        several, words = faces.several_words
        return {"codes": faces.codes, "several": several, "words": words}

    def unpacked(
        self, targets: dict[str, AnyArray], predictions: dict[str, AnyArray]
    ) -> tuple[CodedFaces, CodedFaces]:
        return (
            CodedFaces.from_several(
                **targets, size=self.candidates.n_classes, embedding=self.embedding
            ),
            CodedFaces.from_several(
                **predictions, size=self._n_predictions, embedding=IdentityEmbedding()
            ),
        )

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
        with_costs: bool = False,
    ) -> Sweep[CodedFaces]:
        """The prediction step; overwrites `faces`."""
        n = len(faces)
        table = _ZERO_ONE_TABLE if self.matrix is None else np.ascontiguousarray(self.matrix.T)
        found = Sweep(faces, np.empty(n), np.zeros(n, dtype=np.bool_))
        visited = all_rows(n) if visited is None else visited
        allowed = np.zeros((0, faces.words.shape[1]), dtype=np.uint32)
        choice = Choice(table, allowed, tolerance, visited, NO_ROWS, rule)
        sweep(self.votes, targets, choice, found, shared=shared, with_costs=with_costs)
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
        choice = Choice(table, self._sets, tolerance, visited, kept, rule)
        sweep(self.votes.T, predictions, choice, found)
        return found
