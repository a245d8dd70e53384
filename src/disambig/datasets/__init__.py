"""Synthetic data with a known truth behind the sets."""

from disambig.datasets.circles import ConcentricCircles, make_concentric_circles
from disambig.datasets.sequences import TagSequences, make_tag_sequences

__all__ = [
    "ConcentricCircles",
    "TagSequences",
    "make_concentric_circles",
    "make_tag_sequences",
]
