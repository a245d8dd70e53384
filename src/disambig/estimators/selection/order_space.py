"""What ``weights="auto"`` of a ranker tries: families of members and their settings."""

from typing import NamedTuple

from disambig.estimators.selection.space import SearchSpace

# With more items, orders of votes and nearest members of sets take too long to find hundreds of
# times, and so does the mean over all linear extensions; a regression for each pair has too many
# parts.
MAX_VOTED_ITEMS = 15
_MAX_AVERAGE_ITEMS = 10
_MAX_PAIR_ITEMS = 15
_MAX_FOREST_ITEMS = 30

ORDER_SPACE = SearchSpace(
    standardizes=True,
    keeps_families=True,
    unit_free=True,
    folds=(3, 5),
    rows_of_folds=2000,
    entries=25_000,
    largest_sample=600,
    finalists=10,
    screen_rows=200,
    comparison_rows=20_000,
    comparison_hidden=(100, 1000),
)


class OrderEntry(NamedTuple):
    """One member of the search space.

    Attributes
    ----------
    family : str
        Of every family one member enters the mixture.
    scaled : bool
        Whether features are scaled by how much the orders depend on them; otherwise they get unit
        variance.
    kind : str
        A kernel, "neighbors", "linear" or "trees".
    size : float
        The bandwidth in units of the median distance, the number of neighbours, or the least number
        of rows in a leaf of a tree.
    ridge : float
    """

    family: str
    scaled: bool
    kind: str
    size: float
    ridge: float = 0.0


# Kernel, bandwidth or number of neighbours, ridge.
_AVERAGE = (("laplacian", 2.0, 1e-2), ("laplacian", 2.0, 1e-3), ("laplacian", 2.0, 1e-4))
_KERNEL_VOTES = (("laplacian", 1.0, 1e-2), ("laplacian", 2.0, 1e-3))
_NEIGHBOR_VOTES = (("neighbors", 5, 0.0), ("neighbors", 10, 0.0), ("neighbors", 20, 0.0))
_KERNEL_UTILITIES = (
    ("gaussian", 0.7, 1e-5),
    ("gaussian", 1.4, 1e-3),
    ("gaussian", 1.4, 1e-5),
    ("laplacian", 2.0, 1e-5),
)
_LINEAR_UTILITIES = (1e-2, 1e-3, 1e-4)
_LINEAR_PAIRS = (1e-3, 1e-4, 1e-5)
# Rows in a leaf: where places are mostly noise, larger leaves average it.
_LEAVES = (1, 10)
# Trees of an item, and of all items together, at most.
_N_TREES, _MAX_TREES = 60, 900


def n_trees_of(m: int) -> int:
    """Trees of each of m items."""
    return min(_N_TREES, _MAX_TREES // m)


def order_entries(m: int, method: str, is_mixed: bool, has_scales: bool) -> list[OrderEntry]:
    """The members that are tried for m items.

    Parameters
    ----------
    m : int
    method : {"disambiguation", "infimum", "average"}
    is_mixed : bool
        Whether pair probabilities are mixed. Otherwise all members vote, with this method.
    has_scales : bool
    """
    scalings = (False, True) if has_scales else (False,)
    if not is_mixed:
        # The infimum loss solves one order for each vote, and in a kernel all rows vote.
        kernels = () if method == "infimum" else _KERNEL_VOTES
        settings = (*kernels, *_NEIGHBOR_VOTES)
        return [OrderEntry("votes", scaled, *one) for scaled in scalings for one in settings]
    entries = [OrderEntry("linear utilities", False, "linear", 1.0, r) for r in _LINEAR_UTILITIES]
    for scaled in scalings:
        entries += [OrderEntry("kernel utilities", scaled, *one) for one in _KERNEL_UTILITIES]
    if m <= _MAX_FOREST_ITEMS:
        entries += [OrderEntry("item forests", False, "trees", leaf) for leaf in _LEAVES]
    if m <= _MAX_PAIR_ITEMS:
        entries += [OrderEntry("linear pairs", False, "linear", 1.0, r) for r in _LINEAR_PAIRS]
    if m <= _MAX_AVERAGE_ITEMS:
        entries += [OrderEntry("average votes", False, *one) for one in _AVERAGE]
    if m <= MAX_VOTED_ITEMS:
        entries += [OrderEntry("votes", has_scales, *one) for one in _KERNEL_VOTES]
        for scaled in scalings:
            entries += [OrderEntry("neighbor votes", scaled, *one) for one in _NEIGHBOR_VOTES]
    return entries
