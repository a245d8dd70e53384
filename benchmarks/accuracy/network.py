"""A network of at most one hidden layer, ``softmax(max(x W + a, 0) V + b)``, and its steps."""

from itertools import pairwise

import numpy as np

from disambig.notation import FloatArray

__all__ = ["Network", "softmax"]

_MOMENTUM = 0.9


def softmax(scores: FloatArray) -> FloatArray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class Network:
    """Weights (and biases, last row) of one layer after the other; without `width` it is linear."""

    def __init__(self, d: int, n_classes: int, width: int | None, rng: np.random.Generator) -> None:
        sizes = [d, n_classes] if width is None else [d, width, n_classes]
        self.layers = [
            np.vstack([rng.normal(scale=np.sqrt(2.0 / a), size=(a, b)), np.zeros(b)])
            for a, b in pairwise(sizes)
        ]
        # Before anything is learnt all classes are equally likely.
        self.layers[-1][:] = 0.0
        self._velocities = [np.zeros_like(layer) for layer in self.layers]

    def probabilities(self, X: FloatArray) -> FloatArray:
        """(q, K)."""
        return softmax(self._activations(X)[-1])

    def slopes(
        self, X: FloatArray, targets: FloatArray, decay: float
    ) -> tuple[list[FloatArray], FloatArray]:
        """Gradient of ``mean of -sum_c t_c log p_c + decay |weights|² / 2``, and p before it."""
        activations = self._activations(X)
        p = softmax(activations[-1])
        back = (p * targets.sum(axis=1, keepdims=True) - targets) / len(X)
        found: list[FloatArray] = []
        for depth in reversed(range(len(self.layers))):
            layer, below = self.layers[depth], activations[depth]
            slope = np.vstack([below.T @ back + decay * layer[:-1], back.sum(axis=0)])
            found.insert(0, slope)
            back = (back @ layer[:-1].T) * (below > 0)
        return found, p

    def step(self, X: FloatArray, targets: FloatArray, *, rate: float, decay: float) -> FloatArray:
        """One step with momentum; returns the probabilities before it."""
        slopes, p = self.slopes(X, targets, decay)
        for layer, velocity, slope in zip(self.layers, self._velocities, slopes, strict=True):
            velocity *= _MOMENTUM
            velocity -= rate * slope
            layer += velocity
        return p

    def _activations(self, X: FloatArray) -> list[FloatArray]:
        """Inputs, hidden values, scores."""
        found = [X]
        for layer in self.layers[:-1]:
            found.append(np.maximum(found[-1] @ layer[:-1] + layer[-1], 0.0))
        found.append(found[-1] @ self.layers[-1][:-1] + self.layers[-1][-1])
        return found
