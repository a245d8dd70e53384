"""What the estimators share that recover targets first, and then train a model on them."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from disambig.estimators.base import ComponentParameters
from disambig.estimators.fitting import validated_inputs
from disambig.weights.registry import is_pairwise

# Attributes of the disambiguator that are also those of the estimator.
_SHARED = (
    "labels_",
    "confidence_",
    "resolved_",
    "objective_",
    "relaxed_objective_",
    "n_iter_",
    "converged_",
    "certified_",
    "trace_",
    "solution_",
    "trials_",
    "loss_",
    "weights_",
    "solver_",
)


class DisambiguatedEstimator(ComponentParameters, BaseEstimator, ABC):
    """Recover a target for every row, then fit any scikit-learn estimator to the targets.

    A subclass fits a `disambiguator_` and the `estimator_`.
    """

    estimator: Any
    weights: Any
    # What predicts, in errors: "classifier" or "regressor".
    _role: ClassVar[str]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        inner = self._template()
        if hasattr(inner, "__sklearn_tags__"):
            tags.input_tags.sparse = inner.__sklearn_tags__().input_tags.sparse
        return tags

    @abstractmethod
    def _template(self) -> Any:
        """The estimator of the user, or the default one."""

    def _disambiguate(
        self, disambiguator: Any, X: Any, y: Any, weights: Any, extra: tuple[str, ...] = ()
    ) -> None:
        """Fit the disambiguator on checked inputs, and take over its attributes."""
        with config_context(assume_finite=True):
            self.disambiguator_ = disambiguator.fit(X, y, sample_weight=weights)
        for name in (*_SHARED, *extra):
            setattr(self, name, getattr(disambiguator, name))

    def _check_components(self) -> None:
        """Refuse an estimator that cannot be trained, and weights that need pairs as inputs."""
        template = self._template()
        if isinstance(template, type) or not hasattr(template, "fit"):
            raise TypeError(
                f"{type(self).__name__}: estimator must be a {self._role} of scikit-learn, with a "
                f"method fit; got {template!r}."
            )
        if is_pairwise(self.weights):
            raise ValueError(
                f"{type(self).__name__} needs inputs that its {self._role} can learn from; X "
                f"cannot hold precomputed pairs. Recover the labels with them first, then fit the "
                f"{self._role} on labels_."
            )

    def _require_sample_weight(self, advice: str) -> None:
        if not has_fit_parameter(self._template(), "sample_weight"):
            raise ValueError(
                f"{type(self._template()).__name__}.fit takes no sample_weight. Choose a "
                f"{self._role} that does, or {advice}."
            )

    @staticmethod
    def _inner_inputs(X: Any, checked: Any) -> Any:
        # Data frames are passed on unchanged, so that a pipeline inside can select columns by name.
        return X if hasattr(X, "columns") else checked

    def _queries(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._inner_inputs(X, validated_inputs(self, X, reset=False))
