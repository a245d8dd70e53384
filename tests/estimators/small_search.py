"""Searches for weights that try less: the same steps and families in a third of the time."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from disambig.estimators.interval_models import IntervalForest
from disambig.estimators.selection import bits, number_inputs, numbers, order_space, scales


@contextmanager
def small_search() -> Iterator[None]:
    """For tests whose subject is not how good the members are that a search finds.

    Every family is tried with at least two settings, if it has several; forests have fewer trees.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in (bits, order_space, scales):
            patch.setattr(module, "_N_TREES", 6)
        patch.setattr(number_inputs, "IntervalForest", partial(IntervalForest, n_trees=5))
        patch.setattr(numbers, "_STAGES", (5, 10))
        for name in ("_AVERAGE", "_KERNEL_UTILITIES", "_LINEAR_UTILITIES", "_LINEAR_PAIRS"):
            patch.setattr(order_space, name, getattr(order_space, name)[:2])
        patch.setattr(bits, "_TEMPERATURES", bits._TEMPERATURES[:2])
        yield
