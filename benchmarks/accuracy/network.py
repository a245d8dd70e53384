"""A network ``softmax(h V + b)`` and its gradient steps; h are the inputs or hidden layers.

A hidden layer is ``max(gain * normal(h W) + shift, 0)``, where normal() subtracts the mean of every
column and divides by its deviation (batch normalisation). A step uses mean and deviation of the
batch, a prediction their running means, to which every new batch contributes a tenth.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from disambig.notation import FloatArray

__all__ = ["Network", "softmax"]

_MOMENTUM = 0.9
# The share of a new batch in the running means.
_RUNNING_MEAN_SHARE = 0.1
# Added to variances, so that a constant column is not divided by zero.
_MIN_VARIANCE = 1e-5


def softmax(scores: FloatArray) -> FloatArray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class Network:
    """Hidden layers of the given `widths`; without any it is linear.

    `weights` are those of one layer after the other, `gains` and `shifts` those of hidden layers.
    """

    def __init__(
        self,
        d: int,
        n_classes: int,
        widths: Sequence[int],
        rng: np.random.Generator,
        dtype: type[np.floating] = np.float32,
    ) -> None:
        self.weights = [
            rng.uniform(-np.sqrt(6.0 / (a + b)), np.sqrt(6.0 / (a + b)), (a, b)).astype(dtype)
            for a, b in pairwise([d, *widths, n_classes])
        ]
        # All classes are equally likely at the start.
        self.weights[-1][:] = 0.0
        self.gains = [np.ones(width, dtype) for width in widths]
        self.shifts = [np.zeros(width, dtype) for width in widths]
        self.bias = np.zeros(n_classes, dtype)
        self._velocities = [np.zeros_like(values) for values in self.parameters]
        self._means = [np.zeros(width, dtype) for width in widths]
        self._variances = [np.ones(width, dtype) for width in widths]

    @property
    def parameters(self) -> list[FloatArray]:
        """The arrays themselves; writing to them changes the network."""
        return [*self.weights, *self.gains, *self.shifts, self.bias]

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Probabilities of the classes, (q, K), with the running means."""
        h = X
        for depth, (gain, shift) in enumerate(zip(self.gains, self.shifts, strict=True)):
            scale = gain / np.sqrt(self._variances[depth] + _MIN_VARIANCE)
            h = np.maximum((h @ self.weights[depth] - self._means[depth]) * scale + shift, 0.0)
        return softmax(h @ self.weights[-1] + self.bias)

    def gradients(
        self, X: FloatArray, targets: FloatArray, decay: float
    ) -> tuple[list[FloatArray], FloatArray]:
        """Gradient of ``mean of -sum_c t_c log p_c + decay |parameters|² / 2``, and p before it."""
        inputs, normals, deviations = [X], [], []
        for depth, (gain, shift) in enumerate(zip(self.gains, self.shifts, strict=True)):
            sums = inputs[-1] @ self.weights[depth]
            mean, variance = sums.mean(axis=0), sums.var(axis=0)
            self._means[depth] += _RUNNING_MEAN_SHARE * (mean - self._means[depth])
            self._variances[depth] += _RUNNING_MEAN_SHARE * (variance - self._variances[depth])
            deviations.append(np.sqrt(variance + _MIN_VARIANCE))
            normals.append((sums - mean) / deviations[-1])
            inputs.append(np.maximum(normals[-1] * gain + shift, 0.0))
        p = softmax(inputs[-1] @ self.weights[-1] + self.bias)
        back = (p * targets.sum(axis=1, keepdims=True) - targets) / len(X)
        bias = back.sum(axis=0)
        weights = [inputs[-1].T @ back]
        gains: list[FloatArray] = []
        shifts: list[FloatArray] = []
        for depth in reversed(range(len(self.gains))):
            normal = normals[depth]
            back = (back @ self.weights[depth + 1].T) * (inputs[depth + 1] > 0)
            shifts.insert(0, back.sum(axis=0))
            gains.insert(0, (back * normal).sum(axis=0))
            # Mean and deviation of the batch depend on every one of its rows.
            back -= (shifts[0] + normal * gains[0]) / len(X)
            back *= self.gains[depth] / deviations[depth]
            weights.insert(0, inputs[depth].T @ back)
        found = [*weights, *gains, *shifts, bias]
        return [a + decay * b for a, b in zip(found, self.parameters, strict=True)], p

    def step(self, X: FloatArray, targets: FloatArray, *, rate: float, decay: float) -> FloatArray:
        """One step with momentum; returns the probabilities before it."""
        gradients, p = self.gradients(X, targets, decay)
        for values, velocity, gradient in zip(
            self.parameters, self._velocities, gradients, strict=True
        ):
            velocity *= _MOMENTUM
            velocity -= rate * gradient
            values += velocity
        return p
