"""Accuracy on real candidate sets does not fall below its measured level."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from disambig import PartialLabelClassifier
from disambig.datasets import load_partial_label_mat
from disambig.weights import KernelRidgeWeights


def _first_fold(data_dir, name):
    data = load_partial_label_mat(data_dir / "pll" / f"{name}.mat")
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(data.X, data.labels)
    train, test = next(folds)
    scaler = StandardScaler().fit(data.X[train])
    return (
        scaler.transform(data.X[train]),
        data.sets[train],
        data.labels[train],
        scaler.transform(data.X[test]),
        data.labels[test],
    )


# Measured on the first fold, standardised inputs, median bandwidth, ridge 1e-4: lost .769 test and
# .803 recovered (averaged candidates .640 and .799), MSRCv2 .469 and .612 (.435 and .611).
@pytest.mark.parametrize(
    ("name", "min_accuracy", "min_recovered"), [("lost", 0.72, 0.77), ("MSRCv2", 0.41, 0.54)]
)
@pytest.mark.filterwarnings("ignore:.*never a candidate.*")
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
def test_accuracy_on_real_sets(data_dir, name, min_accuracy, min_recovered):
    X, sets, labels, queries, truth = _first_fold(data_dir, name)
    model = PartialLabelClassifier(weights=KernelRidgeWeights(regularization=1e-4)).fit(X, sets)
    assert sets.contains(model.labels_).all()
    assert np.mean(model.predict(queries) == truth) >= min_accuracy
    assert np.mean(model.labels_ == labels) >= min_recovered
    # Wrong labels have less confidence than right ones.
    right = model.labels_ == labels
    assert model.confidence_[right].mean() > model.confidence_[~right].mean() + 0.1
