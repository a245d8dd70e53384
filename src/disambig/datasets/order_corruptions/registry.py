"""The corruptions of rankings by the names that benchmarks give them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from disambig.datasets.order_corruptions.pairs import PairCorruption
from disambig.datasets.order_corruptions.protocol import OrderCorruption
from disambig.datasets.order_corruptions.score_gaps import ScoreGapCorruption
from disambig.datasets.order_corruptions.top_k import TopKCorruption

__all__ = ["ORDER_CORRUPTIONS"]

# Each takes one number: the level, or for "top_k" how many are seen. What each is then called on,
# ranks or scores, its `reads` says.
ORDER_CORRUPTIONS: Mapping[str, Callable[..., OrderCorruption]] = MappingProxyType(
    {
        "pairs": PairCorruption,
        "score_gaps": ScoreGapCorruption,
        "top_k": TopKCorruption,
    }
)
