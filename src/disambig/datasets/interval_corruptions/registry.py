"""The corruptions of numbers by the names that benchmarks give them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from disambig.datasets.interval_corruptions.bins import BinCorruption
from disambig.datasets.interval_corruptions.censoring import CensoringCorruption
from disambig.datasets.interval_corruptions.missing import MissingCorruption
from disambig.datasets.interval_corruptions.protocol import IntervalCorruption
from disambig.datasets.interval_corruptions.rounding import RoundingCorruption
from disambig.datasets.interval_corruptions.signs import SignCorruption
from disambig.datasets.interval_corruptions.skewed import SkewedCorruption
from disambig.datasets.interval_corruptions.widths import WidthCorruption

__all__ = ["INTERVAL_CORRUPTIONS"]

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
