"""The base of estimators that fit another one on rows in parts: in files, or on a cluster."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from disambig.estimators.base import CandidateEstimator
from disambig.notation import AnyArray
from disambig.solvers.checkpoints import checkpoint_key
from disambig.weights.divided.rows import DividedRows
from disambig.weights.row_groups import row_keys


def rows_key(rows: DividedRows) -> str:
    """A text that tells rows from others, whatever their division is."""
    totals = np.add.reduce(np.stack(rows.map(_key_totals)), axis=0, dtype=np.uint64)
    return checkpoint_key([rows.shape, totals])


def _key_totals(part: AnyArray) -> AnyArray:
    """Sums of the hashes of the rows of a part modulo 2^64."""
    totals: AnyArray = row_keys(part).sum(axis=0, dtype=np.uint64)
    return totals


class PartsEstimator(BaseEstimator):
    """What estimators of rows in parts share.

    After ``fit`` the fitted estimator is `estimator_`, and its attributes (`labels_`,
    `confidence_`, `decided_`, `classes_`, `solution_` and so on) are also those of this one.
    """

    estimator: Any
    estimator_: CandidateEstimator

    def _checked_estimator(self) -> CandidateEstimator:
        """The estimator of the user."""
        if isinstance(self.estimator, CandidateEstimator):
            return self.estimator
        raise TypeError(
            f"{type(self).__name__}: estimator must be a PartialLabelClassifier, an "
            "IntervalRegressor, a PartialMultilabelClassifier or a PartialRanker; got "
            f"{self.estimator!r:.80}."
        )

    def __getattr__(self, name: str) -> Any:
        # Called for names that are not found otherwise.
        if name.endswith("_") and not name.startswith("_") and "estimator_" in vars(self):
            return getattr(self.estimator_, name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.")

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)

    def _require(self, method: str) -> None:
        """Raise if the fitted estimator has no such method."""
        check_is_fitted(self)
        if not hasattr(self.estimator_, method):
            raise AttributeError(f"{type(self.estimator_).__name__} has no method {method!r}.")
