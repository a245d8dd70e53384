"""The methods of the comparison."""

from benchmarks.intervals.accelerated_failure_time import BOOSTING
from benchmarks.intervals.default import DEFAULT
from benchmarks.intervals.interval_forest import FOREST, TREE
from benchmarks.intervals.linear import LASSO, RIDGE
from benchmarks.intervals.method import Method
from benchmarks.intervals.neighbors import CONSTANT, NEIGHBORS
from benchmarks.intervals.perceptron import PERCEPTRON
from benchmarks.intervals.second_list import SECOND_LIST

__all__ = ["METHODS"]

METHODS: tuple[Method, ...] = (
    DEFAULT,
    SECOND_LIST,
    FOREST,
    TREE,
    PERCEPTRON,
    RIDGE,
    LASSO,
    BOOSTING,
    NEIGHBORS,
    CONSTANT,
)
