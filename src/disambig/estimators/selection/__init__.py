"""Selection of ``weights="auto"`` and ``solver="auto"`` by hidden sets, without true targets."""

from disambig.estimators.selection.bags import BagSelection
from disambig.estimators.selection.labels import LabelSelection
from disambig.estimators.selection.protocol import Trial
from disambig.estimators.selection.search import Selection, select
from disambig.estimators.selection.space import SEARCH_SPACE, SearchSpace

__all__ = [
    "SEARCH_SPACE",
    "BagSelection",
    "LabelSelection",
    "SearchSpace",
    "Selection",
    "Trial",
    "select",
]
