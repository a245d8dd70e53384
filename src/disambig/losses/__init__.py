"""Losses on labels, bits, orders and numbers.

A loss is an inner product of two embeddings, ``loss(z, y) = <psi(z), phi(y)>``, and has two exact
minimisers: over all predictions, and over the candidates of a row. `disambig.losses.protocol` is
the contract that solvers rely on.
"""

from disambig.losses.bits.f_measure import FMeasureLoss
from disambig.losses.bits.hamming import HammingLoss
from disambig.losses.bits.linear import TopKLoss
from disambig.losses.labels.abstain import AbstainLoss
from disambig.losses.labels.losses import HierarchicalLoss, MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.numbers.pinball import AbsoluteLoss, PinballLoss
from disambig.losses.numbers.protocol import NumberLoss
from disambig.losses.numbers.squared import SquaredLoss
from disambig.losses.orders.kendall import KendallLoss
from disambig.losses.orders.positions import DCGLoss, FootruleLoss
from disambig.losses.protocol import Loss
from disambig.losses.structured import StructuredTask

__all__ = [
    "AbsoluteLoss",
    "AbstainLoss",
    "DCGLoss",
    "FMeasureLoss",
    "FootruleLoss",
    "HammingLoss",
    "HierarchicalLoss",
    "KendallLoss",
    "Loss",
    "MatrixLoss",
    "NumberLoss",
    "OrdinalLoss",
    "PinballLoss",
    "SquaredLoss",
    "StructuredTask",
    "TopKLoss",
    "ZeroOneLoss",
]
