"""How far to trust recovered targets: true labels of some rows, annotators, and their promises."""

from disambig.trust.annotators import combine_annotations

__all__ = ["combine_annotations"]
