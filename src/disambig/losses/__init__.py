"""Losses on labels, bits, orders and numbers.

A loss is an inner product of two embeddings, ``loss(z, y) = <psi(z), phi(y)>``, and has two exact
minimisers: over all predictions, and over the candidates of a row. `disambig.losses.protocol` is
the contract that solvers rely on.
"""

from disambig.losses.bits.faces import BitFaces
from disambig.losses.bits.hamming import BoundHamming, HammingLoss
from disambig.losses.bits.soft import SoftBits
from disambig.losses.labels.abstain import AbstainLoss
from disambig.losses.labels.faces import CodedFaces, LabelFaces
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.labels.losses import HierarchicalLoss, MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.labels.measures import SetMeasure, WellBehaved
from disambig.losses.labels.soft import SoftFaces
from disambig.losses.numbers.pinball import AbsoluteLoss, PinballLoss
from disambig.losses.numbers.protocol import NumberLoss
from disambig.losses.numbers.squared import SquaredLoss
from disambig.losses.orders.faces import OrderFaces
from disambig.losses.orders.kendall import BoundKendall, KendallLoss
from disambig.losses.orders.position_kendall import BoundPositionKendall
from disambig.losses.orders.positions import BoundPlaceLoss, DCGLoss, FootruleLoss
from disambig.losses.orders.protocol import BoundOrderLoss, OrderLoss
from disambig.losses.orders.soft import SoftOrders
from disambig.losses.protocol import ExactInfimum, Faces, Loss
from disambig.losses.quadratic_split import QuadraticSplit, quadratic_split
from disambig.losses.registry import LabelLoss, bind_order_loss, resolve_loss, resolve_number_loss
from disambig.losses.softening import Softening, SoftLoss, SoftTargets
from disambig.losses.structured import PointFaces, StructuredLoss, StructuredTask

__all__ = [
    "AbsoluteLoss",
    "AbstainLoss",
    "BitFaces",
    "BoundHamming",
    "BoundKendall",
    "BoundOrderLoss",
    "BoundPlaceLoss",
    "BoundPositionKendall",
    "CodedFaces",
    "DCGLoss",
    "ExactInfimum",
    "Faces",
    "FiniteLoss",
    "FootruleLoss",
    "HammingLoss",
    "HierarchicalLoss",
    "KendallLoss",
    "LabelFaces",
    "LabelLoss",
    "Loss",
    "MatrixLoss",
    "NumberLoss",
    "OrderFaces",
    "OrderLoss",
    "OrdinalLoss",
    "PinballLoss",
    "PointFaces",
    "QuadraticSplit",
    "SetMeasure",
    "SoftBits",
    "SoftFaces",
    "SoftLoss",
    "SoftOrders",
    "SoftTargets",
    "Softening",
    "SquaredLoss",
    "StructuredLoss",
    "StructuredTask",
    "WellBehaved",
    "ZeroOneLoss",
    "bind_order_loss",
    "quadratic_split",
    "resolve_loss",
    "resolve_number_loss",
]
