"""From numbers to the sets that hold them: skewed, rounded, binned, censored, signless, missing."""

from disambig.datasets.interval_corruptions.bins import BinCorruption
from disambig.datasets.interval_corruptions.censoring import CensoringCorruption
from disambig.datasets.interval_corruptions.missing import MissingCorruption
from disambig.datasets.interval_corruptions.protocol import IntervalCorruption
from disambig.datasets.interval_corruptions.registry import INTERVAL_CORRUPTIONS
from disambig.datasets.interval_corruptions.rounding import RoundingCorruption
from disambig.datasets.interval_corruptions.signs import SignCorruption
from disambig.datasets.interval_corruptions.skewed import SkewedCorruption
from disambig.datasets.interval_corruptions.widths import WidthCorruption

__all__ = [
    "INTERVAL_CORRUPTIONS",
    "BinCorruption",
    "CensoringCorruption",
    "IntervalCorruption",
    "MissingCorruption",
    "RoundingCorruption",
    "SignCorruption",
    "SkewedCorruption",
    "WidthCorruption",
]
