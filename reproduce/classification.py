"""The paper's classification figure: two data sets, two corruptions, two ways to choose a cell.

A cell is a pair of a bandwidth and a ridge.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from disambig.datasets.corruptions.registry import CORRUPTIONS
from disambig.estimators import PartialLabelClassifier
from disambig.notation import BoolArray, FloatArray, IntArray
from reproduce.cache import Job, Payload
from reproduce.figure_data import FigureData
from reproduce.label_sweep import METHODS, sweep
from reproduce.recorded import recorded_error
from reproduce.results import FigureResult

CORRUPTION_KINDS = {"skewed_text": "text", "skewed_code": "code"}
"""Corruptions by their names: that of the paper's text, and that of its programs."""
LEVELS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9)
BANDWIDTHS = (1.0, 0.1, 0.01)
RIDGES = (1.0, 1e-3, 1e-6)
LABEL_METHODS = {
    "df": "DF",
    "il_coded": "IL, as coded",
    "il": "IL, exact",
    "ac": "AC, as coded = exact",
}
DEFAULT = "PartialLabelClassifier()"
"""The library's default, without any setting."""

_FIGURE = "classification"
_N_FOLDS = 8
_N_DRAWS = 5
# A fit of the default takes one second at 350 rows and about seven at 1750, so it is run on fewer
# folds of data sets with more rows than this.
_MAX_ALL_FOLDS_ROWS = 1000
_DEFAULT_FOLDS = {"few rows": 8, "many rows": 4}
_QUICK_LEVELS = (0.5, 0.8)
_QUICK_FOLDS = {"few rows": 2, "many rows": 1}


def figure_folds(n: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Eight shuffled folds of n rows, as pairs of training and test rows."""
    return list(KFold(_N_FOLDS, shuffle=True, random_state=seed).split(np.arange(n)))


def figure_ridges(n: int) -> list[float]:
    """The regularizations of the figure for n training rows."""
    return [c / np.sqrt(n) for c in RIDGES]


def classification_jobs(
    data: Sequence[FigureData], *, quick: bool = False, seed: int = 0
) -> list[Job]:
    """For each data set: all cells of the figure, draw by draw, and the library's default.

    Parameters
    ----------
    data : sequence of FigureData
    quick : bool
        One draw of the sets in place of five, and the default at few levels and on few folds.
    seed : int
        Seed of the folds and of the first draw.
    """
    found = []
    for one in data:
        size = "many rows" if len(one.X) > _MAX_ALL_FOLDS_ROWS else "few rows"
        named = {"data": one.name, "shape": list(one.X.shape), "digest": _digest(one)}
        for draw in range(1 if quick else _N_DRAWS):
            settings = {**named, "levels": list(LEVELS), "seed": seed, "draw": draw}
            name = f"{one.name}, all cells, draw {draw}"
            found.append(Job(_FIGURE, name, grid_errors, settings, one))
        n_folds = (_QUICK_FOLDS if quick else _DEFAULT_FOLDS)[size]
        for kind, kind_name in CORRUPTION_KINDS.items():
            for level in _QUICK_LEVELS if quick else LEVELS:
                settings = {**named, "kind": kind, "level": level, "seed": seed, "n_folds": n_folds}
                name = f"{one.name}, {DEFAULT}, {kind_name}, {level:g}"
                found.append(Job(_FIGURE, name, default_errors, settings, one))
    return found


def _digest(data: FigureData) -> str:
    """16 hexadecimal digits of a hash of the inputs and the classes."""
    found = hashlib.sha256(np.ascontiguousarray(data.X, dtype="<f8").tobytes())
    # As strings: an array of objects contains addresses, which differ from run to run.
    found.update("\n".join(np.asarray(data.y).astype(str).tolist()).encode())
    return found.hexdigest()[:16]


def grid_errors(
    given: FigureData,
    data: str,
    shape: list[int],
    digest: str,
    levels: list[float],
    seed: int,
    draw: int,
) -> Payload:
    """True and held-out errors of all cells under every corruption, (folds, cells, problems)."""
    truth, problems = _problems(given, levels, seed + draw)
    folds = figure_folds(len(given.X), seed)
    scales = [c * given.X.shape[1] for c in BANDWIDTHS]
    run = sweep(given.X, folds, problems, scales, figure_ridges)
    clean: dict[str, list[Any]] = {method: [] for method in METHODS}
    covering: dict[str, list[Any]] = {method: [] for method in METHODS}
    for (_, test), predictions in zip(folds, run.predictions, strict=True):
        masks = np.array([problem.mask[test] for problem in problems])
        for method in METHODS:
            found = predictions[method]
            clean[method].append((found != truth[test]).mean(axis=-1).tolist())
            covering[method].append(covering_errors(found, masks).tolist())
    return {
        "data": data,
        "title": given.title,
        "stand_in": bool(given.stands_for),
        "levels": levels,
        "draw": draw,
        "clean": clean,
        "covering": covering,
    }


def _problems(given: FigureData, levels: Sequence[float], seed: int) -> tuple[IntArray, list[Any]]:
    """The truth as codes, and the sets of all corruptions and levels; levels vary fastest."""
    problems = [
        CORRUPTIONS[kind](c)(given.y, random_state=seed)
        for kind in CORRUPTION_KINDS
        for c in levels
    ]
    return np.searchsorted(problems[0].classes, given.y), problems


def default_errors(
    given: FigureData,
    data: str,
    shape: list[int],
    digest: str,
    kind: str,
    level: float,
    seed: int,
    n_folds: int,
) -> Payload:
    """Errors of the library's default on the first folds."""
    sets = CORRUPTIONS[kind](level)(given.y, random_state=seed)
    errors = []
    for train, test in figure_folds(len(given.X), seed)[:n_folds]:
        model = PartialLabelClassifier().fit(given.X[train], sets[train])
        errors.append(float(np.mean(model.predict(given.X[test]) != given.y[test])))
    return {
        "data": data,
        "title": given.title,
        "stand_in": bool(given.stands_for),
        "kind": kind,
        "level": level,
        "errors": errors,
    }


def covering_errors(found: IntArray, masks: BoolArray) -> FloatArray:
    """Share of informative rows whose prediction is outside the set, (cells, problems).

    `found` is (cells, problems, q), `masks` is (problems, q, K). A prediction of -1 means
    that there is none.
    """
    is_informative = ~masks.all(axis=-1)
    problem, row = np.indices(masks.shape[:2])
    hit = masks[problem, row, found] & (found >= 0)
    errors: FloatArray = (is_informative & ~hit).sum(axis=-1) / is_informative.sum(axis=-1)
    return errors


def classification_results(payloads: Sequence[Payload]) -> list[FigureResult]:
    """Errors over folds, with the cell of each draw chosen by the truth and by the sets.

    The error of a fold is its mean over the draws. Standard errors are therefore over folds.
    """
    found = []
    for data in dict.fromkeys(payload["data"] for payload in payloads):
        mine = [payload for payload in payloads if payload["data"] == data]
        draws = [payload for payload in mine if "clean" in payload]
        levels = draws[0]["levels"]
        for k, kind in enumerate(CORRUPTION_KINDS):
            for t, level in enumerate(levels):
                words = {"level": level, "quantity": "test error", "stand_in": mine[0]["stand_in"]}
                words["panel"] = f"{mine[0]['title']}, {CORRUPTION_KINDS[kind]}"
                found += _grid_results(draws, k * len(levels) + t, data, kind, words)
                found += [
                    FigureResult.of(
                        payload["errors"],
                        method=DEFAULT,
                        choice="fixed",
                        over=f"{len(payload['errors'])} of {_N_FOLDS} folds",
                        **words,
                    )
                    for payload in mine
                    if payload.get("kind") == kind and payload["level"] == level
                ]
    return found


def _grid_results(
    draws: Sequence[Payload], problem: int, data: str, kind: str, words: dict[str, Any]
) -> list[FigureResult]:
    found = []
    for method, name in LABEL_METHODS.items():
        for choice, criterion in (("truth", "clean"), ("sets", "covering")):
            errors = []
            for draw in draws:
                clean = np.array(draw["clean"][method])[:, :, problem]
                seen = np.array(draw[criterion][method])[:, :, problem]
                errors.append(clean[:, seen.mean(axis=0).argmin()])
            folds = np.mean(errors, axis=0)
            result = FigureResult.of(
                folds,
                method=name,
                choice=choice,
                over=f"{len(folds)} folds, {len(draws)} {'draw' if len(draws) == 1 else 'draws'}",
                **words,
            )
            authors = recorded_error(data, kind, words["level"], method)
            if choice == "truth" and authors is not None:
                spread = _error_of_one_draw(np.array(errors))
                result = replace(result, authors=authors, authors_error=spread)
            found.append(result)
    return found


def _error_of_one_draw(errors: FloatArray) -> float:
    """An estimate of the standard error of the authors' number, which was not recorded.

    Their number is of one draw. The estimate combines the standard error over the folds of a draw
    with the spread between draws; `errors` are (draws, folds).
    """
    n_draws, n_folds = errors.shape
    between_folds = np.sqrt(errors.var(axis=1, ddof=1).mean() / n_folds)
    between_draws = errors.mean(axis=1).std(ddof=1) if n_draws > 1 else 0.0
    return float(np.hypot(between_folds, between_draws))
