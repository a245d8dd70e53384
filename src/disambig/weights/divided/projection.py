"""Votes at new inputs times a table, as a map of the inputs that holds no training rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, FloatArray

Projection = Callable[[AnyArray], FloatArray]


def projection_of(weights: Any, table: FloatArray) -> Projection:
    """The map from new inputs ``(q, d)`` to their votes times a table, ``(q, P)``.

    Parameters
    ----------
    weights : fitted weighting
        With `projection`; scaled and mixed ones are made of theirs.
    table : float array (n, P)

    Examples
    --------
    >>> from disambig.weights import NystromWeights
    >>> X, table = np.array([[0.0], [1.0], [3.0]]), np.eye(3)
    >>> weights = NystromWeights(bandwidth=1.0).fit(X)
    >>> found = projection_of(weights, table)(X[:2])
    >>> bool(np.allclose(found, weights.votes(X[:2]) @ table))
    True
    """
    if hasattr(weights, "divided_transform"):
        return Transformed(weights.divided_transform, projection_of(weights.weights_, table))
    if hasattr(weights, "members_") and hasattr(weights, "shares_"):
        parts = tuple(projection_of(member, table) for member in weights.members_)
        return Mixed(parts, weights.shares_)
    if not hasattr(weights, "projection"):
        raise MissingOracleError(
            f"{type(weights).__name__}: collections are not predicted lazily with these votes. "
            "Predict arrays by estimator_.predict, a part at a time."
        )
    found: Projection = weights.projection(table)
    return found


@dataclass(frozen=True, eq=False)
class Transformed:
    """A projection of transformed inputs."""

    transform: Callable[[AnyArray], AnyArray]
    of: Projection

    def __call__(self, X: AnyArray) -> FloatArray:
        """See `projection_of`."""
        return self.of(self.transform(X))


@dataclass(frozen=True, eq=False)
class Mixed:
    """A weighted sum of projections."""

    parts: tuple[Projection, ...]
    shares: tuple[float, ...]

    def __call__(self, X: AnyArray) -> FloatArray:
        """See `projection_of`."""
        first, *others = (
            share * part(X) for share, part in zip(self.shares, self.parts, strict=True)
        )
        return sum(others, first)


@dataclass(frozen=True, eq=False)
class FeatureProjection:
    """Features of new inputs times coefficients.

    Parameters
    ----------
    features_at : function of inputs -> object with ``@``
    coefficients : float array (r, P)
    """

    features_at: Callable[[AnyArray], Any]
    coefficients: FloatArray

    def __call__(self, X: AnyArray) -> FloatArray:
        """See `projection_of`."""
        return np.asarray(self.features_at(X) @ self.coefficients)
