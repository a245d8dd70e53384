"""Checks of parameters that estimators share."""

from typing import Any, Self

from disambig.parameters import (
    check_callback,
    check_choice,
    check_integer,
    check_number,
    refuse_collection,
)
from disambig.weights.registry import weighting_with

METHODS = ("disambiguation", "infimum", "average")


class ComponentParameters:
    """`set_params` with a clear error for parameters of a component that is only named."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters, as in scikit-learn.

        A parameter of a component, such as ``weights__n_neighbors``, needs a component object.
        """
        for name in params:
            component, _, rest = name.partition("__")
            given = params.get(component, getattr(self, component, None))
            if rest and given is not None and not hasattr(given, "set_params"):
                raise ValueError(
                    f"{type(self).__name__}: {name} needs an object in {component}; it is "
                    f"{given!r}, which has no parameters. Pass an object, such as "
                    f"{_example(component, rest)}, and then set {name}."
                )
        super().set_params(**params)  # type: ignore[misc]
        return self


def check_call(estimator: Any, y: Any) -> None:
    """Raise an error about a parameter that all estimators have, or if y is not there."""
    name = type(estimator).__name__
    check_choice(name, "method", estimator.method, METHODS)
    check_callback(name, estimator.callback)
    check_integer(name, "verbose", estimator.verbose, least=0)
    check_number(name, "resolve_at", estimator.resolve_at, most=1)
    check_tolerance(name, estimator.tolerance, estimator.method)
    if estimator.time_limit is not None:
        check_number(name, "time_limit", estimator.time_limit, positive=True)
    refuse_collection("y", y)
    if y is None:
        said = f"{name} requires y to be passed, but the target y is None."
        raise ValueError(said + estimator._instead_of_y)


def check_tolerance(owner: str, tolerance: Any, method: str) -> None:
    """Raise an error unless `tolerance` is None, "auto" or a price, which the method can use."""
    if tolerance is None:
        return
    if not isinstance(tolerance, str):
        check_number(
            owner, "tolerance", tolerance, advice="None never lets a target leave its set."
        )
    elif tolerance != "auto":
        raise ValueError(
            f"{owner}: tolerance must be None, 'auto' or a price >= 0; got {tolerance!r}."
        )
    if method != "disambiguation":
        raise ValueError(
            f"{owner}: tolerance={tolerance!r} lets targets leave their sets, and "
            f"method={method!r} recovers none. Use method='disambiguation', or tolerance=None."
        )


def _example(component: str, parameter: str) -> str:
    """A component that has a parameter, for an error."""
    if component.endswith("weights"):
        return f"{component}={weighting_with(parameter)}()"
    return f"{component}=AlternatingMinimization()" if component == "solver" else "one of its kind"
