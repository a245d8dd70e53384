"""How far to trust recovered targets: hidden sets, answers, annotators, and their promises."""

from disambig.trust.annotators import combine_annotations
from disambig.trust.cross_examination import cross_examine
from disambig.trust.examination import Acceptance, Examination

__all__ = ["Acceptance", "Examination", "combine_annotations", "cross_examine"]
