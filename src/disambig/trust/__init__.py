"""How far to trust recovered targets: hidden sets, answers, annotators, and their promises."""

from disambig.trust.abstention import Acceptance
from disambig.trust.annotators import combine_annotations
from disambig.trust.cross_examination import cross_examine
from disambig.trust.examination import Examination
from disambig.trust.questions import Questions
from disambig.trust.simulation import QuestionCurve, simulate_questions
from disambig.trust.suspects import Suspects

__all__ = [
    "Acceptance",
    "Examination",
    "QuestionCurve",
    "Questions",
    "Suspects",
    "combine_annotations",
    "cross_examine",
    "simulate_questions",
]
