"""The methods of the comparison."""

from benchmarks.intervals.accelerated_failure_time import BOOSTING
from benchmarks.intervals.interval_forest import FOREST, TREE
from benchmarks.intervals.linear import LASSO, RIDGE
from benchmarks.intervals.method import Method
from benchmarks.intervals.neighbors import CONSTANT, NEIGHBORS
from benchmarks.intervals.ours import OURS
from benchmarks.intervals.perceptron import PERCEPTRON

__all__ = ["METHODS"]

METHODS: tuple[Method, ...] = (
    *OURS,
    FOREST,
    TREE,
    PERCEPTRON,
    RIDGE,
    LASSO,
    BOOSTING,
    NEIGHBORS,
    CONSTANT,
)
