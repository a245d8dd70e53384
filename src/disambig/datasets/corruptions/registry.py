"""Corruptions of labels, of tags, of numbers and of rankings by the names that benchmarks use."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from disambig.datasets.corruptions.bits import (
    BitCorruption,
    CandidateListCorruption,
    HiddenBitCorruption,
    PositivesCorruption,
)
from disambig.datasets.corruptions.censoring import (
    CensoringCorruption,
    MissingCorruption,
    SignCorruption,
)
from disambig.datasets.corruptions.instance import InstanceCorruption
from disambig.datasets.corruptions.labels import (
    ConfusionCorruption,
    MajorityPairCorruption,
    MajorityRowCorruption,
    UniformCorruption,
)
from disambig.datasets.corruptions.numbers import (
    BinCorruption,
    RoundingCorruption,
    SkewedCorruption,
    WidthCorruption,
)
from disambig.datasets.corruptions.orders import PairCorruption, ScoreGapCorruption, TopKCorruption
from disambig.datasets.corruptions.protocol import Corruption, IntervalCorruption, OrderCorruption
from disambig.datasets.corruptions.unlabeled import UnlabeledCorruption

# The first argument is the level; "instance" also needs scores.
CORRUPTIONS: Mapping[str, Callable[..., Corruption]] = MappingProxyType(
    {
        "uniform": UniformCorruption,
        "skewed_text": MajorityPairCorruption,
        "skewed_code": MajorityRowCorruption,
        "pairwise": ConfusionCorruption,
        "instance": InstanceCorruption,
        "semi_supervised": UnlabeledCorruption,
    }
)


# The first argument is the level.
BIT_CORRUPTIONS: Mapping[str, Callable[..., BitCorruption]] = MappingProxyType(
    {
        "uniform": HiddenBitCorruption,
        "positives": PositivesCorruption,
        "candidates": CandidateListCorruption,
    }
)


# The first argument: radius, largest width, step, edges, lower limit, share of rows, share of rows.
INTERVAL_CORRUPTIONS: Mapping[str, Callable[..., IntervalCorruption]] = MappingProxyType(
    {
        "skewed": SkewedCorruption,
        "widths": WidthCorruption,
        "rounding": RoundingCorruption,
        "bins": BinCorruption,
        "censoring": CensoringCorruption,
        "sign": SignCorruption,
        "missing": MissingCorruption,
    }
)


# The first argument is the level, or for "top_k" the number of observed items. The attribute
# `reads` tells whether the corruption is called with ranks or with scores.
ORDER_CORRUPTIONS: Mapping[str, Callable[..., OrderCorruption]] = MappingProxyType(
    {
        "pairs": PairCorruption,
        "score_gaps": ScoreGapCorruption,
        "top_k": TopKCorruption,
    }
)
