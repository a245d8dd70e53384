"""The objects that a model consists of, each with the path to it."""

import types
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import ModelFileError
from disambig.persistence.trusted import LEAF_TYPES, is_trusted

_FUNCTIONS = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    np.ufunc,
    partial,
)
_ADVICE = " Callbacks of scikit-learn are removed by set_callbacks()."
_SCALARS = (str, int, float, bool, type(None))


class Reached(NamedTuple):
    """An object and where it is."""

    path: str
    value: Any


def reachable(model: Any) -> Iterator[Reached]:
    """All objects that a model consists of, each once; texts and numbers are left out.

    Raises
    ------
    ModelFileError
        An object contains itself.
    """
    done: dict[int, Any] = {}
    inside: set[int] = set()
    pending: list[tuple[str, Any, bool]] = [("model", model, False)]
    while pending:
        path, value, is_end = pending.pop()
        if is_end:
            inside.remove(id(value))
            continue
        if type(value) in _SCALARS:
            continue
        if id(value) in inside:
            raise ModelFileError(f"{path} contains itself")
        if id(value) in done:
            continue
        # Kept, so that no other object gets the same identity.
        done[id(value)] = value
        yield Reached(path, value)
        inside.add(id(value))
        pending.append((path, value, True))
        found = [(path + name, part, False) for name, part in _parts(value)]
        pending.extend(reversed(found))


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            yield from ((f"[{place}]", part) for place, part in enumerate(value.ravel().tolist()))
    elif isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from ((f"[{place}]", part) for place, part in enumerate(value))
    elif not (isinstance(value, (type, *LEAF_TYPES, *_FUNCTIONS)) or sp.issparse(value)):
        reduced = value.__reduce__()
        if reduced[0] is type(value):
            yield from ((f".<{place}>", part) for place, part in enumerate(reduced[1]))
            return
        state = value.__getstate__()
        if isinstance(state, dict):
            yield from ((f".{name}", part) for name, part in state.items())
        elif state is not None:
            yield ".<state>", state


def check_can_be_saved(model: Any) -> None:
    """Raise `ModelFileError` at the first object of a model that a file cannot hold, with its path.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> check_can_be_saved(PartialLabelClassifier(weights=lambda Q, X: 1.0))
    Traceback (most recent call last):
    ...
    disambig.exceptions.ModelFileError: model.weights is the function <lambda>, ...
    """
    for path, value in reachable(model):
        kind = type(value)
        name = f"{kind.__module__}.{kind.__qualname__}"
        if isinstance(value, _FUNCTIONS) or hasattr(value, "__code__"):
            raise ModelFileError(
                f"{path} is the function {getattr(value, '__name__', name)}, and a saved model "
                "holds no code. Set it to None or to a name before saving (a callback by "
                "set_params(callback=None)), or use joblib for files that you trust."
            )
        if not is_trusted(value):
            raise ModelFileError(
                f"{path} is a {name}, which is not on the list of types that a saved model may "
                "hold (disambig.persistence.trusted_types()). Use joblib for files that you trust."
                f"{_ADVICE if '._skl_callbacks' in path else ''}"
            )
        if kind is dict:
            _check_keys(path, value)


def _check_keys(path: str, value: dict[Any, Any]) -> None:
    for key in value:
        # A file holds keys as text: True would come back as a text, and 1 beside "1" as one key.
        if type(key) not in (str, int, float):
            raise ModelFileError(
                f"{path} has the key {key!r}; keys of a saved model are texts or numbers."
            )
    if len({str(key) for key in value}) < len(value):
        raise ModelFileError(f"{path} has keys that differ in their types only.")
