"""The paper's semi-supervised figure: four labels, two thousand points on four circles."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from disambig.datasets import make_concentric_circles
from disambig.estimators import PartialLabelClassifier
from disambig.notation import FloatArray, IntArray
from disambig.weights import NadarayaWatsonWeights, NeighborWeights
from reproduce.cache import Payload, Piece
from reproduce.readings import Reading
from reproduce.recorded import RECORDED_CIRCLES

_FIGURE = "semi-supervised"
_SEEDS, _QUICK_SEEDS = 40, 5
_POINTS, _FEWER = 2000, 1000
_METHODS = {"DF": "disambiguation", "IL": "infimum", "AC": "average"}
# exp(-|x - x'|^2 / h) with h = .08 in the paper; ours is exp(-|x - x'|^2 / (2 b^2)).
_BANDWIDTH = float(np.sqrt(0.08 / 2))
_SIDE = 150
_ON_GRID = "grid as the nearest circle"
DEFAULT = "PartialLabelClassifier()"
"""The library's default, all settings its own."""


def semi_supervised_pieces(*, quick: bool = False, seed: int = 0) -> list[Piece]:
    """A picture of the first seed, then so many seeds at 2000 and at 1000 points.

    Parameters
    ----------
    quick : bool
        5 seeds in place of 40.
    seed : int
        The first seed.

    Examples
    --------
    >>> len(semi_supervised_pieces(quick=True))
    11
    """
    seeds = range(seed, seed + (_QUICK_SEEDS if quick else _SEEDS))
    return [
        Piece(_FIGURE, "picture", pictured, {"seed": seed, "side": _SIDE}),
        *(
            Piece(_FIGURE, f"{n} points, seed {one}", measured, {"seed": one, "n_points": n})
            for n in (_POINTS, _FEWER)
            for one in seeds
        ),
    ]


def _model(name: str) -> PartialLabelClassifier:
    if name == DEFAULT:
        return PartialLabelClassifier(classes=[1, 2, 3, 4])
    return PartialLabelClassifier(
        NeighborWeights(n_neighbors=20),
        predict_weights=NadarayaWatsonWeights(bandwidth=_BANDWIDTH),
        method=_METHODS[name],
        classes=[1, 2, 3, 4],
    )


def _grid(side: int) -> tuple[FloatArray, IntArray]:
    """Places, (side², 2), and the circle that is nearest to each."""
    axis = np.linspace(-4.5, 4.5, side)
    places = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    nearest = np.clip(np.rint(np.linalg.norm(places, axis=1)), 1, 4).astype(np.intp)
    return places, nearest


def pictured(seed: int, side: int) -> Payload:
    """Points, their labels, and the classes of a grid, one line of digits for each of its rows."""
    X, sets, truth = make_concentric_circles(_POINTS, random_state=seed)
    places, nearest = _grid(side)
    found: dict[str, list[str]] = {}
    shares = {}
    for name in ("DF", "IL"):
        classes = _model(name).fit(X, sets).predict(places)
        shares[name] = float(np.mean(classes == nearest))
        lines = classes.reshape(side, side).tolist()
        found[name] = ["".join(map(str, line)) for line in lines]
    return {
        "seed": seed,
        "points": X.round(4).tolist(),
        "labels": truth.tolist(),
        "labelled": (sets.sum(axis=1) == 1).tolist(),
        "predicted": found,
        "as_nearest": shares,
    }


def measured(seed: int, n_points: int) -> Payload:
    """For each method: labels that are right, rows left undecided, grid as the nearest circle."""
    X, sets, truth = make_concentric_circles(n_points, random_state=seed)
    places, nearest = _grid(50)
    found = {}
    for name in (*_METHODS, DEFAULT):
        model = _model(name).fit(X, sets)
        found[name] = {
            "right": float(np.mean(model.labels_ == truth)),
            "undecided": float(np.mean(~model.resolved_)),
            "grid": float(np.mean(model.predict(places) == nearest)),
        }
    return {"seed": seed, "n_points": n_points, "methods": found}


def semi_supervised_readings(payloads: Sequence[Payload]) -> list[Reading]:
    """Means over seeds, from what the pieces computed."""
    found = []
    for n in (_POINTS, _FEWER):
        runs = [payload for payload in payloads if payload.get("n_points") == n]
        for name in (*_METHODS, DEFAULT):
            words: dict[str, Any] = {
                "panel": f"circles, {n} points",
                "method": name,
                "choice": "fixed",
                "over": f"{len(runs)} seeds",
            }
            values = {
                key: [run["methods"][name][key] for run in runs]
                for key in ("right", "undecided", "grid")
            }
            recorded = RECORDED_CIRCLES.get(name) if n == _POINTS else None
            beside: dict[str, Any] = {}
            if recorded is not None:
                # Theirs is one run: what it may be off by is the spread between seeds.
                spread = float(np.std(values["grid"], ddof=1)) if len(runs) > 1 else None
                beside = {"authors": recorded.value, "authors_error": spread}
            found += [
                Reading.of(values["grid"], quantity=_ON_GRID, **beside, **words),
                Reading.of(values["right"], quantity="training labels right", **words),
                Reading.of(values["undecided"], quantity="training rows undecided", **words),
            ]
            perfect = [float(share == 1.0) for share in values["right"]]
            found.append(Reading.of(perfect, quantity="seeds with all labels right", **words))
    return found
