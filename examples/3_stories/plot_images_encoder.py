"""
Images, with an encoder in front
================================

An encoder that was trained without labels makes few images with candidates enough.

Votes compare inputs, and raw pixels of noisy images compare badly. So we put an encoder in front,
as a step of a pipeline: principal components, or a small network that learned to remove noise. Both
learn from all images; only 300 of them have candidates.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neural_network import MLPRegressor
from sklearn.utils.validation import check_is_fitted

from disambig import PartialLabelClassifier
from disambig.datasets import UniformCorruption

clean, truth = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
images = clean / 16 + rng.normal(0, 0.35, clean.shape)
train, test = slice(0, 300), slice(300, None)
sets = UniformCorruption(0.5)(truth[train], random_state=0)

# %%
# The network reads an image with even more noise and is trained to return it without. Its hidden
# layer is the code. Every transformer of scikit-learn works here; so does a wrapper around a model
# of your own that turns images into vectors.


class DenoisingEncoder(TransformerMixin, BaseEstimator):
    """The hidden layer of a network that removes noise."""

    def __init__(self, n_components=32):
        self.n_components = n_components

    def fit(self, X, y=None):
        noise = np.random.default_rng(0).normal(0, 0.3, (2, *X.shape))
        # A loose tolerance ends the training early.
        self.network_ = MLPRegressor(
            hidden_layer_sizes=(self.n_components,),
            learning_rate_init=0.005,
            tol=1e-3,
            random_state=0,
        )
        self.network_.fit(np.concatenate(X + noise), np.tile(X, (2, 1)))
        return self

    def transform(self, X):
        check_is_fitted(self)
        return np.maximum(X @ self.network_.coefs_[0] + self.network_.intercepts_[0], 0)


encoders = {
    "pixels": None,
    "12 principal components": PCA(12, random_state=0),
    "denoising network": DenoisingEncoder(),
}
accuracy = {}
for name, encoder in encoders.items():
    # The encoder sees all images and no label. Its codes are the inputs of the classifier.
    codes = images if encoder is None else encoder.fit(images).transform(images)
    model = PartialLabelClassifier().fit(codes[train], sets)
    recovered = (model.labels_ == truth[train]).mean()
    accuracy[name] = recovered, model.score(codes[test], truth[test])
    print(f"{name}: {recovered:.1%} of the labels recovered, {accuracy[name][1]:.1%} on new images")

# %%
# Partly true: an encoder helps as much as it removes what does not matter. Here the principal
# components do most of it. On clean digits pixels are good enough, and nothing is gained.

figure, (shown, bars) = plt.subplots(
    1, 2, figsize=(9.5, 3.4), width_ratios=[1, 2], layout="constrained"
)
framed = np.pad(images[:4].reshape(4, 8, 8), ((0, 0), (1, 1), (1, 1)), constant_values=np.nan)
shown.imshow(framed.reshape(2, 2, 10, 10).swapaxes(1, 2).reshape(20, 20), cmap="gray_r")
shown.set(xticks=[], yticks=[], title=f"Images of {', '.join(map(str, truth[:4]))}")
shown.set_frame_on(False)
places = np.arange(len(accuracy))
for shift, part, colour, label in (
    (-0.2, 0, "#0072B2", "recovered labels"),
    (0.2, 1, "#E69F00", "new images"),
):
    drawn = bars.bar(
        places + shift, [pair[part] for pair in accuracy.values()], 0.38, color=colour, label=label
    )
    bars.bar_label(drawn, [f"{pair[part]:.0%}" for pair in accuracy.values()], padding=2)
bars.set_xticks(places, list(accuracy))
bars.set(ylim=(0, 1.2), ylabel="right", title="What the classifier sees decides")
bars.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
bars.legend(ncols=2, loc="upper left")
plt.show()
