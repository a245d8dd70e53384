"""WHAT IS PAID: losses, their embeddings and their two exact minimisers."""

from disambig.losses.absolute import AbsoluteLoss
from disambig.losses.abstain import AbstainLoss
from disambig.losses.choice import LabelLoss, resolve_loss
from disambig.losses.coded_faces import CodedFaces
from disambig.losses.dcg import DCGLoss
from disambig.losses.faces import Faces
from disambig.losses.finite import FiniteLoss
from disambig.losses.footrule import FootruleLoss
from disambig.losses.hierarchical import HierarchicalLoss
from disambig.losses.kendall import BoundKendall, KendallLoss
from disambig.losses.label_faces import LabelFaces
from disambig.losses.matrix import MatrixLoss
from disambig.losses.order_choice import bind_order_loss
from disambig.losses.order_faces import OrderFaces
from disambig.losses.order_loss import BoundOrderLoss, OrderLoss
from disambig.losses.ordinal import OrdinalLoss
from disambig.losses.pinball import PinballLoss
from disambig.losses.place_loss import BoundPlaceLoss
from disambig.losses.point_faces import PointFaces
from disambig.losses.position_kendall import BoundPositionKendall
from disambig.losses.protocol import ExactInfimum, Loss
from disambig.losses.real_choice import resolve_real_loss
from disambig.losses.real_loss import RealLoss
from disambig.losses.soft_faces import SoftFaces
from disambig.losses.squared import SquaredLoss
from disambig.losses.structured import StructuredLoss, StructuredTask
from disambig.losses.zero_one import ZeroOneLoss

__all__ = [
    "AbsoluteLoss",
    "AbstainLoss",
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
    "RealLoss",
    "SoftFaces",
    "SquaredLoss",
    "StructuredLoss",
    "StructuredTask",
    "ZeroOneLoss",
    "bind_order_loss",
    "resolve_loss",
    "resolve_real_loss",
]
