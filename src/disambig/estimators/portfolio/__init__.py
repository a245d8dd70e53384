"""What ``weights="auto"`` and ``solver="auto"`` are: chosen by hidden sets, without truth."""

from disambig.estimators.portfolio.choice import automatic_pieces, choose_pieces
from disambig.estimators.portfolio.settings import PORTFOLIO, Portfolio
from disambig.estimators.portfolio.trials import Trial

__all__ = ["PORTFOLIO", "Portfolio", "Trial", "automatic_pieces", "choose_pieces"]
