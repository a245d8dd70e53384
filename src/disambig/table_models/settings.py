"""How a table is fitted: the estimator of each kind of target, and its parameters."""

from dataclasses import asdict, dataclass
from typing import Any

from sklearn.model_selection import KFold

from disambig.estimators import (
    IntervalRegressor,
    PartialLabelClassifier,
    PartialRanker,
    StructuredPredictor,
)
from disambig.losses import HammingLoss
from disambig.parameters import check_integer

N_FOLDS = 5
_MAX_SEED = 2**32 - 1


@dataclass(frozen=True)
class FitSettings:
    """What a user may set about the fit; the defaults choose by themselves.

    Attributes
    ----------
    weights : str or weighting, default "auto"
    method : str, default "disambiguation"
    tolerance : None, float or "auto", default None
    time_limit : float, optional
    resolve_at : float, default 0.9
        As of the estimators.
    seed : int, optional
        Of the folds of the examination, and of the low-rank step of text columns. None: the folds
        depend on the inputs alone.

    Examples
    --------
    >>> FitSettings(weights="neighbors").make_estimator("labels")
    PartialLabelClassifier(weights='neighbors')
    """

    weights: Any = "auto"
    method: str = "disambiguation"
    tolerance: Any = None
    time_limit: float | None = None
    resolve_at: float = 0.9
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.seed is not None:
            check_integer("fit_table", "seed", self.seed, least=0)
            if self.seed > _MAX_SEED:
                raise ValueError(f"fit_table: seed must be below 2**32; got {self.seed}.")

    def make_estimator(self, kind: str) -> Any:
        """The estimator of a kind of target, unfitted."""
        parameters = {
            "weights": self.weights,
            "method": self.method,
            "tolerance": self.tolerance,
            "time_limit": self.time_limit,
            "resolve_at": self.resolve_at,
        }
        if kind == "labels":
            return PartialLabelClassifier(**parameters)
        if kind == "numbers":
            return IntervalRegressor(**parameters)
        if kind == "orders":
            return PartialRanker(**parameters)
        return StructuredPredictor(HammingLoss(), **parameters)

    def folds(self, n: int) -> Any:
        """The folds of the examination of n rows."""
        if self.seed is None or n < 2:
            return N_FOLDS
        return KFold(min(N_FOLDS, n), shuffle=True, random_state=self.seed)

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data; weights of the user as a text."""
        fields = asdict(self)
        if not isinstance(self.weights, str):
            fields["weights"] = repr(self.weights)
        return fields
