"""The paper's semi-supervised figure: two thousand points on four circles, four with a label."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from disambig.datasets import make_concentric_circles
from disambig.estimators import PartialLabelClassifier
from disambig.exceptions import InputShiftWarning
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights import NadarayaWatsonWeights, NeighborWeights
from reproduce.cache import Job, Payload
from reproduce.recorded import RECORDED_CIRCLES
from reproduce.results import FigureResult

_FIGURE = "semi-supervised"
_N_SEEDS, _N_QUICK_SEEDS = 40, 5
_N_POINTS, _N_FEWER_POINTS = 2000, 1000
_METHODS = {"DF": "disambiguation", "IL": "infimum", "AC": "average"}
# exp(-|x - x'|^2 / h) with h = .08 in the paper; ours is exp(-|x - x'|^2 / (2 b^2)).
_BANDWIDTH = float(np.sqrt(0.08 / 2))
# Points along a side of the grid of the picture.
_GRID_SIDE = 150
_ON_GRID = "grid as the nearest circle"
DEFAULT = "PartialLabelClassifier()"
"""The library's default, without any setting."""


def semi_supervised_jobs(*, quick: bool = False, seed: int = 0) -> list[Job]:
    """The picture of the first seed, then all seeds at 2000 and at 1000 points.

    Parameters
    ----------
    quick : bool
        5 seeds in place of 40.
    seed : int
        The first seed.

    Examples
    --------
    >>> len(semi_supervised_jobs(quick=True))
    11
    """
    seeds = range(seed, seed + (_N_QUICK_SEEDS if quick else _N_SEEDS))
    return [
        Job(_FIGURE, "picture", circles_picture, {"seed": seed, "side": _GRID_SIDE}),
        *(
            Job(_FIGURE, f"{n} points, seed {one}", circles_shares, {"seed": one, "n_points": n})
            for n in (_N_POINTS, _N_FEWER_POINTS)
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
    """Points of a grid, (side², 2), and the circle that is nearest to each."""
    axis = np.linspace(-4.5, 4.5, side)
    places = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    nearest = np.clip(np.rint(np.linalg.norm(places, axis=1)), 1, 4).astype(np.intp)
    return places, nearest


def _predict_grid(model: PartialLabelClassifier, places: FloatArray) -> AnyArray:
    """Classes on the grid, half of which lies off the circles on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputShiftWarning)
        return model.predict(places)


def circles_picture(seed: int, side: int) -> Payload:
    """Points, their labels, and the classes on a grid, as one string of digits for each row."""
    X, sets, truth = make_concentric_circles(_N_POINTS, random_state=seed)
    places, nearest = _grid(side)
    found: dict[str, list[str]] = {}
    shares = {}
    for name in ("DF", "IL"):
        classes = _predict_grid(_model(name).fit(X, sets), places)
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


def circles_shares(seed: int, n_points: int) -> Payload:
    """Shares of right labels, undecided rows, and grid points predicted as the nearest circle."""
    X, sets, truth = make_concentric_circles(n_points, random_state=seed)
    places, nearest = _grid(50)
    found = {}
    for name in (*_METHODS, DEFAULT):
        model = _model(name).fit(X, sets)
        found[name] = {
            "right": float(np.mean(model.labels_ == truth)),
            "undecided": float(np.mean(~model.decided_)),
            "grid": float(np.mean(_predict_grid(model, places) == nearest)),
        }
    return {"seed": seed, "n_points": n_points, "methods": found}


def semi_supervised_results(payloads: Sequence[Payload]) -> list[FigureResult]:
    """Means over seeds, from the payloads of the jobs."""
    found = []
    for n in (_N_POINTS, _N_FEWER_POINTS):
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
            recorded = RECORDED_CIRCLES.get(name) if n == _N_POINTS else None
            comparison: dict[str, Any] = {}
            if recorded is not None:
                # Theirs is one run, so its standard error is the spread between seeds.
                spread = float(np.std(values["grid"], ddof=1)) if len(runs) > 1 else None
                comparison = {"authors": recorded.value, "authors_error": spread}
            found += [
                FigureResult.of(values["grid"], quantity=_ON_GRID, **comparison, **words),
                FigureResult.of(values["right"], quantity="training labels right", **words),
                FigureResult.of(values["undecided"], quantity="training rows undecided", **words),
            ]
            perfect = [float(share == 1.0) for share in values["right"]]
            found.append(FigureResult.of(perfect, quantity="seeds with all labels right", **words))
    return found
