"""The paper's semi-supervised figure: four labelled points among two thousand."""

import numpy as np
import pytest

from disambig import PartialLabelClassifier
from disambig.datasets import make_concentric_circles
from disambig.exceptions import InputShiftWarning
from disambig.weights import NadarayaWatsonWeights, NeighborWeights


@pytest.mark.parametrize("seed", range(20))
def test_all_labels_are_recovered(seed):
    X, y, truth = make_concentric_circles(random_state=seed)
    model = PartialLabelClassifier(weights=NeighborWeights(n_neighbors=20), classes=[1, 2, 3, 4])
    model.fit(X, y)
    assert len(X) == 2004
    np.testing.assert_array_equal(model.labels_, truth)
    assert model.decided_.all()
    assert model.converged_


def test_grid_predictions_are_the_nearest_circle_and_those_of_the_infimum_loss_are_not():
    X, y, _ = make_concentric_circles(random_state=0)
    # The paper writes exp(-|x - x'|^2 / h) with h = .08; ours is exp(-|x - x'|^2 / (2 b^2)).
    near = NadarayaWatsonWeights(bandwidth=np.sqrt(0.08 / 2))
    axis = np.linspace(-4.5, 4.5, 50)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    nearest = np.clip(np.rint(np.linalg.norm(grid, axis=1)), 1, 4)
    weights = NeighborWeights(n_neighbors=20)
    shared = {"weights": weights, "predict_weights": near, "classes": [1, 2, 3, 4]}
    joint = PartialLabelClassifier(**shared).fit(X, y)
    alone = PartialLabelClassifier(method="infimum", **shared).fit(X, y)
    # Half of the grid lies between the circles and beyond them.
    with pytest.warns(InputShiftWarning, match="lie farther from the training rows"):
        assert (joint.predict(grid) == nearest).mean() >= 0.99
    # It performs as if only the four labelled points were given (measured: .33).
    with pytest.warns(InputShiftWarning):
        assert (alone.predict(grid) == nearest).mean() < 0.6
