"""What fills missing cells best: hidden values of twelve tables, and the parts of the default.

    python -m benchmarks.input_fills [--write] [--quick] [--data FOLDER]

A fifth of the cells is missing, at random, or the larger the value the more often. Fills learn
from at most 300 rows, and their squared errors at missing cells of other rows are compared. None of
these tables is in `benchmarks.missing_inputs`, where estimators learn from what is filled.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.impute import KNNImputer
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from benchmarks.missing_inputs import N_TEST, N_TRAIN, Data, holes
from benchmarks.results import provenance, write_section
from disambig.datasets import load_interval_folder, load_label_ranking, load_libsvm
from disambig.exceptions import DatasetError
from disambig.inputs import fills
from disambig.inputs.fills import CorrectedFill, NeighborFill, fit_fill
from disambig.inputs.gaussian import GaussianFill
from disambig.notation import FloatArray

SHARE = 0.2
MECHANISMS = ("random", "large")
SEEDS = 2
Fitted = Callable[[FloatArray], FloatArray]


def tables(folder: Path) -> Iterator[tuple[str, FloatArray]]:
    """Inputs by name."""
    for name in ("glass.scale", "vowel.scale", "svmguide2"):
        X = load_libsvm(folder / "libsvm" / name).X
        yield name, X.toarray() if hasattr(X, "toarray") else X
    for name in ("bodyfat", "wine", "iris"):
        yield name, load_label_ranking(folder / "labelranking" / f"{name}.txt").X
    for name in ("fishcatch", "pollution", "lowbwt", "veteran"):
        yield name, load_interval_folder(folder / "interval" / "mmit" / name).X
    yield "breast cancer", load_breast_cancer().data
    yield "diabetes", load_diabetes().data


def pair(gaussian: GaussianFill, Z: FloatArray, weight: FloatArray) -> tuple[fills.Fill, ...]:
    """Regression and near rows without the corrected regression."""
    return gaussian, NeighborFill(Z, weight)


def blended(Z: FloatArray, share: float, times: int, *, corrected: bool) -> Fitted:
    """The blend of the default, or another one: what is hidden at a time, how often, of what."""
    parts = fills._fills if corrected else pair
    with patch.multiple(fills, _HIDDEN_SHARE=share, _MAX_TIMES=times, _fills=parts):
        found = fit_fill(Z, np.ones(len(Z)))
    assert found is not None
    return found


def near_imputed(Z: FloatArray) -> Fitted:
    """`KNNImputer`."""
    fitted = KNNImputer(keep_empty_features=True).fit(Z)
    return lambda Q: np.asarray(fitted.transform(Q))


METHODS: dict[str, Callable[[FloatArray], Fitted]] = {
    "k-NN imputer": near_imputed,
    "near rows": lambda Z: NeighborFill(Z, np.ones(len(Z))),
    "regression": lambda Z: GaussianFill.of(Z, np.ones(len(Z))),
    "corrected regression": lambda Z: CorrectedFill.of(
        GaussianFill.of(Z, np.ones(len(Z))), Z, np.ones(len(Z))
    ),
    "two, 15 % once": partial(blended, share=0.15, times=1, corrected=False),
    "two, 5 % once": partial(blended, share=0.05, times=1, corrected=False),
    "two, 5 % six times": partial(blended, share=0.05, times=6, corrected=False),
    "three, 5 % six times": partial(blended, share=0.05, times=6, corrected=True),
}


def errors(X: FloatArray, mechanism: str, seed: int) -> list[float]:
    """Root mean squared errors of all methods, divided by that of the mean."""
    rng = np.random.default_rng([seed, MECHANISMS.index(mechanism)])
    n = len(X)
    size = min(N_TRAIN, 2 * n // 3)
    train, test = train_test_split(
        np.arange(n), train_size=size, test_size=min(N_TEST, n - size), random_state=seed
    )
    missing = holes(Data(X, None, np.zeros(n, np.intp)), SHARE, mechanism, rng)
    known = np.where(missing, np.nan, X)[train]
    used = (~np.isnan(known)).sum(axis=0) > 1
    used[used] = np.nanstd(known[:, used], axis=0) > 0
    center, unit = np.nanmean(known[:, used], axis=0), np.nanstd(known[:, used], axis=0)
    Z, truth = (known[:, used] - center) / unit, (X[test][:, used] - center) / unit
    hidden = missing[test][:, used]
    kept = ~hidden.all(axis=1)
    queries = np.where(hidden, np.nan, truth)[kept]
    cells, truth = hidden[kept], truth[kept]
    # By the deviation of all values, which the known ones of "large" understate.
    scale = unit / X[train][:, used].std(axis=0)
    low, high = np.nanmin(Z, axis=0), np.nanmax(Z, axis=0)

    def error(values: FloatArray) -> float:
        away = (np.clip(values, low, high) - truth) * scale
        return float(np.sqrt(np.mean(away[cells] ** 2)))

    mean = error(np.zeros(truth.shape))
    return [error(method(Z)(queries)) / mean for method in METHODS.values()]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="three tables, one seed")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("DISAMBIG_DATA", "data")))
    options = parser.parse_args(arguments)
    seeds = 1 if options.quick else SEEDS
    try:
        found = list(tables(options.data))[: 3 if options.quick else None]
    except (DatasetError, FileNotFoundError) as error:
        raise SystemExit(f"input_fills: {error} Set DISAMBIG_DATA.") from error
    lines = [f"| data | {' | '.join(METHODS)} |", f"|---|{'---|' * len(METHODS)}"]
    runs: dict[str, list[list[float]]] = {mechanism: [] for mechanism in MECHANISMS}
    with threadpool_limits(1):
        for name, X in found:
            of_table = []
            for mechanism in MECHANISMS:
                one = [errors(np.asarray(X, np.float64), mechanism, s) for s in range(seeds)]
                runs[mechanism] += one
                of_table += one
            lines.append(_line(name, np.mean(of_table, axis=0)))
            print(lines[-1], flush=True)
    lines += [
        _line(f"**all, {mechanism}**", np.mean(of_all, axis=0))
        for mechanism, of_all in runs.items()
    ]
    last, before = (
        np.array([run[k] for of_all in runs.values() for run in of_all]) for k in (-1, 4)
    )
    text = (
        "## Fills of missing cells\n\n"
        "Root mean squared errors at missing cells of test rows, divided by those of the mean of "
        'the column. "Two": regression and near rows, blended by the share of the known cells that '
        'is hidden so often; "three": the regression corrected by near rows is blended with them, '
        f"which is the default. It is better than hiding 15 % once in {np.mean(last < before):.0%} "
        f"of {len(last)} runs.\n\n"
        f"{provenance('python -m benchmarks.input_fills --write', seeds=f'0 to {seeds - 1}')}\n"
        f"- Rows: at most {N_TRAIN} to learn from and {N_TEST} to test\n\n" + "\n".join(lines)
    )
    if options.write:
        write_section("input_fills", text)
    else:
        print(text)


def _line(name: str, values: FloatArray) -> str:
    cells = [f"**{v:.3f}**" if v == values.min() else f"{v:.3f}" for v in values]
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
