"""Comparisons that anybody can repeat: numbers in, numbers out, nothing printed."""

from disambig.experiments.comparison import (
    Estimate,
    Outcome,
    Standing,
    Summary,
    standings,
    summarize,
)
from disambig.experiments.demo import Demo, Recovered, Setting
from disambig.experiments.labelled_data import LabelledData, load_labelled_data

__all__ = [
    "Demo",
    "Estimate",
    "LabelledData",
    "Outcome",
    "Recovered",
    "Setting",
    "Standing",
    "Summary",
    "load_labelled_data",
    "standings",
    "summarize",
]
