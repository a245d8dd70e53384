"""The base of estimators that fit another one on rows in parts: in files, or on a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from disambig.estimators.base import CandidateEstimator
from disambig.notation import AnyArray
from disambig.solvers.checkpoints import checkpoint_key, checkpoints
from disambig.solvers.loop import Status
from disambig.weights.divided.rows import DividedRows
from disambig.weights.row_groups import row_keys


@contextmanager
def kept_states(
    folder: Any, seconds: float, model: CandidateEstimator, rows: DividedRows, targets: Any
) -> Iterator[None]:
    """Keep the states of the solver in a folder while a model is fitted; nothing if it is None.

    A fit that was killed goes on from the last state. The folder is empty after a fit that has
    ended by itself; if a callback has ended it, the states stay.

    Parameters
    ----------
    folder : path or None
    seconds : float
        Between two states that are kept.
    model : unfitted estimator
        It is fitted in the block.
    rows : DividedRows
    targets : candidate sets as `fit` reads them
    """
    if folder is None:
        yield
        return
    totals = np.add.reduce(np.stack(rows.map(_key_totals)), axis=0, dtype=np.uint64)
    key = checkpoint_key([repr(model), rows.shape, totals, joblib.hash(targets)])
    with checkpoints(folder, key, seconds) as kept:
        yield
        solution = getattr(model, "solution_", None)
        if solution is None or solution.status is not Status.STOPPED:
            kept.remove()


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
