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
from disambig.experiments.rate_settings import (
    ClusterLaw,
    RateSetting,
    always_together,
    label_noise,
    ordinal_pairs,
    separated_clusters,
)
from disambig.experiments.rates import RATE_METHODS, RatePoint, measure_rate, measure_rates
from disambig.experiments.simplex import SimplexPicture, paper_example, simplex_picture
from disambig.experiments.slopes import Slope, fit_slope

__all__ = [
    "RATE_METHODS",
    "ClusterLaw",
    "Demo",
    "Estimate",
    "LabelledData",
    "Outcome",
    "RatePoint",
    "RateSetting",
    "Recovered",
    "Setting",
    "SimplexPicture",
    "Slope",
    "Standing",
    "Summary",
    "always_together",
    "fit_slope",
    "label_noise",
    "load_labelled_data",
    "measure_rate",
    "measure_rates",
    "ordinal_pairs",
    "paper_example",
    "separated_clusters",
    "simplex_picture",
    "standings",
    "summarize",
]
