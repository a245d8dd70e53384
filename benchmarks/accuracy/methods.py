"""The methods of the comparison."""

from benchmarks.accuracy.convex import CONVEX
from benchmarks.accuracy.instance_based import INSTANCE_BASED
from benchmarks.accuracy.max_margin import MAX_MARGIN
from benchmarks.accuracy.method import Method
from benchmarks.accuracy.neighbors import NEIGHBORS
from benchmarks.accuracy.ours import DEFAULT, KERNEL_RIDGE, PLAIN
from benchmarks.accuracy.output_codes import OUTPUT_CODES
from benchmarks.accuracy.progressive import PROGRESSIVE

__all__ = ["METHODS"]

METHODS: tuple[Method, ...] = (
    DEFAULT,
    PLAIN,
    *KERNEL_RIDGE,
    NEIGHBORS,
    INSTANCE_BASED,
    CONVEX,
    MAX_MARGIN,
    OUTPUT_CODES,
    *PROGRESSIVE,
)
