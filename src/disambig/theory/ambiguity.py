"""`ambiguity`: in which regions, and between which classes, candidate sets are ambiguous.

Rows are split into two halves, independently of their sets: one selects regions, labels and
runner-ups, the other counts.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from disambig.candidates import LabelSets
from disambig.candidates.labels.classes import listed
from disambig.candidates.reading import is_missing
from disambig.losses import ZeroOneLoss
from disambig.notation import AnyArray, BoolArray, IntArray
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.theory.report import Ambiguity
from disambig.theory.shares import require_confidence
from disambig.weights import NeighborWeights
from disambig.weights.registry import is_pairwise, resolve_weights

# Neighbours of the weighting that recovers the regions.
_N_NEIGHBORS = 10


def input_order(X: Any) -> IntArray:
    """Rows in an order that depends on their inputs ``(n, d)`` alone; equal inputs keep theirs.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3.0], [1.0], [2.0]])
    >>> np.array_equal(X[input_order(X)], X[::-1][input_order(X[::-1])])
    True
    """
    # One number for each row; different inputs almost surely have different numbers. A sum over
    # each row, because rounding in a matrix product may depend on the position of the row.
    factors = np.cos(1.0 + np.arange(X.shape[1]))
    weighted = X.multiply(factors).tocsr() if sp.issparse(X) else X * factors
    keys = np.asarray(weighted.sum(axis=1), dtype=np.float64).ravel()
    return np.argsort(keys, kind="stable")


def first_half(order: IntArray, groups: AnyArray, random_state: Any) -> BoolArray:
    """A random half of the rows of each group, the smaller half if odd, ``(n,)``.

    Parameters
    ----------
    order : int array (n,)
        Rows in an order that does not depend on how they were given.
    groups : int array (n,)
    random_state : int, numpy Generator or None
        The argument of `numpy.random.default_rng`.

    Examples
    --------
    >>> import numpy as np
    >>> groups = np.array([0, 0, 0, 0, 1, 1, 1])
    >>> half = first_half(np.arange(7), groups, 0)
    >>> np.bincount(groups[half]).tolist()
    [2, 1]
    """
    n = order.size
    key = np.empty(n, dtype=np.intp)
    key[order] = np.random.default_rng(random_state).permutation(n)
    shuffled = np.lexsort((key, groups))
    starts = np.searchsorted(groups[shuffled], groups[shuffled])
    half = np.zeros(n, dtype=np.bool_)
    half[shuffled] = (np.arange(n) - starts) % 2 == 1
    return half


def ambiguity(
    X: Any,
    y: Any,
    *,
    regions: Any = None,
    weights: Any = None,
    classes: Any = None,
    unlabeled: Any = None,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> Ambiguity:
    """``eta``, the largest ``Pr(z in S)`` of a wrong class z, by region, with exact intervals.

    The theory of exponential rates requires that the right class is in every set, and every wrong
    one in a share of at most ``eta < 1`` of the sets near an input. One half of the rows selects
    the regions, their labels and runner-ups; the sets of the other half are counted. An unlabeled
    row counts as a set that contains every class.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, d)
        May be None if `regions` are given.
    y : array-like, n rows
        Sets in any form that `LabelSets.from_any` reads.
    regions : array-like (n,), optional
        The region of each row, determined without the sets: clusters of X, a site, a month. By
        default labels are recovered from one half of the rows, and every row is in the region of
        the class that is predicted for it.
    weights : str or weighting, optional
        The weighting of that recovery; by default the 10 nearest neighbours. Not used if `regions`
        are given.
    classes, unlabeled
        See `LabelSets.from_any`.
    confidence : float in (0, 1), default 0.95
    random_state : int, numpy Generator or None, default 0
        Of the split into halves. The order of rows does not matter if all inputs differ.

    Returns
    -------
    Ambiguity
        ``print`` shows a summary.

    See Also
    --------
    local_ambiguity : Around each row, from its nearest neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.theory import ambiguity
    >>> X = np.linspace(0, 1, 200)[:, None] + np.repeat([0.0, 9.0], 100)[:, None]
    >>> y = [{"cat", "dog"}] * 100 + [{"bee"}, {"bee", "cat"}] * 50
    >>> found = ambiguity(X, y)
    >>> found.regions, found.is_certified.tolist()
    (('bee', 'cat'), [True, False])
    >>> found.pairs(least=0.9)
    [ClassPair(region='cat', label='cat', other='dog', share=1.0, ..., n_rows=...)]
    """
    require_confidence("ambiguity", confidence)
    sets = LabelSets.from_any(y, classes=classes, unlabeled=unlabeled)
    if sets.n_classes < 2:
        raise ValueError("ambiguity: y has one class only; expected at least two to compare.")
    X = _checked(X, len(sets), regions is not None)
    ordered = X is not None and not is_pairwise(weights)
    order = input_order(X) if ordered else np.arange(len(sets))
    if regions is None:
        if len(sets) < 4:
            raise ValueError(
                f"ambiguity: {len(sets)} rows; at least 4 are needed for two halves of two."
            )
        half = first_half(order, np.zeros(len(sets), dtype=np.intp), random_state)
        codes = _recovered(X, sets, half, weights)
        kept, codes = np.unique(codes, return_inverse=True)
        names, labels = listed(sets.classes[kept]), kept
    else:
        names, codes = _named_regions(regions, len(sets))
        half = first_half(order, codes, random_state)
        labels = None
    chosen = _counted(sets.mask, codes, half, len(names))
    labels = chosen.argmax(axis=1) if labels is None else labels
    rows = np.arange(len(names))
    others = chosen.copy()
    others[rows, labels] = -1
    return Ambiguity(
        classes=sets.classes,
        regions=tuple(names),
        of_labels=regions is None,
        codes=codes,
        labels=labels,
        runner_ups=others.argmax(axis=1),
        n_chosen=np.bincount(codes[half], minlength=len(names)),
        n_counted=np.bincount(codes[~half], minlength=len(names)),
        chosen=chosen,
        counts=_counted(sets.mask, codes, ~half, len(names)),
        confidence=confidence,
    )


def _recovered(X: Any, sets: LabelSets, half: BoolArray, weights: Any) -> IntArray:
    """The class that the sets of one half predict for every row, ``(n,)``."""
    first, second = np.flatnonzero(half), np.flatnonzero(~half)
    if weights is None:
        weights = NeighborWeights(min(_N_NEIGHBORS, first.size))
    weighting = resolve_weights(weights)
    pairwise = is_pairwise(weighting)
    weighting.fit(X[first][:, first] if pairwise else X[first])
    loss = ZeroOneLoss().bind(sets.classes)
    problem = Problem(weighting.training_votes(), loss, sets[first])
    # The infimum start is not biased if set sizes differ between classes.
    targets = AlternatingMinimization("infimum").solve(problem).targets.embedded
    codes = np.empty(half.size, dtype=np.intp)
    codes[first] = problem.best_predictions(targets).faces.first().outputs
    scores = weighting.votes(X[second][:, first] if pairwise else X[second]) @ targets
    size = np.abs(scores).max(axis=1, initial=0.0)
    codes[second] = loss.best_prediction(scores, problem.rtol * size).outputs
    return codes


def _counted(mask: BoolArray, codes: AnyArray, rows: BoolArray, n_regions: int) -> IntArray:
    """Number of sets of some rows that contain each class, by region, ``(R, K)``."""
    members, columns = np.nonzero(mask[rows])
    pairs = codes[rows][members] * mask.shape[1] + columns
    return np.bincount(pairs, minlength=n_regions * mask.shape[1]).reshape(n_regions, -1)


def _checked(X: Any, n: int, is_optional: bool) -> Any:
    if X is None:
        if is_optional:
            return None
        raise ValueError("ambiguity: X is None. Pass inputs, or name a region for each row.")
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    if X.shape[0] != n:
        raise ValueError(
            f"ambiguity: X has {X.shape[0]} rows and y has {n}; expected one set for each row of X."
        )
    return X


def _named_regions(regions: Any, n: int) -> tuple[list[Any], IntArray]:
    """The sorted names of the regions, and the index of each row's region, ``(n,)``."""
    values = listed(np.asarray(regions)) if hasattr(regions, "__array__") else list(regions)
    if len(values) != n:
        raise ValueError(
            f"ambiguity: regions has {len(values)} entries and y has {n} rows; expected as many."
        )
    for row, value in enumerate(values):
        if isinstance(value, (list, set, dict)) or is_missing(value):
            raise ValueError(
                f"ambiguity: regions[{row}] is {value!r}; expected one name for each row. Leave "
                "rows without a region out, or give them one of their own."
            )
    names = sorted(set(values), key=lambda name: (type(name).__name__, name))
    code_of = {name: code for code, name in enumerate(names)}
    if len(names) > n // 2:
        raise ValueError(
            f"ambiguity: regions names {len(names)} regions for {n} rows; a region needs at least "
            "two rows, and dozens for narrow intervals. Use fewer regions."
        )
    return names, np.array([code_of[value] for value in values], dtype=np.intp)
