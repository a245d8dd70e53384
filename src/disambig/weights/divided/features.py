"""Features of rows in parts, computed where the rows are: ``Phi`` as an operator.

A product sends each part the entries of its rows and brings back as many, or a small matrix that is
summed over the parts in their order. Features are not kept: they are computed anew in each product.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.notation import FloatArray, IntArray
from disambig.votes.executor import RowSlices
from disambig.weights.divided.rows import DividedRows


@dataclass(frozen=True, eq=False)
class FeatureBlocks:
    """Phi ``(n, r)`` in blocks, with the methods of `FeatureRows` that votes need.

    Parameters
    ----------
    whole : DividedRows
    blocks : list
        What the executor turns into `FeatureRows` of each part.
    at : function of inputs -> FeatureRows
        The features of other inputs.
    width : int
        r.
    """

    whole: DividedRows
    blocks: list[Any]
    at: Callable[[Any], Any]
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, r)``."""
        return len(self.whole), self.width

    def __matmul__(self, values: FloatArray) -> FloatArray:
        """``Phi @ values`` for values ``(r, k)``."""
        return np.concatenate(self._map(_applied, np.ascontiguousarray(values)))

    def gather(self, values: FloatArray) -> FloatArray:
        """``Phi' @ values`` for values ``(n, k)``."""
        own = RowSlices(np.ascontiguousarray(values), self.whole.bounds)
        found: FloatArray = sum(self._map(_gathered, own), np.zeros((self.width, values.shape[1])))
        return found

    def gram(self, sample_weight: FloatArray) -> FloatArray:
        """``Phi' W Phi``, ``(r, r)``.

        Parameters
        ----------
        sample_weight : float array (n,)
            The diagonal of W.
        """
        parts = self._map(_gram, RowSlices(sample_weight, self.whole.bounds))
        found: FloatArray = sum(parts, np.zeros((self.width, self.width)))
        return found

    def forms(self, factor: FloatArray) -> FloatArray:
        """``|F^{-1} phi_i|^2`` for a lower triangle F, ``(n,)``.

        Parameters
        ----------
        factor : float array (r, r)
        """
        return np.concatenate(self._map(_forms, factor))

    def rows(self, start: int, stop: int) -> FloatArray:
        """``Phi[start:stop]`` as an array."""
        found: FloatArray = self.at(self.whole[start:stop]).rows(0, stop - start)
        return found

    def take(self, rows: IntArray) -> Any:
        """The features of some of the rows, in memory."""
        return self.at(self.whole[rows])

    def squares(self) -> FloatArray:
        """Bounds of squared lengths, without the column of ones, ``(n,)``."""
        return np.concatenate(self._map(_squares))

    def _map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        return self.whole.executor.map(function, self.blocks, *arguments)


def _applied(block: Any, values: FloatArray) -> FloatArray:
    found: FloatArray = block @ values
    return found


def _gathered(block: Any, values: FloatArray) -> FloatArray:
    found: FloatArray = block.gather(values)
    return found


def _gram(block: Any, sample_weight: FloatArray) -> FloatArray:
    found: FloatArray = block.gram(sample_weight)
    return found


def _forms(block: Any, factor: FloatArray) -> FloatArray:
    found: FloatArray = block.forms(factor)
    return found


def _squares(block: Any) -> FloatArray:
    found: FloatArray = block.squares()
    return found
