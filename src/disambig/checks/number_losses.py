"""Losses of numbers, compared with a fine grid; a part of `check_loss`."""

from collections.abc import Callable, Sequence

import numpy as np

from disambig.candidates import Intervals
from disambig.checks.contract import Contract
from disambig.losses import NumberLoss
from disambig.notation import FloatArray
from disambig.votes import as_votes

_N, _Q = 6, 4
# Slopes up to 1e-10 of the steepest one count as zero, and the sums of votes times losses are below
# 1000 here.
_ROUNDING = 1e-7
# What the midpoint rule misses of a mean over an interval.
_QUADRATURE = 1e-5


def check_number_loss(contract: Contract, loss: NumberLoss, rng: np.random.Generator) -> None:
    """Facts are true, sums are sums, and no point of a grid is better than the minimisers."""
    _check_facts(contract, loss, rng)
    lower = np.round(rng.normal(size=_N), 2)
    sets = Intervals(lower, lower + np.round(rng.exponential(size=_N), 2) * (np.arange(_N) % 3 > 0))
    alpha = rng.normal(0.4, 1.0, (_Q, _N))
    for votes in (np.abs(alpha), alpha):
        _check_minimisers(contract, loss, sets, votes, rng)


def _check_facts(contract: Contract, loss: NumberLoss, rng: np.random.Generator) -> None:
    z, y = rng.normal(size=(2, 20))
    found = loss.pointwise(z, y)
    contract.finite(found, "pointwise")
    if loss.slopes is not None:
        below, above = np.maximum(y - z, 0), np.maximum(z - y, 0)
        contract.close(
            found,
            np.dot(loss.slopes, [below, above]),
            "pointwise",
            reason=f"slopes are declared as {loss.slopes}",
            atol=1e-12,
        )
    if loss.is_quadratic:
        unit = float(loss.pointwise(np.array([1.0]), np.array([0.0]))[0])
        contract.close(
            found,
            unit * (z - y) ** 2,
            "pointwise",
            reason="is_quadratic is declared",
            atol=1e-12,
        )
    alpha = rng.normal(size=(20, 20))
    left, right = z[:, None], y[:, None]
    expected = float((alpha * loss.pointwise(z[:, None], y[None])).sum())
    contract.close(
        loss.total(as_votes(alpha), left, right),
        expected,
        "total",
        reason="the sum of votes times pointwise losses",
        atol=1e-9 * max(1.0, float(np.abs(alpha).sum())),
    )


def _check_minimisers(
    contract: Contract,
    loss: NumberLoss,
    sets: Intervals,
    alpha: FloatArray,
    rng: np.random.Generator,
) -> None:
    span, votes = sets.span, as_votes(alpha)
    low, high = sets.lower[:, 0], sets.upper[:, 0]
    least, most = (float(end) for end in span[0])
    grid = np.linspace(least, most, 1001)
    y = sets.nearest(rng.normal(size=(_N, 1)))
    z = rng.uniform(least, most, (_Q, 1))

    def of_targets(row: int, points: FloatArray) -> FloatArray:
        return np.asarray(alpha[row] @ loss.pointwise(points[None], y))

    def of_predictions(row: int, points: FloatArray) -> FloatArray:
        return np.asarray(alpha[:, row] @ loss.pointwise(z, points[None]))

    found = loss.best_prediction(votes, y, span)
    _lowest(contract, "best_prediction", found, of_targets, [grid] * _Q, _ROUNDING)
    chosen = loss.best_target(votes.T, z, sets, span)
    contract.holds(
        sets.contains(chosen).all(), "best_target returns a number outside of its interval."
    )
    inside = [np.linspace(*ends, 1001) for ends in zip(low, high, strict=True)]
    _lowest(contract, "best_target", chosen, of_predictions, inside, _ROUNDING)

    members = np.linspace(low, high, 401)

    def infimum(row: int, points: FloatArray) -> FloatArray:
        nearest = np.clip(points[None], low[:, None], high[:, None])
        exact = alpha[row][:, None] * loss.pointwise(points[None], nearest)
        others = alpha[row][:, None] * loss.pointwise(points[None, None], members[:, :, None])
        return np.asarray(np.minimum(exact, others.min(axis=0)).sum(axis=0))

    found = loss.infimum_prediction(votes, sets, span)
    coarse = [grid[::10]] * _Q
    _lowest(contract, "infimum_prediction", found, infimum, coarse, _QUADRATURE)
    middles = low + (high - low) * (np.arange(1000)[:, None] + 0.5) / 1000

    def average(row: int, points: FloatArray) -> FloatArray:
        losses = [loss.pointwise(point, middles).mean(axis=0) for point in points]
        return np.asarray(np.array(losses) @ alpha[row])

    found = loss.average_prediction(votes, sets, span)
    _lowest(contract, "average_prediction", found, average, coarse, _QUADRATURE)


def _lowest(
    contract: Contract,
    name: str,
    found: FloatArray,
    value: Callable[[int, FloatArray], FloatArray],
    points: Sequence[FloatArray],
    rounding: float,
) -> None:
    contract.holds(
        np.shape(found) == (len(points), 1),
        f"{name} has shape {np.shape(found)}; expected {(len(points), 1)}.",
    )
    contract.finite(found, name)
    for row, grid in enumerate(points):
        values = value(row, grid)
        here = float(value(row, found[row])[0])
        best = int(values.argmin())
        contract.holds(
            here <= values[best] + rounding,
            f"{name} of row {row} is {found[row, 0]:.6g} with the value {here:.6g}, but "
            f"{grid[best]:.6g} has the lower value {values[best]:.6g}.",
        )
