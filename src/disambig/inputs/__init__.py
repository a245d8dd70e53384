"""Inputs with holes, and inputs known in part: how cells are completed, and which inputs fit."""

from disambig.inputs.alternatives import Alternatives
from disambig.inputs.cells import CellChoice, CellProblem
from disambig.inputs.completed_weights import CompletedWeights
from disambig.inputs.completion import Completion, fit_completion
from disambig.inputs.distribution import InputDistribution, InputDraws, fit_distribution
from disambig.inputs.input_completer import InputCompleter
from disambig.inputs.partial_inputs import PartialInputs

__all__ = [
    "Alternatives",
    "CellChoice",
    "CellProblem",
    "CompletedWeights",
    "Completion",
    "InputCompleter",
    "InputDistribution",
    "InputDraws",
    "PartialInputs",
    "fit_completion",
    "fit_distribution",
]
