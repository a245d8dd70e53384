"""Which classes come together in candidate sets: a matrix, and an order of the classes."""

from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from disambig.candidates import LabelSets
from disambig.candidates.labels.classes import positions
from disambig.metrics.scorer import row_weights
from disambig.notation import AnyArray, FloatArray, IntArray

# The best order of the leaves takes time that grows with the fourth power of the classes.
_MAX_ORDERED = 100


class CandidateConfusion(NamedTuple):
    """How often classes are candidates beside others.

    Attributes
    ----------
    shares : float array (K, K)
        ``[k, j]``: of the rows with label k, the share with j in their set. NaN if no row has
        label k.
    weight : float array (K,)
        Rows with label k, or their total weight.
    classes : array (K,)
    """

    shares: FloatArray
    weight: FloatArray
    classes: AnyArray

    @property
    def order(self) -> IntArray:
        """The classes so that those which come together are neighbours, ``(K,)``."""
        return together_order(self.shares)


def candidate_confusion(
    y: Any,
    labels: Any = None,
    *,
    classes: Any = None,
    unlabeled: Any = None,
    sample_weight: Any = None,
) -> CandidateConfusion:
    """For every label the share of its rows in whose set each class is.

    The sets do not distinguish a class from another one in whose sets it nearly always is.
    Rows whose set excludes nothing are not counted.

    Parameters
    ----------
    y : array-like, n rows
        Sets in any form that `LabelSets.from_any` reads.
    labels : array-like (n,), optional
        The label of each row, such as ``labels_``. Without them a row counts for every class of its
        set: ``[k, j]`` is the share of the sets with k that also have j.
    classes, unlabeled
        As in `LabelSets.from_any`.
    sample_weight : array-like (n,), optional

    Examples
    --------
    >>> found = candidate_confusion([{"a", "b"}, {"a", "b"}, {"b"}, {"c"}], ["a", "a", "b", "c"])
    >>> found.shares.tolist()
    [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> candidate_confusion([{"a", "b"}, {"a", "b"}, {"b"}, {"c"}]).shares[1].round(2).tolist()
    [0.67, 1.0, 0.0]
    """
    sets = LabelSets.from_any(y, classes=classes, unlabeled=unlabeled)
    mask = sets.mask.astype(np.float64)
    counted = row_weights(sample_weight, len(sets)) * sets.informative
    rows = mask if labels is None else _indicators(sets, labels)
    weighted = rows * counted[:, None]
    weight: FloatArray = weighted.sum(axis=0)
    known = weight > 0
    shares = np.full((sets.n_classes, sets.n_classes), np.nan)
    # Two sums of the same terms may differ in the last digit; a share is at most one.
    shares[known] = np.minimum((weighted.T @ mask)[known] / weight[known, None], 1.0)
    return CandidateConfusion(shares, weight, sets.classes)


def _indicators(sets: LabelSets, labels: Any) -> FloatArray:
    """One at the label of each row, ``(n, K)``."""
    given = np.asarray(labels)
    if given.shape != (len(sets),):
        raise ValueError(
            f"candidate_confusion: labels must have one entry for each of {len(sets)} rows; got "
            f"shape {given.shape}."
        )
    position = positions(sets.classes)
    codes = np.array([position.get(label, -1) for label in given.tolist()], dtype=np.intp)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ValueError(
            f"candidate_confusion: labels has {given.tolist()[row]!r} in row {row}, which is not "
            f"among the {sets.n_classes} classes of the sets. Pass classes= with all of them."
        )
    found = np.zeros((len(sets), sets.n_classes))
    found[np.arange(len(codes)), codes] = 1.0
    return found


def together_order(shares: FloatArray) -> IntArray:
    """An order of K classes in which those that come together are neighbours, ``(K,)``.

    Hierarchical clustering (average linkage) by one minus the mean of the two shares; up to 100
    classes the leaves are in the best order that the tree allows.

    Parameters
    ----------
    shares : float array (K, K)
        As in `CandidateConfusion`; NaN counts as 0.

    Examples
    --------
    >>> import numpy as np
    >>> order = together_order(np.array([[1, 0, 0.9], [0, 1, 0], [0.8, 0, 1]])).tolist()
    >>> abs(order.index(0) - order.index(2))
    1
    """
    k = len(shares)
    if k < 3:
        return np.arange(k)
    known = np.nan_to_num(shares)
    distances = 1.0 - (known + known.T) / 2
    np.fill_diagonal(distances, 0.0)
    condensed = squareform(distances, checks=False)
    tree = linkage(condensed, "average")
    if k <= _MAX_ORDERED:
        tree = optimal_leaf_ordering(tree, condensed)
    order: IntArray = leaves_list(tree).astype(np.intp)
    return order
