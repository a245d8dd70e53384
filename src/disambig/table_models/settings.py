"""How a table is fitted: the estimator of each kind of target, and its parameters."""

from dataclasses import asdict, dataclass
from typing import Any

from sklearn.model_selection import KFold

from disambig.estimators import (
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.parameters import check_integer

N_FOLDS = 5
_MAX_SEED = 2**32 - 1
_OF_TAGS = ("tag_frequencies", "tag_counts", "implications")


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
    tag_frequencies, tag_counts, implications : optional
        For tags only; see `PartialMultilabelClassifier`.

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
    tag_frequencies: Any = None
    tag_counts: Any = None
    implications: Any = None

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
        of_tags = {name: getattr(self, name) for name in _OF_TAGS}
        if kind == "bits":
            return PartialMultilabelClassifier(**parameters, **of_tags)
        for name, value in of_tags.items():
            if value is not None:
                raise ValueError(f"fit_table: {name}= is for tags (kind='bits'); got {kind}.")
        if kind == "labels":
            return PartialLabelClassifier(**parameters)
        if kind == "numbers":
            return IntervalRegressor(**parameters)
        return PartialRanker(**parameters)

    def seed_texts(self, preprocessor: Any) -> None:
        """Give the low-rank steps of text columns the seed, if there is one."""
        if self.seed is not None:
            names = preprocessor.get_params()
            parts = [name for name in names if name.endswith("low_rank__random_state")]
            preprocessor.set_params(**dict.fromkeys(parts, self.seed))

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
