"""Drawings of the figures, on given Axes or on a new Figure; pyplot is not used."""

from reproduce.figures.rate_panels import RateBound, RateCurve, RatePanel
from reproduce.figures.rates import plot_rates, rates_figure
from reproduce.figures.ternary import plot_decision_regions, simplex_figure

__all__ = [
    "RateBound",
    "RateCurve",
    "RatePanel",
    "plot_decision_regions",
    "plot_rates",
    "rates_figure",
    "simplex_figure",
]
