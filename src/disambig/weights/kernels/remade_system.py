"""`RemadeSystem`: stored weightings come without the kernel matrix, which follows from the rows."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.notation import FloatArray
from disambig.weights.kernels.system import RidgeSystem


class RemadeSystem(ABC):
    """What `KernelRidgeWeights` does about its `RidgeSystem` when it is stored and loaded.

    A stored weighting has the inverse, with which it predicts. The kernel matrix is of the same
    size, is needed for another ridge and for other rows only, and is then computed again.
    """

    X_fit_: Any
    sample_weight_: FloatArray
    kernel: Any

    @property
    @abstractmethod
    def _square(self) -> str:
        """ "kernel" if X is a kernel matrix, else an empty text."""

    @property
    @abstractmethod
    def _has_intercept(self) -> bool:
        """Whether it was fitted with an intercept."""

    @cached_property
    def system_(self) -> RidgeSystem:
        """The kernel matrix at every ridge; made again where a copy came without it."""
        check_is_fitted(self)
        return self._system_of(self._gram(self.X_fit_))

    @abstractmethod
    def _gram(self, X: Any) -> FloatArray:
        """The kernel of the rows, a new array."""

    def _system_of(self, gram: FloatArray) -> RidgeSystem:
        """The system of the kernel matrix, which is written to."""
        root = np.sqrt(self.sample_weight_)
        gram *= root
        gram *= root[:, None]
        # Named kernels are positive semi-definite; those of the user are checked.
        return RidgeSystem(gram, root if self._has_intercept else None, certain=self._is_named)

    @property
    def _is_named(self) -> bool:
        """Whether the kernel is known by its name, so that the rows are enough to compute it."""
        return isinstance(self.kernel, str) and not self._square

    def __copy__(self) -> Self:
        # Copies in memory share it.
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __getstate__(self) -> dict[str, Any]:
        given: Any = super().__getstate__()
        state: dict[str, Any] = dict(given)
        system = state.get("system_")
        if self._is_named and system is not None and system.rows is None:
            del state["system_"]
        return state
