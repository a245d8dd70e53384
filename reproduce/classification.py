"""The paper's classification figure: two data sets, two corruptions, two ways to choose cells."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from disambig.datasets import CORRUPTIONS
from disambig.estimators import PartialLabelClassifier
from disambig.notation import BoolArray, FloatArray, IntArray
from reproduce.cache import Payload, Piece
from reproduce.figure_data import FigureData
from reproduce.label_sweep import METHODS, sweep
from reproduce.readings import Reading
from reproduce.recorded import recorded_error

KINDS = {"skewed_text": "text", "skewed_code": "code"}
"""Corruptions: what the paper writes, and what its programs do."""
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
"""The library's default, all settings its own."""

_FIGURE = "classification"
_N_FOLDS = 8
_DRAWS = 5
# A fit of the default takes a second at 350 rows and some seven at 1750.
_MANY_ROWS = 1000
_DEFAULT_FOLDS = {"few rows": 8, "many rows": 4}
_QUICK_LEVELS = (0.5, 0.8)
_QUICK_FOLDS = {"few rows": 2, "many rows": 1}


def figure_folds(n: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Eight shuffled folds of n rows: pairs of training and test rows."""
    return list(KFold(_N_FOLDS, shuffle=True, random_state=seed).split(np.arange(n)))


def figure_ridges(n: int) -> list[float]:
    """The regularizations of the figure for n training rows."""
    return [c / np.sqrt(n) for c in RIDGES]


def classification_pieces(
    data: Sequence[FigureData], *, quick: bool = False, seed: int = 0
) -> list[Piece]:
    """For each data set: all cells of the figure, draw by draw, and the library's default.

    Parameters
    ----------
    data : sequence of FigureData
    quick : bool
        One draw of the sets in place of five, and the default on few cells and folds.
    seed : int
        Of folds, and of the first draw.
    """
    found = []
    for one in data:
        size = "many rows" if len(one.X) > _MANY_ROWS else "few rows"
        named = {"data": one.name, "shape": list(one.X.shape), "digest": _digest(one)}
        for draw in range(1 if quick else _DRAWS):
            settings = {**named, "levels": list(LEVELS), "seed": seed, "draw": draw}
            name = f"{one.name}, all cells, draw {draw}"
            found.append(Piece(_FIGURE, name, swept, settings, one))
        n_folds = (_QUICK_FOLDS if quick else _DEFAULT_FOLDS)[size]
        for kind, words in KINDS.items():
            for level in _QUICK_LEVELS if quick else LEVELS:
                settings = {**named, "kind": kind, "level": level, "seed": seed, "n_folds": n_folds}
                name = f"{one.name}, {DEFAULT}, {words}, {level:g}"
                found.append(Piece(_FIGURE, name, default_errors, settings, one))
    return found


def _digest(data: FigureData) -> str:
    """16 hexadecimal digits that other inputs or other classes do not share."""
    found = hashlib.sha256(np.ascontiguousarray(data.X, dtype="<f8").tobytes())
    # As texts: an array of objects holds addresses, which differ from run to run.
    found.update("\n".join(np.asarray(data.y).astype(str).tolist()).encode())
    return found.hexdigest()[:16]


def swept(
    given: FigureData,
    data: str,
    shape: list[int],
    digest: str,
    levels: list[float],
    seed: int,
    draw: int,
) -> Payload:
    """Errors of all cells at every corruption, (folds, cells, problems), with and without truth."""
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
    """The truth as codes, and kinds × levels of sets, the levels running fastest."""
    problems = [CORRUPTIONS[kind](c)(given.y, random_state=seed) for kind in KINDS for c in levels]
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

    `found` is (cells, problems, q), `masks` is (problems, q, K). A prediction of -1 is none.
    """
    counted = ~masks.all(axis=-1)
    problem, row = np.indices(masks.shape[:2])
    hit = masks[problem, row, found] & (found >= 0)
    errors: FloatArray = (counted & ~hit).sum(axis=-1) / counted.sum(axis=-1)
    return errors


def classification_readings(payloads: Sequence[Payload]) -> list[Reading]:
    """Errors over folds, the cell of each draw chosen by the truth and by the sets.

    A fold's error is its mean over the draws, so that standard errors are those of the folds.
    """
    found = []
    for data in dict.fromkeys(payload["data"] for payload in payloads):
        mine = [payload for payload in payloads if payload["data"] == data]
        draws = [payload for payload in mine if "clean" in payload]
        levels = draws[0]["levels"]
        for k, kind in enumerate(KINDS):
            for t, level in enumerate(levels):
                words = {"level": level, "quantity": "test error", "stand_in": mine[0]["stand_in"]}
                words["panel"] = f"{mine[0]['title']}, {KINDS[kind]}"
                found += _swept_readings(draws, k * len(levels) + t, data, kind, words)
                found += [
                    Reading.of(
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


def _swept_readings(
    draws: Sequence[Payload], problem: int, data: str, kind: str, words: dict[str, Any]
) -> list[Reading]:
    found = []
    for method, name in LABEL_METHODS.items():
        for choice, criterion in (("truth", "clean"), ("sets", "covering")):
            errors = []
            for draw in draws:
                clean = np.array(draw["clean"][method])[:, :, problem]
                seen = np.array(draw[criterion][method])[:, :, problem]
                errors.append(clean[:, seen.mean(axis=0).argmin()])
            folds = np.mean(errors, axis=0)
            reading = Reading.of(
                folds,
                method=name,
                choice=choice,
                over=f"{len(folds)} folds, {len(draws)} {'draw' if len(draws) == 1 else 'draws'}",
                **words,
            )
            authors = recorded_error(data, kind, words["level"], method)
            if choice == "truth" and authors is not None:
                spread = _error_of_one_draw(np.array(errors))
                reading = replace(reading, authors=authors, authors_error=spread)
            found.append(reading)
    return found


def _error_of_one_draw(errors: FloatArray) -> float:
    """What the authors' number, of one draw, may be off by; it was not written down.

    The standard error over folds of a draw, and the spread between draws; `errors` are (draws,
    folds).
    """
    n_draws, n_folds = errors.shape
    between_folds = np.sqrt(errors.var(axis=1, ddof=1).mean() / n_folds)
    between_draws = errors.mean(axis=1).std(ddof=1) if n_draws > 1 else 0.0
    return float(np.hypot(between_folds, between_draws))
