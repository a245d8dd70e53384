"""Figures, drawn on Axes of the caller or on a Figure of their own; pyplot is never touched."""

from disambig.plots.error_curves import error_curves_figure, plot_error_curves
from disambig.plots.rate_panels import RateBound, RateCurve, RatePanel
from disambig.plots.rates import plot_rates, rates_figure
from disambig.plots.ternary import plot_decision_regions, simplex_figure

__all__ = [
    "RateBound",
    "RateCurve",
    "RatePanel",
    "error_curves_figure",
    "plot_decision_regions",
    "plot_error_curves",
    "plot_rates",
    "rates_figure",
    "simplex_figure",
]
