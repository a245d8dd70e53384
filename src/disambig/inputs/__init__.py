"""Inputs with holes: how missing cells, NaN, are completed before anything is learned from them."""

from disambig.inputs.completed_weights import CompletedWeights
from disambig.inputs.completion import Completion, fit_completion

__all__ = ["CompletedWeights", "Completion", "fit_completion"]
