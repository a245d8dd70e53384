"""Bad input: a clear error with the row, what was expected, what came and what to do."""

import numpy as np
import pytest
import scipy.sparse as sp

from disambig import PartialLabelClassifier, disambiguate, memory
from disambig.exceptions import MemoryBudgetError, NoInformationError, VotesError
from disambig.weights import KernelRidgeWeights, NadarayaWatsonWeights

X = np.arange(12.0).reshape(6, 2)
MASK = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1]], dtype=bool)


def fit(X=X, y=MASK, **options):
    return PartialLabelClassifier(weights=NadarayaWatsonWeights(bandwidth=1.0), **options).fit(X, y)


def test_empty_set():
    bad = MASK.copy()
    bad[3] = False
    with pytest.raises(ValueError, match="row 3 has no candidate"):
        fit(y=bad)


def test_unknown_label():
    with pytest.raises(ValueError, match=r"row 2.*'z'"):
        fit(y=["a", "b", "z", "a", "b", "a"], classes=["a", "b"])


def test_no_information():
    with pytest.raises(NoInformationError, match="none of the 6 rows excludes a class"):
        fit(y=np.ones((6, 3), dtype=bool))


def test_wrong_lengths():
    with pytest.raises(ValueError, match="X has 6 rows and y has 5"):
        fit(y=MASK[:5])


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_x_must_be_finite(value, word):
    bad = X.copy()
    bad[4, 1] = value
    with pytest.raises(ValueError, match=f"{word}.*row 4, column 1"):
        fit(X=bad)
    with pytest.raises(ValueError, match=f"{word}.*row 4, column 1"):
        fit(X=sp.csr_array(bad))
    with pytest.raises(ValueError, match=f"{word}.*row 4, column 1"):
        fit().predict(bad)
    with pytest.raises(ValueError, match=f"{word}.*row 4, column 1"):
        disambiguate(bad, MASK)


def test_a_table_that_is_neither_mask_nor_weights():
    bad = MASK.astype(float)
    bad[1, 2] = -1
    with pytest.raises(ValueError, match="row 1"):
        fit(y=bad)


def test_an_array_beyond_free_memory_names_the_alternative(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 100)
    with pytest.raises(MemoryBudgetError, match=r"(?s)GiB.*NeighborWeights"):
        PartialLabelClassifier(weights=KernelRidgeWeights()).fit(X, MASK)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "method='magic' is not known; choose one of"),
        ({"loss": "hinge"}, "loss='hinge' is not known; choose one of"),
        ({"solver": "magic"}, "solver='magic' is not known; choose one of"),
        ({"loss": np.zeros((3, 2))}, "expected one row a prediction and 3 columns"),
    ],
)
def test_unknown_options_list_the_choices(options, message):
    with pytest.raises(ValueError, match=message):
        fit(**options)


def test_unknown_weights_list_the_choices():
    with pytest.raises(ValueError, match="neighbors"):
        PartialLabelClassifier(weights="magic").fit(X, MASK)


def test_negative_and_vanishing_sample_weights():
    with pytest.raises(ValueError, match="row 2 has -1"):
        PartialLabelClassifier().fit(X, MASK, sample_weight=[1, 1, -1, 1, 1, 1])
    with pytest.raises(ValueError, match=r"zero for every row|at least one non-zero"):
        PartialLabelClassifier().fit(X, MASK, sample_weight=np.zeros(6))
    with pytest.raises(ValueError, match="row 1 has weight 0"):
        disambiguate(X, MASK, sample_weight=[1, 0, 1, 1, 1, 1])


def test_votes_of_ones_own_are_checked():
    with pytest.raises(VotesError, match=r"shape \(5, 5\); expected 6 rows"):
        disambiguate(None, MASK, weights=np.eye(5))
    bad = np.eye(6)
    bad[2, 1] = np.nan
    with pytest.raises(VotesError, match="first in row 2"):
        disambiguate(None, MASK, weights=bad)
    with pytest.raises(ValueError, match="sample_weight cannot be combined"):
        disambiguate(None, MASK, weights=np.eye(6), sample_weight=np.ones(6))


def test_weights_that_exclude_nothing():
    soft = np.full((6, 3), 0.2) + 0.4 * np.eye(3)[[0, 1, 2, 0, 1, 2]]
    with pytest.raises(NoInformationError, match="Set small weights to 0"):
        fit(y=soft)
    model = fit(y=soft, method="average")
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(NoInformationError, match="all 6 rows give every class"):
        fit(y=np.full((6, 3), 1 / 3), method="average")


def test_inputs_beside_votes_of_ones_own_are_counted():
    with pytest.raises(ValueError, match="X has 5 rows and y has 6"):
        disambiguate(X[:5], MASK, weights=np.eye(6))
    with pytest.raises(ValueError, match="X has 5 rows and y has 6"):
        disambiguate(X[:5].tolist(), MASK, weights=np.eye(6))


def test_a_weighting_needs_inputs():
    with pytest.raises(ValueError, match="X is None: the weighting needs inputs"):
        disambiguate(None, MASK)


@pytest.mark.parametrize("options", [{"method": "magic"}, {"loss": np.zeros((3, 2))}])
def test_options_are_refused_before_anybody_votes(options):
    def votes(queries, train):
        raise AssertionError("asked for votes")

    with pytest.raises(ValueError, match=r"not known|one row a prediction"):
        PartialLabelClassifier(weights=votes, **options).fit(X, MASK)
    with pytest.raises(ValueError, match=r"not known|one row a prediction"):
        disambiguate(X, MASK, weights=votes, **options)
