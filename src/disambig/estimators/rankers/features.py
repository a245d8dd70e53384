"""Features of logistic rankers: inputs of unit variance, or those of a kernel on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.estimators.selection.scales import scaled_inputs, unit_scales
from disambig.notation import FloatArray
from disambig.weights.kernels.similarity import Similarity, median_distance
from disambig.weights.row_groups import EqualRows

# Eigenvalues below this share of the largest one are rounding.
_MIN_EIGENVALUE = 1e-8


@dataclass(frozen=True, eq=False)
class LinearFeatures:
    """``(x - center) * scales``; sparse inputs are not centred."""

    center: FloatArray
    scales: FloatArray

    def __call__(self, X: Any) -> Any:
        """Features of the rows of X, ``(q, d)``."""
        return scaled_inputs(X if sp.issparse(X) else X - self.center, self.scales)


@dataclass(frozen=True, eq=False)
class KernelFeatures:
    """``k(x, L) V / sqrt(lambda)``: their inner products are the kernel's (Nyström).

    Parameters
    ----------
    inputs : LinearFeatures
    similarity : Similarity
    landmarks : (l, d)
        L, in units of `inputs`.
    basis : float (l, r)
        ``V / sqrt(lambda)``, the eigenvectors of the kernel between landmarks.
    """

    inputs: LinearFeatures
    similarity: Similarity
    landmarks: Any
    basis: FloatArray

    def __call__(self, X: Any) -> FloatArray:
        """Features of the rows of X, ``(q, r)``."""
        features: FloatArray = self.similarity(self.inputs(X), self.landmarks) @ self.basis
        return features


def linear_features(X: Any, sample_weight: FloatArray, scales: Any) -> LinearFeatures:
    """Inputs of unit variance if `scales` is None, else multiplied by them."""
    factors = unit_scales(X, sample_weight) if scales is None else np.asarray(scales, np.float64)
    if sp.issparse(X):
        return LinearFeatures(np.zeros(X.shape[1]), factors)
    return LinearFeatures(np.average(X, axis=0, weights=sample_weight), factors)


def kernel_features(
    X: Any,
    sample_weight: FloatArray,
    scales: Any,
    kernel: str,
    bandwidth: float,
    n_landmarks: int,
) -> KernelFeatures:
    """Features of a kernel whose bandwidth is given in units of the median distance.

    The landmarks are distinct rows in the order of their hashes: all of them if there are few.
    """
    inputs = linear_features(X, sample_weight, scales)
    scaled = inputs(X)
    norm = "manhattan" if kernel == "laplacian" else "euclidean"
    median = median_distance(scaled, sample_weight, norm=norm)
    similarity = Similarity(kernel, bandwidth * median)
    groups = EqualRows.build(X)
    landmarks = scaled[groups.first[groups.sorted_groups[:n_landmarks]]]
    values, vectors = np.linalg.eigh(similarity(landmarks, landmarks))
    kept = values > _MIN_EIGENVALUE * values[-1]
    basis = vectors[:, kept] / np.sqrt(values[kept])
    return KernelFeatures(inputs, similarity, landmarks, basis)
