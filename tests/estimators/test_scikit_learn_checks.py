"""Every estimator passes the checks of scikit-learn; none is marked as an expected failure.

Around a forest or boosting, which do not meet it themselves, the check that a weight of 2 is the
same as two rows is left out (`counts_rows`).
"""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import estimator_checks_generator

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    Mixture,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    StructuredPredictor,
)
from disambig.estimators import DisambiguatedInputs
from disambig.estimators.interval_models import IntervalForest
from disambig.inputs import CompletedWeights, InputCompleter
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
from tests.estimators.small_search import small_search

LABELS, STRUCTURES, NUMBERS = PartialLabelClassifier(), StructuredPredictor(), IntervalRegressor()
BITS = PartialMultilabelClassifier()
FOREST = RandomForestClassifier(5, random_state=0)
# The form of what `IntervalRegressor()` selects.
MIXED = IntervalRegressor(
    Mixture(
        [
            IntervalRegressor(KernelRidgeWeights(intercept=True)),
            IntervalForest(n_trees=2, rounds=2),
        ]
    )
)
# Every estimator, and every branch of its fit.
QUICK = [
    LABELS,
    PartialLabelClassifier(weights=NeighborWeights()),
    PartialLabelClassifier(weights=KernelRidgeWeights()),
    PartialLabelClassifier(weights=PoissonWeights(), method="average"),
    PartialLabelClassifier(weights=NeighborWeights(), method="infimum"),
    STRUCTURES,
    BITS,
    PartialMultilabelClassifier(NeighborWeights()),
    PartialRanker(),
    DisambiguatedClassifier(weights=NeighborWeights()),
    DisambiguatedClassifier(GaussianNB(), start="average", cv=None),
    NUMBERS,
    MIXED,
    IntervalRegressor(NeighborWeights(), formulation="votes"),
    DisambiguatedRegressor(weights=KernelRidgeWeights(intercept=True)),
    DisambiguatedRegressor(DecisionTreeRegressor(random_state=0), start="average", cv=3),
]
# The same branches with other weights, solvers, methods and losses.
SLOW = [
    IntervalRegressor(KernelRidgeWeights(), tolerance=1.0),
    PartialRanker(NeighborWeights(), tolerance="auto"),
    PartialMultilabelClassifier(KernelRidgeWeights(), solver="annealed"),
    PartialMultilabelClassifier(NeighborWeights(), loss="f_measure", tag_counts=(0, 5)),
    PartialMultilabelClassifier(NeighborWeights(), method="average", tolerance=None),
    PartialLabelClassifier(weights=KernelRidgeWeights(intercept=True)),
    PartialLabelClassifier(weights=NystromWeights(n_landmarks=20)),
    PartialLabelClassifier(weights=NadarayaWatsonWeights()),
    PartialLabelClassifier(weights=LaplacianWeights()),
    PartialLabelClassifier(weights=KernelLaplacianWeights(n_landmarks=100)),
    PartialLabelClassifier(weights=ForestWeights(n_estimators=20)),
    PartialLabelClassifier(weights=NeighborWeights(), solver="annealed"),
    PartialLabelClassifier(weights=NeighborWeights(), solver="frank_wolfe"),
    PartialLabelClassifier(weights=NeighborWeights(), method="average"),
    DisambiguatedClassifier(GaussianNB(), weights=NeighborWeights(), weight_by_confidence=True),
    DisambiguatedClassifier(HistGradientBoostingClassifier(max_iter=3), start="average"),
    DisambiguatedClassifier(FOREST, start="average", cv="out-of-bag"),
    DisambiguatedRegressor(),
    DisambiguatedRegressor(
        RandomForestRegressor(5, random_state=0), weights=KernelRidgeWeights(), cv="out-of-bag"
    ),
    IntervalRegressor(KernelRidgeWeights(), formulation="votes"),
    IntervalRegressor(RandomFeatureWeights(n_features=20, intercept=True)),
    IntervalRegressor(method="infimum"),
    IntervalRegressor(method="average"),
    IntervalRegressor(loss="absolute"),
    IntervalRegressor(NeighborWeights(), loss="absolute"),
    IntervalRegressor(KernelRidgeWeights(), cv=2),
    PartialLabelClassifier(NeighborWeights(3, metric="nan_euclidean")),
    IntervalRegressor(CompletedWeights(KernelRidgeWeights(), "conditional + indicators")),
    InputCompleter(3),
    DisambiguatedInputs(LogisticRegression(max_iter=5000), temperature=1.0, max_iter=1, n_draws=3),
    DisambiguatedInputs(PartialLabelClassifier(NeighborWeights(3)), temperature=np.inf),
]


def is_variation(check):
    """Whether it repeats another check with another form of the input."""
    name = check.func.__name__
    return "readonly_memmap" in check.keywords or name == "check_estimator_sparse_matrix"


def counts_rows(estimator):
    """Whether a weight of 2 is not the same as two rows for the model of scikit-learn inside.

    Forests draw rows, boosting limits the number of rows in a leaf.
    """
    unequal = (RandomForestClassifier, RandomForestRegressor, HistGradientBoostingClassifier)
    return isinstance(getattr(estimator, "estimator", None), unequal)


# Checks that search for weights. The quick tests keep two of all estimators, which are
# `check_estimators_pickle` and `check_readonly_memmap_input`, and those of classes and their
# probabilities; in other checks the rows are too few for a search.
SEARCHES = {
    "check_classifiers_train",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_regressor_data_not_an_array",
    "check_regressors_int",
    "check_regressors_train",
    "check_sample_weights_list",
    "check_supervised_y_2d",
}


def takes_long(estimator, check):
    """Whether it searches for weights, or fits a mixture many times.

    The quick tests run all checks for every estimator whose weights are named.
    """
    name = check.func.__name__
    if estimator is MIXED:
        return is_variation(check) or name == "check_estimator_sparse_array"
    searching = (LABELS, STRUCTURES, BITS, NUMBERS)
    return estimator in searching and (is_variation(check) or name in SEARCHES)


def checks():
    """All checks of all estimators; those of `SLOW`, and what takes long for others, are slow."""
    for estimator in QUICK + SLOW:
        for copy, check in estimator_checks_generator(estimator):
            if counts_rows(estimator) and "sample_weight_equivalence" in check.func.__name__:
                continue
            slow = estimator in SLOW or takes_long(estimator, check)
            yield pytest.param(copy, check, marks=[pytest.mark.slow] if slow else [])


def identity(value):
    if not isinstance(value, partial):
        return re.sub(r"\s", "", str(value))
    options = ",".join(f"{name}={option}" for name, option in value.keywords.items())
    return value.func.__name__ + (f"({options})" if options else "")


@pytest.mark.filterwarnings("ignore:.*n_neighbors.*:UserWarning")
@pytest.mark.filterwarnings("ignore:.*get no vote.*:UserWarning")
@pytest.mark.filterwarnings("ignore:.*never a candidate.*:UserWarning")
# The checks draw labels at random, which no weights predict better than a constant.
@pytest.mark.filterwarnings("ignore:weights='auto':UserWarning")
@pytest.mark.filterwarnings("ignore:No row to score:UserWarning")
@pytest.mark.parametrize(("estimator", "check"), list(checks()), ids=identity)
def test_scikit_learn_check(estimator, check):
    # The checks are about conventions, not about how good the members are that a search finds.
    with small_search(), warnings.catch_warnings():
        # The checks feed column vectors on purpose; the warning is scikit-learn's own.
        warnings.filterwarnings("ignore", message="A column-vector y was passed")
        check(estimator)
