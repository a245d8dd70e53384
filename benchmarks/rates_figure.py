"""The figure of the rate experiments."""

from pathlib import Path

from benchmarks.scaling_figure import save_small
from reproduce.figures.theory_rates import theory_rates_figure
from reproduce.rate_plan import Rates

__all__ = ["draw"]


def draw(found: dict[str, Rates], path: Path) -> None:
    """Write the figure with four panels to a file."""
    save_small(theory_rates_figure(found), path)
