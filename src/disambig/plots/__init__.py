"""Figures, drawn on Axes of the caller or on a Figure of their own; pyplot is never touched."""

from disambig.plots.error_curves import error_curves_figure, plot_error_curves

__all__ = ["error_curves_figure", "plot_error_curves"]
