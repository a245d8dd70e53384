import numpy as np
import pytest

from disambig.weights import (
    ForestWeights,
    FunctionWeights,
    HistogramWeights,
    KernelRidgeWeights,
    LaplacianWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    PrecomputedWeights,
    RandomFeatureWeights,
    TreeWeights,
)
from disambig.weights.registry import is_pairwise, resolve_weights


class Bare:
    """Has the methods of the contract but cannot be cloned."""

    def fit(self, X, sample_weight=None):
        return self

    def training_votes(self): ...

    def leave_one_out_votes(self): ...

    def votes(self, X): ...


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("neighbors", NeighborWeights),
        ("kernel_ridge", KernelRidgeWeights),
        ("nadaraya_watson", NadarayaWatsonWeights),
        ("nystrom", NystromWeights),
        ("random_features", RandomFeatureWeights),
        ("forest", ForestWeights),
        ("tree", TreeWeights),
        ("histogram", HistogramWeights),
        ("laplacian", LaplacianWeights),
        ("precomputed", PrecomputedWeights),
    ],
)
def test_names(name, kind):
    weighting = resolve_weights(name)
    assert type(weighting) is kind
    assert weighting.get_params() == kind().get_params()


def test_a_weighting_is_cloned():
    mine = NeighborWeights(3).fit(np.eye(4))
    ours = resolve_weights(mine)
    assert ours is not mine
    assert ours.n_neighbors == 3
    assert not hasattr(ours, "sample_weight_")


def test_a_function():
    weighting = resolve_weights(np.dot)
    assert isinstance(weighting, FunctionWeights)
    assert weighting.function is np.dot


@pytest.mark.parametrize("weights", ["neighbours", None, 3])
def test_unknown(weights):
    message = "one of 'neighbors', 'kernel_ridge', .*, 'precomputed' or a weighting such as"
    with pytest.raises(ValueError, match=message):
        resolve_weights(weights)


def test_almost_a_weighting():
    with pytest.raises(TypeError, match=r"got the class NeighborWeights; pass an instance"):
        resolve_weights(NeighborWeights)
    with pytest.raises(TypeError, match=r"Bare cannot be cloned"):
        resolve_weights(Bare())


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ("precomputed", True),
        (PrecomputedWeights(), True),
        (NeighborWeights(metric="precomputed"), True),
        (KernelRidgeWeights("precomputed"), True),
        (LaplacianWeights(metric="precomputed"), True),
        (NadarayaWatsonWeights("precomputed"), True),
        ("neighbors", False),
        (NeighborWeights(), False),
        (NeighborWeights(metric=np.dot), False),
        (KernelRidgeWeights(), False),
        (LaplacianWeights(), False),
        (KernelRidgeWeights(np.dot), False),
        (NadarayaWatsonWeights("box"), False),
        (FunctionWeights(np.dot), False),
        (ForestWeights(), False),
        (np.dot, False),
        (Bare(), False),
        (PrecomputedWeights, False),
        (None, False),
        ("nonsense", False),
    ],
)
def test_is_pairwise(weights, expected):
    assert is_pairwise(weights) is expected


@pytest.mark.parametrize("name", ["neighbors", "laplacian", "poisson", "paths", "forest"])
def test_no_jobs(name):
    weighting = resolve_weights(name).set_params(n_jobs=0)
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0"):
        weighting.fit(np.arange(8.0)[:, None])
