"""The published list of types that a saved model may hold; nothing else is saved or loaded.

Types are texts: a file is checked against them before anything of it is imported. Types of
scikit-learn are those that our estimators fit, those of preprocessing, and linear models, trees and
forests that are often trained on recovered labels. Not on the list, on purpose: everything that
holds functions, and everything whose arrays compiled code follows without checks that
`disambig.persistence.contents` does not have (search trees of neighbours, support vectors,
histogram boosting).
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.tree._tree import Tree

_OURS: Mapping[str, str] = MappingProxyType(
    {
        "candidates.bits.implications": "Implications",
        "candidates.bits.partial_bits": "PartialBits",
        "candidates.bits.rules": "TagRules",
        "candidates.labels.label_sets": "LabelSets",
        "candidates.numbers.intervals": "Intervals",
        "candidates.numbers.unions": "IntervalUnions",
        "candidates.orders.partial_orders": "PartialOrders",
        "estimators.alternation.loop": "Alternation Iterate",
        "estimators.balance.class_shares": "ClassShares",
        "estimators.completion.disambiguated_inputs": "DisambiguatedInputs InputTrial",
        "estimators.calibration": "HeldOut",
        "estimators.disambiguated_classifier": "DisambiguatedClassifier",
        "estimators.disambiguated_regressor": "DisambiguatedRegressor",
        "estimators.fitting": "FittedWeightings",
        "estimators.held_out.residuals": "Residuals",
        "estimators.held_out.set_likelihood": "SetCalibration",
        "estimators.held_out.sign_likelihood": "SignCalibration",
        "estimators.held_out.wrong_sets": "WrongSets",
        "estimators.interval_models.boosting": "IntervalBoosting",
        "estimators.interval_models.forest": "IntervalForest",
        "estimators.interval_models.lasso": "IntervalLasso",
        "estimators.interval_models.reading": "UnitInputs",
        "estimators.interval_regressor": "IntervalRegressor",
        "estimators.mixed_ranking": "PairDecoder",
        "estimators.mixture": "FittedMixture Mixture",
        "estimators.partial_label_classifier": "PartialLabelClassifier",
        "estimators.partial_multilabel_classifier": "PartialMultilabelClassifier",
        "estimators.partial_ranker": "PartialRanker",
        "estimators.prediction": "NumberPredictor Predictor Probabilities",
        "estimators.queries.training_inputs": "ColumnRanges Nearness TrainingInputs",
        "estimators.rankers.features": "KernelFeatures LinearFeatures",
        "estimators.rankers.item_forest": "ItemForestRanker",
        "estimators.rankers.logistic_ranker": "LogisticRanker",
        "estimators.structured_predictor": "StructuredPredictor",
        "estimators.tags.models": "PerTagClassifier",
        "estimators.tags.one_sided": "OneSidedTags",
        "estimators.tolerance.leaving": "Leaving",
        "losses.bits.f_measure": "BoundFMeasure FMeasureLoss",
        "inputs.alternatives": "Alternatives",
        "inputs.completed_weights": "CompletedWeights",
        "inputs.completion": "Completion",
        "inputs.conditional_draws": "NormalInputs",
        "inputs.distribution": "InputDistribution",
        "inputs.fills": "BlendedFill CorrectedFill NeighborFill",
        "inputs.gaussian": "GaussianFill",
        "inputs.input_completer": "InputCompleter",
        "inputs.partial_inputs": "PartialInputs",
        "losses.bits.faces": "BitFaces",
        "losses.bits.hamming": "BoundHamming HammingLoss",
        "losses.bits.linear": "LinearBitLoss TopKLoss",
        "losses.bits.mean_faces": "MeanBitFaces MeanEmbedding",
        "losses.bits.soft": "SoftBits",
        "losses.embeddings": "SignEmbedding",
        "losses.labels.abstain": "AbstainLoss",
        "losses.labels.faces": (
            "CodedFaces ComplementEmbedding IdentityEmbedding LabelFaces TableEmbedding"
        ),
        "losses.labels.finite": "FiniteLoss",
        "losses.labels.losses": "HierarchicalLoss MatrixLoss OrdinalLoss ZeroOneLoss",
        "losses.labels.soft": "SoftFaces",
        "losses.numbers.pinball": "AbsoluteLoss PinballLoss",
        "losses.numbers.points": "Points",
        "losses.numbers.squared": "SquaredLoss",
        "losses.orders.faces": "OrderFaces",
        "losses.orders.kendall": "BoundKendall KendallLoss",
        "losses.orders.means": "OrderMeans",
        "losses.orders.position_kendall": "BoundPositionKendall",
        "losses.orders.positions": "BoundPlaceLoss DCGLoss FootruleLoss",
        "losses.orders.soft": "SoftOrders",
        "losses.structured": "PointFaces",
        "orderings.decode": "OrderDecoder",
        "solvers.alternating.alternating": "AlternatingMinimization",
        "solvers.annealing.annealing": "AnnealedMinimization",
        "solvers.frank_wolfe.bit_hulls": "BitPoint",
        "solvers.frank_wolfe.label_hulls": "LabelPoint",
        "solvers.frank_wolfe.minimization": "FrankWolfeMinimization",
        "solvers.frank_wolfe.order_hulls": "OrderPoint RelaxedOrders",
        "solvers.numbers.alternating": "AlternatingRegression",
        "solvers.numbers.automatic": "UnionRegression",
        "solvers.numbers.baselines": "NumberRule",
        "solvers.numbers.linear": "LinearProgramRegression",
        "solvers.numbers.quadratic": "AcceleratedRegression NewtonRegression",
        "solvers.solution": "Certificate Solution",
        "votes.dense": "DenseVotes SymmetricArray",
        "votes.iterated": "IteratedVotes NormalInverse",
        "votes.partition": "Membership PartitionVotes",
        "votes.product": "ProductVotes",
        "votes.solved": "SolvedVotes",
        "votes.sparse": "SparseVotes",
        "votes.sparse_inverse": "SparseInverse",
        "weights.composite": "FittedWeights MixedWeights ScaledWeights",
        "weights.given": "FixedVotes PrecomputedWeights",
        "weights.graphs.graph": "LinkedInputs",
        "weights.graphs.kernel_laplacian": "KernelLaplacianWeights",
        "weights.graphs.laplacian": "LaplacianSystem LaplacianWeights",
        "weights.graphs.nodes": "DistinctDistances DistinctFeatures",
        "weights.graphs.paths": "PathWeights",
        "weights.graphs.poisson": "PoissonWeights",
        "weights.kernels.iterated": "FeatureRows IteratedRank",
        "weights.kernels.kernel_ridge": "KernelRidgeWeights",
        "weights.kernels.landmarks": "KernelFactor",
        "weights.kernels.low_rank": "LowRank",
        "weights.kernels.nadaraya_watson": "NadarayaWatsonWeights",
        "weights.kernels.nystrom": "NystromWeights",
        "weights.kernels.random_features": "FourierFeatures RandomFeatureWeights",
        "weights.kernels.similarity": "Similarity",
        "weights.kernels.smoother": "Deletion",
        "weights.kernels.system": "RidgeSystem Spectrum",
        "weights.neighbors.approximate": "ApproximateIndex",
        "weights.neighbors.euclidean": "EuclideanIndex",
        "weights.neighbors.lists": "LocalRadius NeighborLists",
        "weights.neighbors.metric": "MetricIndex",
        "weights.neighbors.missing": "MissingIndex",
        "weights.neighbors.neighbors": "NeighborWeights",
        "weights.partitions.forest": "ForestWeights TreeWeights",
        "weights.partitions.histogram": "Cells HistogramWeights",
        "weights.partitions.partition": "Partition",
        "weights.row_groups": "EqualRows",
        "weights.squashed": "Squash SquashedWeights",
    }
)
_SCIKIT_LEARN: Mapping[str, str] = MappingProxyType(
    {
        "compose._column_transformer": "ColumnTransformer _RemainderColsList",
        "decomposition._pca": "PCA",
        "decomposition._truncated_svd": "TruncatedSVD",
        "ensemble._forest": (
            "ExtraTreesClassifier ExtraTreesRegressor RandomForestClassifier RandomForestRegressor"
        ),
        "feature_extraction.text": (
            "CountVectorizer HashingVectorizer TfidfTransformer TfidfVectorizer"
        ),
        "feature_selection._variance_threshold": "VarianceThreshold",
        "impute._base": "MissingIndicator SimpleImputer",
        "linear_model._base": "LinearRegression",
        "linear_model._coordinate_descent": "ElasticNet Lasso",
        "linear_model._logistic": "LogisticRegression",
        "linear_model._ridge": "Ridge RidgeClassifier",
        "naive_bayes": "GaussianNB MultinomialNB",
        "pipeline": "FeatureUnion Pipeline",
        "preprocessing._data": (
            "MaxAbsScaler MinMaxScaler Normalizer PolynomialFeatures PowerTransformer "
            "QuantileTransformer RobustScaler StandardScaler"
        ),
        "preprocessing._discretization": "KBinsDiscretizer",
        "preprocessing._encoders": "OneHotEncoder OrdinalEncoder",
        # Only without a function, as ColumnTransformer uses it for columns that it passes on.
        "preprocessing._function_transformer": "FunctionTransformer",
        "preprocessing._label": "LabelBinarizer LabelEncoder",
        "preprocessing._polynomial": "PolynomialFeatures",
        "tree._classes": (
            "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor"
        ),
    }
)
# Named tuples of ours.
_OUR_TUPLES = (
    "disambig.estimators.rankers.logits.Coefficients",
    "disambig.estimators.selection.protocol.Trial",
    "disambig.solvers.loop.Progress",
)
# Built by their constructors, which check what they are given.
_CONSTRUCTED = (
    "disambig.candidates.labels.class_counts.ClassCounts",
    "disambig.candidates.labels.hierarchy.Hierarchy",
    "disambig.candidates.numbers.mean_bounds.MeanBounds",
    "disambig.solvers.loop.Status",
)
_SPARSE = tuple(
    f"scipy.sparse._{kind}.{kind}_{form}" for kind in ("csr", "csc") for form in ("array", "matrix")
)
# Numbers, texts and dates; "bool_" is the name before numpy 2.
_NUMPY_SCALARS = tuple(
    f"numpy.{name}"
    for name in (
        *("bool", "bool_", "str_", "datetime64", "float16", "float32", "float64"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    )
)
_TEXT_AND_NUMBERS = ("builtins.str", "builtins.int", "builtins.float", "builtins.bool")
# Objects that are not looked into; those whose content matters are checked after loading.
LEAF_TYPES = (np.generic, np.dtype, np.random.RandomState, Tree)


def _full_names(root: str, table: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{root}.{module}.{name}" for module, names in table.items() for name in names.split()
    )


@cache
def types_by_loader() -> Mapping[str, frozenset[str]]:
    """The types that each loader of skops may build, by their full names."""
    # skops 0.13 stores sparse arrays, unlike sparse matrices, as objects.
    objects = (*_full_names("disambig", _OURS), *_full_names("sklearn", _SCIKIT_LEARN), *_SPARSE)
    table = {
        "ConstructorFromReduceNode": _CONSTRUCTED,
        "DictNode": ("builtins.dict",),
        "DTypeNode": ("numpy.dtype",),
        "JsonNode": ("builtins.str",),
        "ListNode": ("builtins.list",),
        "NdArrayNode": ("numpy.ndarray", *_NUMPY_SCALARS),
        "ObjectNode": objects,
        "RandomStateNode": ("numpy.random.mtrand.RandomState",),
        "SetNode": ("builtins.set",),
        "SliceNode": ("builtins.slice",),
        "SparseMatrixNode": _SPARSE,
        "TreeNode": ("sklearn.tree._tree.Tree",),
        "TupleNode": ("builtins.tuple", *_OUR_TUPLES),
        "TypeNode": (*_TEXT_AND_NUMBERS, *_NUMPY_SCALARS),
    }
    return MappingProxyType({loader: frozenset(names) for loader, names in table.items()})


def trusted_types() -> tuple[str, ...]:
    """The full names of all types that a saved model may hold, sorted.

    Examples
    --------
    >>> "sklearn.pipeline.Pipeline" in trusted_types(), "builtins.eval" in trusted_types()
    (True, False)
    """
    return tuple(sorted(set().union(*types_by_loader().values())))


def is_trusted(value: Any) -> bool:
    """Whether an object, or a type that is itself a value, is on the list.

    Examples
    --------
    >>> is_trusted([1, 2]), is_trusted(int), is_trusted(frozenset()), is_trusted(type)
    (True, True, False, False)
    """
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}" in types_by_loader()["TypeNode"]
    # `np.dtype` has a class for each type.
    kind = np.dtype if isinstance(value, np.dtype) else type(value)
    return f"{kind.__module__}.{kind.__qualname__}" in _all_types()


@cache
def _all_types() -> frozenset[str]:
    return frozenset(trusted_types())
