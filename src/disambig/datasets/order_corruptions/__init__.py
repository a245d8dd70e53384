"""From full rankings to partial orders: pairs are hidden, and what follows from the rest is not."""

from disambig.datasets.order_corruptions.information import hidden_share, information_left
from disambig.datasets.order_corruptions.pairs import PairCorruption
from disambig.datasets.order_corruptions.protocol import OrderCorruption
from disambig.datasets.order_corruptions.registry import ORDER_CORRUPTIONS
from disambig.datasets.order_corruptions.score_gaps import ScoreGapCorruption
from disambig.datasets.order_corruptions.top_k import TopKCorruption

__all__ = [
    "ORDER_CORRUPTIONS",
    "OrderCorruption",
    "PairCorruption",
    "ScoreGapCorruption",
    "TopKCorruption",
    "hidden_share",
    "information_left",
]
