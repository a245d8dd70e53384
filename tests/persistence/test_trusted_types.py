"""The published list has every type of ours that a model can hold, and nothing that has code."""

import dataclasses
import enum
import importlib
import inspect
import pkgutil

import pytest
from sklearn.base import BaseEstimator

import disambig
from disambig.persistence import trusted_types
from disambig.persistence.trusted import types_by_loader

# Packages whose objects may be part of a fitted model.
PACKAGES = ("candidates", "estimators", "losses", "orderings", "solvers", "votes", "weights")
# Those of their classes that are not: a new class joins this list, or that of trusted types.
NOT_STORED = {
    "bases": "CandidateEstimator DisambiguatedEstimator FeatureRidgeWeights PartitionWeights",
    "of the user, or with code of the user": (
        "FunctionWeights OperatorVotes StructuredLoss _WithoutOwnVotes"
    ),
    "of rows in parts, which stay where they are": (
        "RowTables GivenVotes _Kept PartsEstimator _Place Deferred FactoredInverse LeafBlocks "
        "LeafBlockVotes WeightedRows DividedKernel FeatureBlocks DividedPartition LeafProjection "
        "VotesOptions DividedNeighbors Transformed Mixed FeatureProjection DividedRows SomeRows"
    ),
    "while y is read": (
        "BitTable Entries SetTable MixedTable _Statements Ends RowSegments ParsedNumbers Segments "
        "MarkedNumbers IntervalTable NumberTable OrderTable Markers _EntryKind _Form Evidence "
        "SharedUnit _Share BagInformation"
    ),
    "while a model is fitted": (
        "BestCandidates LabelTask NumberTask KeptRows KeptJudgement _JudgedSets Fit Family "
        "Filled TargetCodes Judge Hiding HeldOutLabels BagRegression "
        "OwnVotes NumberJudgement _Column _Found _SetLikelihood _BagLikelihood _SignLikelihood "
        "NumberMixture "
        "MixtureModel RowLabels RowOrders BitEntry BitMembers GraphVotes _Comparison "
        "BagSelection "
        "LabelSelection MemberSelection NumberEntry Inputs Fold NumberSelection NumberMembers "
        "OrderEntry OrderMembers Score HeldOutTrial SelectionSample DistinctRows Selection "
        "SearchSpace Entry FittedEntry ReadCandidates TaskMembers "
        "JudgedTags TolerantSelection Choice NumberVerdict SignVerdict _Kind _Round _Followers"
    ),
    "while new inputs are predicted": "Scores ShiftedColumn InputShift Comparison",
    "while votes and losses are computed": (
        "StoredBlock BlockFolder GraphPlan RowParts FileParts RowFolder StoredNeighbors "
        "StoredTranspose "
        "DeletedVotes MixtureVotes RepeatedVotes BadEntry CompressedRows Listing Balls "
        "CountedSoftening CountedLabels "
        "BitSoftening SetExtremes SetMeasure WellBehaved LabelSteps LabelSoftening "
        "UniformDistributions Kinks Line _OuterMinimum PinballSlopes Parabolas MeanSigns "
        "BoxTree NearestRows RowIndex OrderSoftening Sweep Choice _BlockFaces RowBlock RowBlocks "
        "_Facts RowSlices LocalExecutor "
        "QuadraticSplit SoftMeans TiedBits _Options"
    ),
    "while a problem is solved": (
        "ClassBalance "
        "DescentState Descent RowState RowDescent OneBlockState OneBlock TwoBlocksState TwoBlocks "
        "KeptRun InfimumPrediction _Members _MemberSearch GradientState FaceGradients "
        "Margins _Steps "
        "InteriorState LinearSolution _Program NewtonState ProjectedNewton BoxState BoxQuadratic "
        "BoxSolution BitHulls ConvexForm Vertices Moves LabelHulls CountedHulls QuadraticLoss "
        "OrderHulls Shifts FrankWolfeState Direction FrankWolfe BlockFrankWolfe Run _SegmentState "
        "_SegmentDescent BoxColumn RidgeFit _State _Problem _Search GibbsOrders SampledOrders "
        "PositionDistribution DecodedOrders PartGroup OrderParts RelaxedOrder SignDistribution "
        "OrderDistribution WeightedOrderDistribution"
    ),
}
# The same name in two modules, one of which is stored.
HALF = {"disambig.solvers.frank_wolfe.shifts.Spectrum"}


def own_classes():
    for package in PACKAGES:
        root = importlib.import_module(f"disambig.{package}")
        for module in pkgutil.walk_packages(root.__path__, f"disambig.{package}."):
            for value in vars(importlib.import_module(module.name)).values():
                if not inspect.isclass(value) or value.__module__ != module.name:
                    continue
                is_data = dataclasses.is_dataclass(value) or issubclass(value, tuple | enum.Enum)
                if is_data or issubclass(value, BaseEstimator):
                    yield value


def test_every_class_of_ours_is_trusted_or_never_stored():
    not_stored = set(" ".join(NOT_STORED.values()).split())
    trusted = set(trusted_types())
    seen = set()
    for kind in own_classes():
        name = f"{kind.__module__}.{kind.__qualname__}"
        seen.add(kind.__name__)
        if name not in HALF:
            assert (name in trusted) != (kind.__name__ in not_stored), name
    assert not_stored <= seen, not_stored - seen


@pytest.mark.parametrize("name", trusted_types())
def test_every_name_is_a_class_that_other_modules_do_not_hide(name):
    module, _, kind = name.rpartition(".")
    try:
        value = getattr(importlib.import_module(module), kind, None)
    except ImportError:
        value = None
    if value is None:
        # Moved between versions of the libraries, never in ours.
        assert not name.startswith("disambig"), name
        return
    assert inspect.isclass(value)
    if not name.startswith("numpy"):
        assert value.__module__ == module


def test_no_type_that_calls_what_it_is_given():
    banned = ("builtins.eval", "builtins.map", "functools.", "operator.", "os.", "numpy.ufunc")
    assert not [name for name in trusted_types() if name.startswith(banned)]
    assert {name.partition(".")[0] for name in trusted_types()} == {
        *("builtins", "disambig", "numpy", "scipy", "sklearn")
    }
    assert "FunctionNode" not in types_by_loader()
    assert "MethodNode" not in types_by_loader()
    assert disambig.persistence.trusted_types is trusted_types
