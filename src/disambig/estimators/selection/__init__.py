"""What ``weights="auto"`` and ``solver="auto"`` are: chosen by hidden sets, without truth."""

from disambig.estimators.selection.search import automatic_pieces, choose_pieces
from disambig.estimators.selection.space import PORTFOLIO, Portfolio
from disambig.estimators.selection.trials import Trial

__all__ = ["PORTFOLIO", "Portfolio", "Trial", "automatic_pieces", "choose_pieces"]
