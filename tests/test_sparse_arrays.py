"""Indices of sparse arrays that compiled code would follow outside of the memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from disambig import IntervalRegressor, LabelSets, PartialBits, PartialLabelClassifier, diagnose
from disambig.exceptions import VotesError
from disambig.sparse_arrays import check_sparse, sparse_error
from disambig.trust import cross_examine
from disambig.votes import as_votes
from disambig.weights import NeighborWeights

TABLE = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0], [0.0, 6.0, 7.0]])
FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
# A label of each class, so that a fit gets as far as its inputs.
LABELS = ["a", "b", "a", "b"]


def beyond(form="csr", index=10**6):
    matrix = sp.coo_array(TABLE)
    if form == "coo":
        matrix.coords[1][-1] = index
        return matrix
    matrix = getattr(sp, f"{form}_array")(TABLE)
    matrix.indices[-1] = index
    return matrix


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_sound_arrays(form, kind):
    assert sparse_error(getattr(sp, f"{form}_{kind}")(TABLE)) is None
    assert sparse_error(getattr(sp, f"{form}_{kind}")((3, 2))) is None


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("index", [-1, 4, 10**6])
def test_an_index_outside(form, index):
    with pytest.raises(ValueError, match=f"damaged sparse {form} array: an index is {index}"):
        check_sparse("X", beyond(form, index))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [(1, -1, "ascend"), (0, 2, "ascend"), (2, 100, "ascend"), (4, 100, "ends at 100")],
)
def test_a_damaged_row_pointer(place, value, message):
    matrix = sp.csr_array(TABLE)
    matrix.indptr[place] = value
    assert message in sparse_error(matrix)


def test_space_after_the_last_entry_is_not_looked_at():
    matrix = sp.csr_array(TABLE)
    matrix.indices = np.append(matrix.indices, 99)
    matrix.data = np.append(matrix.data, 0.0)
    assert sparse_error(matrix) is None


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_every_reader_refuses_them(form):
    model = PartialLabelClassifier(NeighborWeights(2)).fit(TABLE, LABELS)
    readers = [
        lambda X: PartialLabelClassifier(NeighborWeights(2)).fit(X, LABELS),
        lambda X: IntervalRegressor(NeighborWeights(2)).fit(X, np.arange(4.0)),
        model.predict,
        model.predict_proba,
        lambda X: NeighborWeights(2).fit(X),
        NeighborWeights(2).fit(TABLE).votes,
        lambda X: cross_examine(model, X, LABELS),
        lambda X: diagnose(X, LABELS),
        LabelSets.from_mask,
        PartialBits.from_any,
    ]
    for read in readers:
        with pytest.raises(ValueError, match="damaged sparse"):
            read(beyond(form))
    with pytest.raises(VotesError, match="The matrix of votes is a damaged sparse"):
        as_votes(beyond(form))
