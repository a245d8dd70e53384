"""What ``weights="auto"`` and ``solver="auto"`` are: chosen by hidden sets, without truth."""

from disambig.estimators.portfolio.choice import Trial, automatic_pieces, choose_pieces
from disambig.estimators.portfolio.settings import PORTFOLIO, Portfolio

__all__ = ["PORTFOLIO", "Portfolio", "Trial", "automatic_pieces", "choose_pieces"]
