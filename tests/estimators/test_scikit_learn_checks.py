"""Every estimator passes scikit-learn's own checks, without an expected failure."""

import warnings

import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    PartialForestClassifier,
    PartialLabelClassifier,
    PartialRanker,
    StructuredPredictor,
)
from disambig.weights import (
    ForestWeights,
    KernelLaplacianWeights,
    KernelRidgeWeights,
    LaplacianWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    PoissonWeights,
    RandomFeatureWeights,
)

ESTIMATORS = [
    PartialLabelClassifier(),
    PartialLabelClassifier(weights=NeighborWeights()),
    PartialLabelClassifier(weights=KernelRidgeWeights()),
    PartialLabelClassifier(weights=KernelRidgeWeights(intercept=True)),
    PartialLabelClassifier(weights=NystromWeights(n_landmarks=20)),
    PartialLabelClassifier(weights=NadarayaWatsonWeights()),
    PartialLabelClassifier(weights=LaplacianWeights()),
    PartialLabelClassifier(weights=PoissonWeights(), method="average"),
    PartialLabelClassifier(weights=KernelLaplacianWeights(n_landmarks=100)),
    PartialLabelClassifier(weights=ForestWeights(n_estimators=20)),
    PartialForestClassifier(RandomForestRegressor(20, random_state=0), refits=1),
    PartialLabelClassifier(weights=NeighborWeights(), solver="annealed"),
    PartialLabelClassifier(weights=NeighborWeights(), solver="frank_wolfe"),
    PartialLabelClassifier(weights=NeighborWeights(), method="infimum"),
    PartialLabelClassifier(weights=NeighborWeights(), method="average"),
    StructuredPredictor(),
    PartialRanker(),
    DisambiguatedClassifier(weights=NeighborWeights()),
    DisambiguatedClassifier(GaussianNB(), weights=NeighborWeights(), weight_by_confidence=True),
    IntervalRegressor(),
    IntervalRegressor(NeighborWeights(), formulation="votes"),
    IntervalRegressor(KernelRidgeWeights(), formulation="votes"),
    IntervalRegressor(RandomFeatureWeights(n_features=20, intercept=True)),
    IntervalRegressor(method="infimum"),
    IntervalRegressor(method="average"),
    IntervalRegressor(loss="absolute"),
    IntervalRegressor(NeighborWeights(), loss="absolute"),
    IntervalRegressor(calibration=2),
    DisambiguatedRegressor(),
    DisambiguatedRegressor(DecisionTreeRegressor(random_state=0), refits=1),
]


@pytest.mark.filterwarnings("ignore:.*n_neighbors.*:UserWarning")
@pytest.mark.filterwarnings("ignore:.*out of reach.*:UserWarning")
@pytest.mark.filterwarnings("ignore:.*never a candidate.*:UserWarning")
# Labels that the checks draw at random are not to be predicted, which is said.
@pytest.mark.filterwarnings("ignore:weights='auto':UserWarning")
@pytest.mark.filterwarnings("ignore:No row to score:UserWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    with warnings.catch_warnings():
        # The checks feed column vectors on purpose; the warning is scikit-learn's own.
        warnings.filterwarnings("ignore", message="A column-vector y was passed")
        check(estimator)
