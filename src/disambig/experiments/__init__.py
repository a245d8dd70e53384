"""Comparisons that anybody can repeat: numbers in, numbers out, nothing printed."""

from disambig.experiments.comparison import Estimate, Outcome, Summary, summarize
from disambig.experiments.demo import Demo, Recovered
from disambig.experiments.labelled_data import LabelledData, load_labelled_data

__all__ = [
    "Demo",
    "Estimate",
    "LabelledData",
    "Outcome",
    "Recovered",
    "Summary",
    "load_labelled_data",
    "summarize",
]
