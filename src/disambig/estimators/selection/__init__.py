"""Selection of ``weights="auto"`` and ``solver="auto"`` by hidden sets, without true labels."""

from disambig.estimators.selection.search import (
    resolve_weights_and_solver,
    select_weights_and_solver,
)
from disambig.estimators.selection.space import SEARCH_SPACE, SearchSpace
from disambig.estimators.selection.trials import Trial

__all__ = [
    "SEARCH_SPACE",
    "SearchSpace",
    "Trial",
    "resolve_weights_and_solver",
    "select_weights_and_solver",
]
