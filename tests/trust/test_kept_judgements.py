"""What a fit has judged is not judged again, and the result is the same."""

import numpy as np
import pytest

from disambig import PartialLabelClassifier
from disambig.estimators.held_out.kept_judgements import kept_judgements
from disambig.trust import cross_examine
from disambig.trust.cross_examination import examine_fitted
from disambig.trust.kinds import labels as label_kind
from disambig.weights import NeighborWeights


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    n = 2100
    truth = rng.integers(3, size=n)
    X = rng.normal(size=(n, 2)) + 3.0 * truth[:, None]
    mask = rng.random((n, 3)) < 0.4
    mask[np.arange(n), truth] = rng.random(n) > 0.02
    mask[~mask.any(axis=1)] = True
    with kept_judgements() as kept:
        model = PartialLabelClassifier(NeighborWeights(8)).fit(X, mask)
    return model, X, mask, list(kept)


def test_the_judgement_of_a_fit_is_used_and_the_same(fitted, monkeypatch):
    model, X, mask, kept = fitted
    again = examine_fitted(model, X, mask)
    monkeypatch.setattr(label_kind, "judged", None)
    found = examine_fitted(model, X, mask, judgements=kept)
    np.testing.assert_array_equal(found.distributions, again.distributions)
    np.testing.assert_array_equal(found.scored, again.scored)
    np.testing.assert_array_equal(found.confidence, model.confidence_)
    exam = cross_examine(PartialLabelClassifier(NeighborWeights(8)), X, mask)
    np.testing.assert_array_equal(exam.distributions, again.distributions)


@pytest.mark.parametrize("options", [{"cv": 4}, {"repeats": 2}, {"groups": np.arange(2100) // 2}])
def test_other_folds_are_judged_again(options, fitted, monkeypatch):
    model, X, mask, kept = fitted

    def refused(*_):
        raise AssertionError("judged again")

    monkeypatch.setattr(label_kind, "judged", refused)
    with pytest.raises(AssertionError, match="judged again"):
        examine_fitted(model, X, mask, judgements=kept, **options)


def test_the_judgement_of_another_model_is_not_used(fitted, monkeypatch):
    _, X, mask, kept = fitted
    other = PartialLabelClassifier(NeighborWeights(8)).fit(X, mask)
    monkeypatch.setattr(label_kind, "judged", None)
    with pytest.raises(TypeError):
        examine_fitted(other, X, mask, judgements=kept)


def test_nothing_is_kept_unless_it_is_asked_for(fitted):
    _, X, mask, kept = fitted
    assert len(kept) == 1
    before = list(kept)
    PartialLabelClassifier(NeighborWeights(8)).fit(X[:200], mask[:200])
    assert kept == before
