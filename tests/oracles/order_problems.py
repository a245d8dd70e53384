"""Small problems with partial orders, and all their linear extensions."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from disambig.candidates import PartialOrders
from disambig.losses import KendallLoss
from disambig.losses.orders.kendall import BoundKendall
from disambig.notation import FloatArray
from disambig.orderings.signs import signs_of_ranks
from disambig.problem import Problem
from tests.oracles.tiny_problems import WEIGHTINGS, wrapped
from tests.orderings.enumeration import all_orders

__all__ = ["OrderProblem", "extension_signs", "order_problems"]


def extension_signs(orders: PartialOrders, row: int) -> FloatArray:
    """Signs of the pairs of every ranking of a row, ``(e, m (m - 1) / 2)``."""
    ranks = all_orders(orders.n_items)
    signs, known = signs_of_ranks(ranks), orders.signs()[row]
    allowed = ((signs == known) | (known == 0)).all(axis=1)
    if orders.windows is not None:
        first, last = orders.windows[row].T
        allowed &= ((ranks >= first) & (ranks <= last)).all(axis=1)
    return signs[allowed]


@dataclass(frozen=True)
class OrderProblem:
    """The parts of a problem, and the problem itself."""

    A: FloatArray
    loss: BoundKendall
    orders: PartialOrders
    form: str

    @property
    def problem(self) -> Problem:
        return Problem(wrapped(self.A, self.form), self.loss, self.orders)


@st.composite
def order_problems(
    draw: st.DrawFn,
    forms: tuple[str, ...] = ("dense", "sparse", "product"),
    weightings: tuple[str, ...] = tuple(WEIGHTINGS),
) -> OrderProblem:
    """Problems with votes of every weighting, signed ones included; items may have weights.

    Half of them have known places instead of an order of some items.
    """
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    scores = rng.random((n, m))
    scores[rng.random((n, m)) < 0.3] = np.nan
    if draw(st.booleans()):
        places = np.where(np.isnan(scores), np.nan, rng.permuted(np.tile(range(m), (n, 1)), axis=1))
        orders = PartialOrders.from_places(places)
    else:
        orders = PartialOrders.from_scores(scores, margin=float(rng.choice([0.0, 0.3])))
    weights = None if draw(st.booleans()) else rng.integers(1, 4, size=m)
    loss = KendallLoss(weights).bind(np.arange(m))
    assert isinstance(loss, BoundKendall)
    A = WEIGHTINGS[draw(st.sampled_from(weightings))](rng, n)
    return OrderProblem(A, loss, orders, draw(st.sampled_from(forms)))
