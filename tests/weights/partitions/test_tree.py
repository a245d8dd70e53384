import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor

from disambig.exceptions import VotesError
from disambig.weights import TreeWeights

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(40, 3)), RNG.normal(size=(9, 3))
Y = X[:, 0] ** 2


def entries(votes):
    return votes @ np.eye(votes.shape[1])


@pytest.mark.parametrize("tree_class", [DecisionTreeRegressor, ExtraTreeRegressor])
def test_a_tree_predicts_by_these_votes(tree_class):
    sample_weight = RNG.uniform(0.5, 2.0, 40)
    tree = tree_class(min_samples_leaf=3, random_state=0).fit(X, Y, sample_weight=sample_weight)
    weights = TreeWeights(tree).fit(X, sample_weight)
    assert_allclose(weights.votes(Q) @ Y, tree.predict(Q), atol=1e-12)
    assert_allclose(weights.training_votes() @ Y, tree.predict(X), atol=1e-12)


def test_a_random_tree():
    weights = TreeWeights(min_samples_split=4).fit(X)
    sizes = np.bincount(weights.tree_.apply(X))
    assert sizes.max() < 4
    expected = weights.tree_.apply(Q)[:, None] == weights.tree_.apply(X)
    expected = expected / expected.sum(axis=1, keepdims=True)
    assert_allclose(entries(weights.votes(Q)), expected)
    alone = (sizes == 1)[weights.tree_.apply(X)].nonzero()[0]
    assert alone.size
    assert_array_equal(entries(weights.leave_one_out_votes())[alone], np.zeros((alone.size, 40)))


def test_a_clone_keeps_the_tree():
    tree = DecisionTreeRegressor().fit(X, Y)
    weighting = clone(TreeWeights(tree, leave_one_out=True))
    assert weighting.tree is tree
    assert weighting.leave_one_out


def test_bad_trees():
    with pytest.raises(
        ValueError, match=r"single tree; got a ExtraTreesRegressor of 3. Use Forest"
    ):
        TreeWeights(ExtraTreesRegressor(3).fit(X, Y)).fit(X)
    with pytest.raises(VotesError, match="tree is a DecisionTreeClassifier that is not fitted"):
        TreeWeights(DecisionTreeClassifier()).fit(X)
    with pytest.raises(ValueError, match="TreeWeights: min_samples_split must be an integer >= 2"):
        TreeWeights(min_samples_split=1).fit(X)
