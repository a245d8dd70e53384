"""WHAT IS PAID: losses, their embeddings and their two exact minimisers."""

from disambig.losses.absolute import AbsoluteLoss
from disambig.losses.abstain import AbstainLoss
from disambig.losses.bit_faces import BitFaces
from disambig.losses.calibration import CalibrationConstants, calibration_constants
from disambig.losses.choice import LabelLoss, resolve_loss
from disambig.losses.coded_faces import CodedFaces
from disambig.losses.dcg import DCGLoss
from disambig.losses.faces import Faces
from disambig.losses.finite import FiniteLoss
from disambig.losses.footrule import FootruleLoss
from disambig.losses.hamming import BoundHamming, HammingLoss
from disambig.losses.hierarchical import HierarchicalLoss
from disambig.losses.kendall import BoundKendall, KendallLoss
from disambig.losses.label_faces import LabelFaces
from disambig.losses.matrix import MatrixLoss
from disambig.losses.measures import SetMeasure
from disambig.losses.order_choice import bind_order_loss
from disambig.losses.order_faces import OrderFaces
from disambig.losses.order_loss import BoundOrderLoss, OrderLoss
from disambig.losses.ordinal import OrdinalLoss
from disambig.losses.pinball import PinballLoss
from disambig.losses.place_loss import BoundPlaceLoss
from disambig.losses.point_faces import PointFaces
from disambig.losses.position_kendall import BoundPositionKendall
from disambig.losses.protocol import ExactInfimum, Loss
from disambig.losses.quadratic_split import QuadraticSplit, quadratic_split
from disambig.losses.real_choice import resolve_real_loss
from disambig.losses.real_loss import RealLoss
from disambig.losses.regions import DecisionRegion, decision_regions
from disambig.losses.soft_bits import SoftBits
from disambig.losses.soft_faces import SoftFaces
from disambig.losses.soft_orders import SoftOrders
from disambig.losses.softening import Softening, SoftLoss, SoftTargets
from disambig.losses.squared import SquaredLoss
from disambig.losses.structured import StructuredLoss, StructuredTask
from disambig.losses.well_behaved import WellBehaved
from disambig.losses.zero_one import ZeroOneLoss

__all__ = [
    "AbsoluteLoss",
    "AbstainLoss",
    "BitFaces",
    "BoundHamming",
    "BoundKendall",
    "BoundOrderLoss",
    "BoundPlaceLoss",
    "BoundPositionKendall",
    "CalibrationConstants",
    "CodedFaces",
    "DCGLoss",
    "DecisionRegion",
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
    "OrderFaces",
    "OrderLoss",
    "OrdinalLoss",
    "PinballLoss",
    "PointFaces",
    "QuadraticSplit",
    "RealLoss",
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
    "calibration_constants",
    "decision_regions",
    "quadratic_split",
    "resolve_loss",
    "resolve_real_loss",
]
