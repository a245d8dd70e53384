"""The contents of loaded objects that compiled code follows without checking them.

scikit-learn's trees, scipy's products of sparse arrays and our own sums over leaves read memory at
the indices that they hold. A file with other indices must not make them read elsewhere, so every
such object is checked before a loaded model is returned.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.tree._tree import Tree

from disambig.estimators.interval_models.reading import UnitInputs
from disambig.exceptions import ModelFileError
from disambig.notation import AnyArray
from disambig.persistence.graph import reachable
from disambig.weights.partitions.partition import Partition

# Words of the state of the generator behind `RandomState`.
_STATE_WORDS = 624


def check_contents(model: Any) -> None:
    """Raise `ModelFileError` if an object of a loaded model holds indices that leave its arrays."""
    for path, value in reachable(model):
        if isinstance(value, Tree):
            _require(path, _is_tree(value))
        elif sp.issparse(value):
            _require(path, _is_sparse(value))
        elif isinstance(value, np.random.RandomState):
            position = value.get_state(legacy=False)["state"]["pos"]
            _require(path, 0 <= position <= _STATE_WORDS)
        elif isinstance(value, Partition):
            _require(path, _is_partition(value))
        else:
            _require(path, _has_trees_of_its_inputs(value))
            # A later fit would load pickles from the folder that it names.
            if isinstance(value, Pipeline) and value.memory is not None:
                raise ModelFileError(f"{path}.memory is set, and a fit would load what lies there")


def _require(path: str, is_valid: bool) -> None:
    if not is_valid:
        raise ModelFileError(f"{path} holds indices outside of its arrays")


def _is_tree(tree: Any) -> bool:
    """Whether all children come after their parents, and all features exist."""
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    places = np.arange(tree.node_count)
    leaf = left == -1
    inner = ~leaf
    children = np.column_stack([left, right])[inner]
    feature = np.asarray(tree.feature)[inner]
    return bool(
        tree.node_count > 0
        and (right[leaf] == -1).all()
        and (children > places[inner, None]).all()
        and (children < tree.node_count).all()
        and (feature >= 0).all()
        and (feature < tree.n_features).all()
    )


def _is_sparse(matrix: Any) -> bool:
    try:
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, AttributeError, LookupError):
        return False
    return True


def _is_partition(partition: Partition) -> bool:
    """Whether every leaf has a number below the count of its tree."""
    trees, n = partition.leaves.shape
    if partition.starts.shape != (trees + 1,) or len(partition.numbers) != trees:
        return False
    counts = np.diff(partition.starts)
    return bool(
        partition.starts[0] == 0
        and (counts >= 0).all()
        and partition.leaf_totals.shape == (partition.starts[-1],)
        and partition.sample_weight.shape == (n,)
        and (partition.counts is None or partition.counts.shape == (trees, n))
        and _are_numbers(partition.leaves, counts[:, None])
        and all(
            numbers.ndim == 1 and _are_numbers(numbers, count)
            for numbers, count in zip(partition.numbers, counts, strict=True)
        )
    )


def _are_numbers(numbers: AnyArray, count: Any) -> bool:
    return numbers.dtype.kind == "i" and bool(((numbers >= -1) & (numbers < count)).all())


def _has_trees_of_its_inputs(value: Any) -> bool:
    """Whether the trees of an estimator read the features that the estimator checks."""
    state = getattr(value, "__dict__", {})
    n_features = _input_width(state)
    own = state.get("tree_")
    if isinstance(own, Tree) and own.n_features != n_features:
        return False
    return all(
        getattr(tree, "n_features_in_", n_features) == n_features
        for name in ("estimators_", "trees_")
        for tree in _flat(state.get(name))
        if isinstance(getattr(tree, "tree_", None), Tree)
    )


def _input_width(state: dict[str, Any]) -> int | None:
    """The number of features that an estimator checks or reduces its inputs to."""
    inputs = state.get("_inputs_")
    if not isinstance(inputs, UnitInputs):
        return state.get("n_features_in_")
    widths = {np.shape(value) for value in vars(inputs).values()}
    return next(iter(widths))[0] if len(widths) == 1 else None


def _flat(trees: Any) -> list[Any]:
    return [] if trees is None else np.asarray(trees, dtype=object).ravel().tolist()
