"""`all_or_nothing`: a fit that ends with an error leaves the estimator as it was."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from sklearn.base import BaseEstimator

from disambig.estimators.progress.following import followed

P = ParamSpec("P")
E = TypeVar("E", bound=BaseEstimator)


def all_or_nothing(fit: Callable[P, E]) -> Callable[P, E]:
    """Decorate ``fit``: a fit that raises an error or is interrupted changes nothing.

    The fit runs on a copy of the estimator; the attributes of the copy then replace those of the
    estimator in one assignment. What a subclass set before the fit stays, and so does what a
    callback sets on the estimator meanwhile. The phases of the fit are reported; see `followed`.
    """
    reported = followed(fit)

    @wraps(fit)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> E:
        estimator: Any = args[0]
        before = dict(vars(estimator))
        # `copy` would go through __getstate__, by which a subclass may leave attributes out.
        trial = object.__new__(type(estimator))
        trial.__dict__.update(before)
        reported(trial, *args[1:], **kwargs)  # type: ignore[arg-type]
        # No value is the dictionary itself, so that a new name differs from its default.
        meanwhile = {
            name: value
            for name, value in vars(estimator).items()
            if before.get(name, before) is not value
        }
        estimator.__dict__ = vars(trial) | meanwhile
        fitted: E = estimator
        return fitted

    return guarded
