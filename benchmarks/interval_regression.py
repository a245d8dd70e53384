"""Interval regression: squared distances of predictions to held-out intervals, several methods.

Data are the 20 sets of the max-margin interval tree benchmarks (folder ``interval/mmit`` of
DISAMBIG_DATA) with their five folds. The score of a fold is the mean of (lower - z)₊² + (z -
upper)₊² over its rows, which is 0 inside the interval. The score of a data set is the mean over the
folds; ranks are those of the data sets.

All methods follow one rule. Inputs and targets are scaled by the training rows
(``benchmarks/intervals/scaling.py``). Hyper-parameters are chosen from at most twelve settings,
which the module of the method lists, by the same score in five-fold cross-validation inside the
training folds (the same inner folds for all methods, with scaling inside each). Then the method is
fitted on all training rows. The held-out fold is not used for the choice. Fits use one thread; CPU
seconds include choice, fit and prediction.

The settings of the other methods were not fixed in advance. Each list was revised once on these
data sets (that of L1 twice), because choices were at the edge of the list. Scores of held-out folds
were known by then: of four data sets when the margins were widened, of most when the shares of L1
and the scales of AFT were lowered. This can only favour these methods.

Ours are shown twice. "disambig, default" is `IntervalRegressor()` without arguments, on inputs and
targets in their own units (``benchmarks/intervals/default.py``, which says on which data its search
was designed). "disambig, second list" (``benchmarks/intervals/second_list.py``) was written when
results of an earlier list were known, developed on other data and fixed before it was run here. It
has twelve learners, each fitted in the same five folds. Where all other methods choose one of their
settings, it mixes the learners, with weights that minimise the same score on the rows held out in
training.

Methods: max-margin interval trees, and forests of 100 of them (bootstrap, random features at every
node); one hidden layer; linear functions with L2 and with L1 penalty; k nearest neighbours; the
best constant. All of them minimise the squared hinge, and all but the constant choose a margin by
which intervals are narrowed. In addition, boosted trees on XGBoost's AFT loss of exponentiated
targets (``pip install disambig[bench]``).

Results are stored in ``benchmarks/.cache``: after an interruption, a run continues from there.

With ``--keep`` methods without stored results are not run: their rows are taken over from the
section of RESULTS.md, which then says so.

    python -m benchmarks.interval_regression [--write] [--quick] [--keep] [--fresh METHOD ...]
"""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.intervals.method import MAX_SETTINGS, Method
from benchmarks.intervals.methods import METHODS
from benchmarks.intervals.published import Published, read_published
from benchmarks.intervals.record import RECORD, Record
from benchmarks.intervals.selection import Outcome, fit_scaled, run
from benchmarks.intervals.tables import Results, losses, summary
from benchmarks.results import provenance, write_section
from disambig.datasets import load_interval_folder
from disambig.datasets.loaders.interval_folder import IntervalData
from disambig.notation import IntArray

DATA = (
    "H3K27ac-H3K4me3_TDHAM_BP_FPOP",
    "H3K36me3_AM_immune_PDPA",
    "H3K36me3_TDH_immune_joint",
    "H3K4me3_PGP_immune_PDPA",
    "H3K4me3_TDH_immune_joint",
    "H3K4me3_TDH_other_joint",
    "autohorse",
    "baskball",
    "cholesterol",
    "cpu",
    "fishcatch",
    "lowbwt",
    "machine.cpu",
    "meta",
    "neuroblastoma.dr.tdh",
    "pollution",
    "sensory",
    "simulated.linear",
    "stock",
    "veteran",
)
QUICK_DATA = ("H3K4me3_TDH_other_joint", "baskball", "machine.cpu", "pollution")
SEED = 0

_NOTE_ON_SETTINGS = (
    '"disambig, default" is `IntervalRegressor()` without arguments, on inputs and targets in '
    "their own units; its search was designed on other data (named in "
    "`benchmarks/intervals/default.py`), fixed, and then run here once: this is that run. Results "
    "of the other methods on these sets were known before. "
    '"disambig, second list" was shaped on other data (named in '
    "`benchmarks/intervals/second_list.py`) after results of an earlier list had been seen here; "
    "its twelve learners are mixed, with weights from the same cross-validation, where all others "
    "choose one setting. The settings of the other methods were revised on these sets, which can "
    "only flatter them."
)


def run_fold(data: IntervalData, fold: int, method: Method) -> Outcome:
    """One method on one fold; all methods have the same seed, and so the same inner folds."""
    lower, upper = data.intervals.T
    test = _folds(data) == fold
    train = ~test
    return run(
        method,
        (data.X[train], lower[train], upper[train]),
        (data.X[test], lower[test], upper[test]),
        seed=SEED + fold,
    )


def _folds(data: IntervalData) -> IntArray:
    if data.folds is None:
        raise SystemExit(f"interval_regression: {data.name} has no file folds.csv; add one.")
    return data.folds


def run_data(
    data: IntervalData,
    methods: list[Method],
    record: Record,
    kept: Mapping[str, Published] = MappingProxyType({}),
) -> dict[str, Results]:
    """Outcomes of all folds by the name of the method; stored ones are not computed again.

    A method without a stored outcome takes over what `kept` has of it.
    """
    found: dict[str, Results] = {}
    for method in methods:
        first = int(_folds(data).min())
        if method.name in kept and record.get(data.name, first, method) is None:
            found[method.name] = kept[method.name]
            continue
        outcomes = []
        for fold in np.unique(_folds(data)).tolist():
            outcome = record.get(data.name, fold, method)
            if outcome is None:
                outcome = run_fold(data, fold, method)
                record.add(data.name, fold, method, outcome)
            outcomes.append(outcome)
        found[method.name] = outcomes
        mean, seconds = np.mean([o.loss for o in outcomes]), sum(o.seconds for o in outcomes)
        print(f"{data.name}, {method.name}: {mean:.4g} in {seconds:.1f} s", flush=True)
    return found


def compile_once(methods: list[Method]) -> None:
    """Compile the numba functions of the methods before they are timed."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    for method in methods:
        fit_scaled(method, method.settings[0], X, X[:, 0] - 1, X[:, 0] + 1, seed=0)(X)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="four small sets")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="take methods without stored results over from RESULTS.md",
    )
    parser.add_argument(
        "--fresh",
        nargs="+",
        default=[],
        metavar="METHOD",
        choices=[method.name for method in METHODS],
        help="run these methods again, even if their results are stored",
    )
    parser.add_argument("--record", type=Path, default=RECORD, help="file of the stored outcomes")
    options = parser.parse_args(arguments)
    folder = Path(os.environ.get("DISAMBIG_DATA", "data")) / "interval" / "mmit"
    if not folder.is_dir():
        raise SystemExit(
            f"interval_regression: no folder interval/mmit in {folder.parents[1].name!r}. Set "
            "DISAMBIG_DATA to the folder that contains it."
        )
    record = Record(options.record)
    methods = [method for method in METHODS if method.is_available]
    absent = [f"{m.name} (no package {m.needs})" for m in METHODS if not m.is_available]
    for method in methods:
        if method.name in options.fresh:
            record.forget(method)
    published, date = read_published() if options.keep else ({}, "")
    found, shapes = {}, {}
    with threadpool_limits(1):
        compile_once(methods)
        for name in QUICK_DATA if options.quick else DATA:
            data = load_interval_folder(folder / name)
            shapes[name] = f"{data.X.shape[0]}, {data.X.shape[1]}"
            found[name] = run_data(data, methods, record, published.get(name, {}))
    names = [method.name for method in methods]
    over = [
        name for name in names if any(isinstance(row[name], Published) for row in found.values())
    ]
    taken = f"- Taken over, of {date}: {'; '.join(over)}\n" if over else ""
    command = f"python -m benchmarks.interval_regression --write{' --keep' if over else ''}"
    text = (
        "## Interval regression\n\n"
        f"{len(found)} sets with their five folds; mean squared distance of predictions to the "
        "intervals of held-out rows. Every method chooses from at most "
        f"{MAX_SETTINGS} settings by cross-validation inside the training folds; inputs and "
        "targets are scaled the same way for all but the default. Mean rank over the sets, 1 the "
        "best.\n\n"
        f"{_NOTE_ON_SETTINGS}\n\n"
        f"{provenance(command, seeds=str(SEED))}\n"
        "- Threads: 1; CPU seconds of all sets and folds, choice included\n"
        f"- Not run: {', '.join(absent) or 'none'}\n{taken}\n"
        f"{summary(found, names)}\n\n"
        f"Mean ± standard error over folds:\n\n{losses(found, names, shapes)}\n"
    )
    if options.write:
        write_section("interval_regression", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
