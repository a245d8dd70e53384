"""Who takes part."""

from benchmarks.accuracy.convex import CONVEX
from benchmarks.accuracy.instance_based import INSTANCE_BASED
from benchmarks.accuracy.max_margin import MAX_MARGIN
from benchmarks.accuracy.method import Method
from benchmarks.accuracy.neighbors import NEIGHBORS
from benchmarks.accuracy.ours import AUTOMATIC, KERNEL_RIDGE, PLAIN
from benchmarks.accuracy.output_codes import OUTPUT_CODES
from benchmarks.accuracy.progressive import PROGRESSIVE

__all__ = ["METHODS"]

# `DEFAULT` of ours.py has its place in front as soon as it is another than `PLAIN`; until then it
# would stand in the table twice and push every rank below it down by one.
METHODS: tuple[Method, ...] = (
    AUTOMATIC,
    PLAIN,
    *KERNEL_RIDGE,
    NEIGHBORS,
    INSTANCE_BASED,
    CONVEX,
    MAX_MARGIN,
    OUTPUT_CODES,
    *PROGRESSIVE,
)
