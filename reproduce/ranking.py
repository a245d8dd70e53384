"""The paper's ranking figure: the orders of ten crossing lines, in which pairs are hidden."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from disambig.candidates import PartialOrders
from disambig.datasets import ScoreGapCorruption, make_ranking_lines
from disambig.datasets.corruptions.orders import information_left
from disambig.estimators import PartialRanker
from disambig.notation import FloatArray, IntArray
from reproduce.cache import Job, Payload
from reproduce.ranking_sweep import ranking_sweep
from reproduce.recorded import recorded_ranking
from reproduce.results import FigureResult

LEVELS: tuple[float, ...] = tuple(np.linspace(0.5, 1.0, 10).tolist())
BANDWIDTHS = (1.0, 0.5)
N_ITEMS, N_TRAINING, N_QUERIES = 10, 20, 50
ORDER_METHODS = {"df": "DF", "il": "IL", "ac_coded": "AC, as coded", "ac": "AC, exact"}
DEFAULT = "PartialRanker()"
"""The library's default, without any setting."""

_FIGURE = "ranking"
_RIDGES = (1e3, 1.0, 1e-3)
# Sets of ten lines in the full and in the quick run, and draws of the inputs for each.
_N_LINE_SETS, _N_QUICK_LINE_SETS = 40, 6
_N_DRAWS = 4
_N_INNER_FOLDS = 5


def ranking_ridges(n: int) -> list[float]:
    """The regularizations of the figure for n training rows."""
    return [c / np.sqrt(n) for c in _RIDGES]


def pair_signs(values: FloatArray) -> FloatArray:
    """Sign of ``values[i] - values[j]`` for i < j; j varies slowest, as in the authors' numbering.

    Examples
    --------
    >>> pair_signs(np.array([3.0, 1.0, 2.0])).tolist()
    [1.0, 1.0, -1.0]
    """
    j, i = np.tril_indices(values.shape[-1], -1)
    signs: FloatArray = np.sign(values[..., i] - values[..., j])
    return signs


def ranking_jobs(*, quick: bool = False, seed: int = 0) -> list[Job]:
    """One job for each set of lines.

    Parameters
    ----------
    quick : bool
        6 sets of lines in place of 40.
    seed : int
        Seed of the first set of lines.

    Examples
    --------
    >>> len(ranking_jobs(quick=True))
    6
    """
    return [
        Job(_FIGURE, f"lines {one}", line_errors, {"seed": one, "n_draws": _N_DRAWS})
        for one in range(seed, seed + (_N_QUICK_LINE_SETS if quick else _N_LINE_SETS))
    ]


def line_errors(seed: int, n_draws: int, levels: Sequence[float] = LEVELS) -> Payload:
    """Shares of wrong pairs for one set of lines, (draws, cells, levels), with and without truth.

    The error without truth is over the known pairs of training rows, predicted by a fit on the
    other folds.
    """
    rng = np.random.default_rng(seed)
    lines = rng.normal(size=(N_ITEMS, 2))
    test = make_ranking_lines(N_QUERIES, N_ITEMS, design="grid", lines=lines)
    truth = pair_signs(test.scores)
    wrong: dict[str, list[Any]] = {method: [] for method in ORDER_METHODS}
    missed: dict[str, list[Any]] = {method: [] for method in ORDER_METHODS}
    default, left = [], []
    for draw in range(n_draws):
        train = make_ranking_lines(N_TRAINING, N_ITEMS, lines=lines, random_state=rng)
        problems = [ScoreGapCorruption(level)(train.scores) for level in levels]
        left.append([float(information_left(orders)) for orders in problems])
        # A separate generator, so that the draws of the inputs do not depend on it.
        members = np.random.default_rng([seed, draw])
        ridges = ranking_ridges(N_TRAINING)
        run = ranking_sweep(train.X, test.X, problems, BANDWIDTHS, ridges, coded=members)
        held_out = _missed_pairs(train.X, problems, members)
        for method in ORDER_METHODS:
            signs = pair_signs(-run.predictions[method].astype(np.float64))
            wrong[method].append((signs != truth).mean(axis=(-2, -1)).tolist())
            missed[method].append(held_out[method].tolist())
        default.append([_default_error(train.X, test.X, orders, truth) for orders in problems])
    return {
        "seed": seed,
        "levels": list(levels),
        "left": np.mean(left, axis=0).tolist(),
        "wrong": wrong,
        "missed": missed,
        "default": default,
    }


def _missed_pairs(
    X: FloatArray, problems: Sequence[PartialOrders], members: np.random.Generator
) -> dict[str, FloatArray]:
    """Shares of wrong predictions of known pairs of held-out rows, (cells, levels), by method."""
    known = np.array([orders.signs() for orders in problems])
    wrong: dict[str, FloatArray] = {}
    for fold in range(_N_INNER_FOLDS):
        held = np.arange(len(X)) % _N_INNER_FOLDS == fold
        kept = [orders[~held] for orders in problems]
        # Scaled so that n times the ridge is that of a fit on all rows.
        ridges = [ridge * len(X) / int((~held).sum()) for ridge in ranking_ridges(len(X))]
        run = ranking_sweep(X[~held], X[held], kept, BANDWIDTHS, ridges, coded=members)
        seen = known[:, held]
        for method, ranks in run.predictions.items():
            missed = ((_signs(ranks) != seen) & (seen != 0)).sum(axis=(-2, -1))
            wrong[method] = wrong.get(method, 0.0) + missed
    # Where no pair is known, all cells are equal: 0 / 1.
    count = np.maximum(np.count_nonzero(known, axis=(-2, -1)), 1)
    return {method: missed / count for method, missed in wrong.items()}


def _signs(ranks: IntArray) -> IntArray:
    """+1 where i is before j, else -1; pairs as in `PartialOrders.signs`."""
    i, j = np.triu_indices(ranks.shape[-1], 1)
    return np.where(ranks[..., i] < ranks[..., j], 1, -1)


def _default_error(
    X: FloatArray, queries: FloatArray, orders: PartialOrders, truth: FloatArray
) -> float | None:
    """The share of wrong pairs; None where no pair is known, as the ranker then raises an error."""
    if not np.count_nonzero(orders.before):
        return None
    with warnings.catch_warnings():
        # Twenty rows are too few to choose by; the fixed rule is what the figure shows.
        warnings.filterwarnings("ignore", "weights='auto': only", UserWarning)
        ranks = PartialRanker().fit(X, orders).predict(queries)
    return float((pair_signs(-np.asarray(ranks, dtype=np.float64)) != truth).mean())


def ranking_results(payloads: Sequence[Payload]) -> list[FigureResult]:
    """Means over sets of lines; the cell is chosen for each set, method and level over its draws.

    The authors' numbers are from one other set of lines. The standard deviation between our sets
    estimates their standard error.
    """
    found = []
    levels, over = payloads[0]["levels"], f"{len(payloads)} sets of lines"
    for t, level in enumerate(levels):
        words: dict[str, Any] = {"panel": "10 lines", "level": level, "over": over}
        for method, name in ORDER_METHODS.items():
            for choice, criterion in (("truth", "wrong"), ("sets", "missed")):
                values = [_chosen(payload, method, criterion, t) for payload in payloads]
                recorded = recorded_ranking(t, method) if choice == "truth" else None
                spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
                found.append(
                    FigureResult.of(
                        values,
                        method=name,
                        choice=choice,
                        quantity="wrong pairs",
                        authors=recorded,
                        authors_error=None if recorded is None else spread,
                        **words,
                    )
                )
        defaults = [[draw[t] for draw in payload["default"]] for payload in payloads]
        if all(error is not None for draws in defaults for error in draws):
            means = np.mean(defaults, axis=1)
            found.append(
                FigureResult.of(
                    means, method=DEFAULT, choice="fixed", quantity="wrong pairs", **words
                )
            )
        known = [payload["left"][t] for payload in payloads]
        found.append(
            FigureResult.of(known, method="data", choice="fixed", quantity="known pairs", **words)
        )
    return found


def _chosen(payload: Payload, method: str, criterion: str, level: int) -> float:
    """The mean error over the draws of the cell that is best over them by a criterion."""
    errors = np.array(payload["wrong"][method])[:, :, level]
    seen = np.array(payload[criterion][method])[:, :, level]
    return float(errors[:, seen.mean(axis=0).argmin()].mean())
