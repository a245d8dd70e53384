"""Label ranking with hidden ranks in training: Kendall's tau on complete rankings.

The label-ranking sets of Cheng, Hühn and Hüllermeier (folder ``labelranking`` of DISAMBIG_DATA);
five folds. In training rows each rank is hidden with probability 0, .3 or .6; inputs are
standardised inside the fold. `PartialRanker` by disambiguation (DF), infimum loss (IL) and average
(AC), with votes of nearest neighbours (k of 5, 10, 20), of kernel ridge (median bandwidth, ridge of
1e-4, 1e-3, 1e-2), of kernel ridge with 100 landmarks, and of 100 totally random trees (leaves of
fewer than 5, 10 or 20 rows). They are compared with ranking by pairwise comparison (RPC): a
logistic regression for each pair, trained on the rows that compare it, with probabilities summed
for each item. Parameters are chosen by tau on the observed pairs of a fifth of the training rows;
hidden ranks are used for the final score only.

    python -m benchmarks.label_ranking [--write] [--quick]
"""

import argparse
import ast
import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig import PartialRanker
from disambig.datasets import load_label_ranking
from disambig.datasets.loaders.label_ranking import LabelRankingData
from disambig.metrics import kendall_tau
from disambig.notation import FloatArray, IntArray
from disambig.weights import ForestWeights, KernelRidgeWeights, NeighborWeights, NystromWeights

DATA = ("iris", "wine", "bodyfat", "vehicle", "authorship", "stock", "spo", "heat")  # words: ok
QUICK_DATA = ("iris", "wine")
TITLES = {"heat": "yeast-heat"}  # words: ok
HIDDEN = (0.0, 0.3, 0.6)
NEIGHBORS = (5, 10, 20)
RIDGES = (1e-4, 1e-3, 1e-2)
N_LANDMARKS = 100
MIN_SPLIT_ROWS = (5, 10, 20)
METHODS = {"DF": "disambiguation", "IL": "infimum", "AC": "average"}
WEIGHTS: dict[str, tuple[Sequence[float], Callable[[Any], Any]]] = {
    "k-NN": (NEIGHBORS, lambda k: NeighborWeights(n_neighbors=k)),
    "ridge": (RIDGES, lambda ridge: KernelRidgeWeights(regularization=ridge)),
    "landmarks": (
        RIDGES,
        lambda ridge: NystromWeights(n_landmarks=N_LANDMARKS, regularization=ridge),
    ),
    "forest": (MIN_SPLIT_ROWS, lambda split: ForestWeights(min_samples_split=split)),
}
# The infimum loss solves one order for each vote of a query. With kernel ridge all rows vote at
# every query, and in a forest nearly all, so it is run on small data only.
MAX_INFIMUM_ROWS = {"k-NN": 3000, "ridge": 300, "landmarks": 300, "forest": 300}
# Columns of a table with a row for each weighting; RPC has no weighting, and is in the first row.
COLUMNS = (*METHODS, "RPC")
_EMPTY = "–"

Found = dict[tuple[str, str], list[float]]


def hide(ranks: FloatArray, share: float, rng: np.random.Generator) -> FloatArray:
    """The ranks, each replaced by NaN with probability `share`."""
    return np.where(rng.random(ranks.shape) < share, np.nan, ranks)


class PairwiseComparison:
    """RPC: a logistic regression for each pair of items, probabilities summed for each item."""

    def fit(self, X: FloatArray, ranks: FloatArray) -> "PairwiseComparison":
        self.n_items_ = ranks.shape[1]
        self.models_: dict[tuple[int, int], Any] = {}
        for i, j in combinations(range(self.n_items_), 2):
            gaps = ranks[:, j] - ranks[:, i]
            rows = np.flatnonzero(np.isfinite(gaps) & (gaps != 0))
            first = gaps[rows] > 0
            # With one outcome, or none, only its frequency can be learnt.
            if rows.size == 0 or first.all() or not first.any():
                self.models_[i, j] = first.mean() if rows.size else 0.5
            else:
                self.models_[i, j] = LogisticRegression(max_iter=1000).fit(X[rows], first)
        return self

    def predict(self, X: FloatArray) -> IntArray:
        points = np.zeros((len(X), self.n_items_))
        for (i, j), model in self.models_.items():
            share = model if isinstance(model, float) else model.predict_proba(X)[:, 1]
            points[:, i] += share
            points[:, j] += 1 - share
        return np.argsort(np.argsort(-points, axis=1, kind="stable"), axis=1)


def chosen(X: FloatArray, y: FloatArray, weighting: str, method: str) -> Any:
    """The parameter of a weighting that predicts observed pairs of held-out rows best."""
    values, make = WEIGHTS[weighting]
    train, held_out = next(ShuffleSplit(1, test_size=0.2, random_state=0).split(X))
    scores = []
    for value in values:
        model = PartialRanker(make(value), method=METHODS[method]).fit(X[train], y[train])
        scores.append(model.score(X[held_out], y[held_out]))
    return values[int(np.argmax(scores))]


def run_fold(
    X: FloatArray, y: FloatArray, queries: FloatArray, hidden: float
) -> tuple[dict[tuple[str, str], IntArray], dict[tuple[str, str], float]]:
    """Predictions of all methods, and the CPU seconds of each, choice included."""
    predictions, spent = {}, {}
    for weighting, (_, make) in WEIGHTS.items():
        for method, name in METHODS.items():
            # Without hidden ranks, each set has one member, and the three methods are the same.
            if (hidden == 0 and method != "DF") or (
                method == "IL" and len(X) > MAX_INFIMUM_ROWS[weighting]
            ):
                continue
            begun = time.process_time()
            model = PartialRanker(make(chosen(X, y, weighting, method)), method=name).fit(X, y)
            predictions[method, weighting] = model.predict(queries)
            spent[method, weighting] = time.process_time() - begun
    begun = time.process_time()
    predictions["RPC", ""] = PairwiseComparison().fit(X, y).predict(queries)
    spent["RPC", ""] = time.process_time() - begun
    return predictions, spent


def run_data(
    data: LabelRankingData, hidden: float, n_folds: int, max_rows: int, seed: int
) -> tuple[Found, dict[tuple[str, str], float]]:
    """Tau by fold and CPU seconds of all folds, on at most `max_rows` random rows."""
    taus: Found = defaultdict(list)
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    rows = np.random.default_rng([seed, 1]).permutation(len(data.X))[:max_rows]
    X, ranks = _filled(data.X[rows]), data.ranks[rows]
    splitter = KFold(5, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(list(splitter.split(X))[:n_folds]):
        scaler = StandardScaler().fit(X[train])
        y = hide(ranks[train], hidden, np.random.default_rng([seed, fold, int(10 * hidden)]))
        predictions, spent = run_fold(
            scaler.transform(X[train]), y, scaler.transform(X[test]), hidden
        )
        for key, found in predictions.items():
            taus[key].append(kendall_tau(ranks[test], found))
            seconds[key] += spent[key]
    return taus, seconds


def _filled(X: FloatArray) -> FloatArray:
    return np.where(np.isnan(X), np.nanmean(X, axis=0), X)


def _rows(start: list[str], cells: dict[tuple[str, str], str]) -> list[list[str]]:
    """A row for each weighting, with the cells of its methods."""
    rows = []
    for weighting in WEIGHTS:
        row = [*start, weighting, *(cells.get((method, weighting), _EMPTY) for method in METHODS)]
        rows.append([*row, cells.get(("RPC", ""), _EMPTY) if not rows else ""])
    return rows


def _with_spread(taus: Found) -> dict[tuple[str, str], str]:
    cells = {}
    for key, found in taus.items():
        values = np.array(found)
        spread = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
        cells[key] = f"{values.mean():.3f} ± {spread:.3f}"
    return cells


def tables(folder: Path, names: Sequence[str], n_folds: int, max_rows: int, seed: int) -> str:
    """Tau and CPU seconds as Markdown."""
    head = ["data", "rows, items", "hidden", "votes", *COLUMNS]
    rows, times = [], []
    for name in names:
        data = load_label_ranking(folder / f"{name}.txt")
        shape = f"{min(len(data.X), max_rows)}, {data.ranks.shape[1]}"
        for hidden in HIDDEN:
            taus, seconds = run_data(data, hidden, n_folds, max_rows, seed)
            start = [TITLES.get(name, name), shape, f"{100 * hidden:.0f} %"]
            rows += _rows(start, _with_spread(taus))
            spent = {key: f"{value:.1f}" for key, value in seconds.items()}
            times += _rows(start, spent)
            print(*start, spent, flush=True)
    return (
        f"{_table(head, rows)}\n\nCPU seconds, {n_folds} folds, choice included:\n\n"
        f"{_table(head, times)}"
    )


def real_partial(root: Path, n_folds: int, max_rows: int, seed: int) -> str:
    """Real partial rankings: nothing is hidden, and scores are those of observed pairs."""
    head = ["data", "rows, items", "votes", *COLUMNS]
    rows = []
    for name, read in REAL.items():
        if not (root / name).is_file():
            rows.append([name, "not run: no such file", "", *[_EMPTY] * len(COLUMNS)])
            continue
        X, ranks = read(root / name)
        chosen = np.random.default_rng(seed).permutation(len(X))[:max_rows]
        X, ranks = X[chosen], ranks[chosen]
        taus: Found = defaultdict(list)
        for train, test in list(KFold(5, shuffle=True, random_state=seed).split(X))[:n_folds]:
            scaler = StandardScaler().fit(X[train])
            # Not 0, so that all three methods are run: the rankings are partial.
            predictions, _ = run_fold(
                scaler.transform(X[train]), ranks[train], scaler.transform(X[test]), np.nan
            )
            for key, found in predictions.items():
                taus[key].append(kendall_tau(ranks[test], found))
        rows += _rows([Path(name).stem, f"{len(X)}, {ranks.shape[1]}"], _with_spread(taus))
        print(name, _with_spread(taus), flush=True)
    return _table(head, rows)


def read_algae(path: Path) -> tuple[FloatArray, FloatArray]:
    """Inputs, and ranks with NaN where the order was not observed."""
    data = load_label_ranking(path)
    return _filled(data.X), data.ranks


def read_reactions(path: Path) -> tuple[FloatArray, FloatArray]:
    """Posts with counts of reactions, a literal dict per line; without a count there is no rank."""
    posts = [ast.literal_eval(line) for line in path.read_text("utf-8").splitlines() if line]
    reactions = sorted(posts[0]["emoticons"])
    counts = np.array([[post["emoticons"][name] for name in reactions] for post in posts], float)
    X = np.array([[float(value) for value in post["feature_emotion"]] for post in posts])
    return X, np.where(counts > 0, rankdata(-counts, method="min", axis=1) - 1.0, np.nan)


REAL: dict[str, Callable[[Path], tuple[FloatArray, FloatArray]]] = {
    "algae.txt": read_algae,
    "fb_nytimes.txt": read_reactions,
}


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="two small sets, two folds")
    parser.add_argument("--data", nargs="+", metavar="NAME", help="only these data sets")
    options = parser.parse_args(arguments)
    root = Path(os.environ.get("DISAMBIG_DATA", "data"))
    if not (root / "labelranking").is_dir():
        raise SystemExit(
            f"label_ranking: no folder labelranking in {root.name!r}. Set DISAMBIG_DATA to the "
            "folder that contains it."
        )
    names = options.data or (QUICK_DATA if options.quick else DATA)
    n_folds, max_rows, seed = (2 if options.quick else 5), 1000, 0
    with threadpool_limits(1):
        body = tables(root / "labelranking", names, n_folds, max_rows, seed)
        rest = real_partial(root / "ranking_real", n_folds, max_rows, seed)
    text = (
        "## Label ranking with hidden ranks\n\n"
        "Kendall's tau of complete held-out rankings, mean ± standard error over folds. Each rank "
        "of a training row is hidden with the given probability. At 0 % every set has one member, "
        "so that DF, IL and AC are one. Votes: *k-NN* neighbours; *ridge* kernel ridge; "
        f"*landmarks* kernel ridge of low rank, p = {N_LANDMARKS}; *forest* 100 totally random "
        "trees. IL is local alternation at each query and runs with votes of all rows only up to "
        f"{MAX_INFIMUM_ROWS['ridge']} training rows. RPC does not vote. Sets of more than "
        f"{max_rows} rows are cut to {max_rows} at random.\n\n"
        f"{provenance('python -m benchmarks.label_ranking --write', seeds=str(seed))}\n"
        f"- Threads: 1; CPU seconds\n\n{body}\n\n"
        "**Real partial rankings** (algae with ties and omissions as observed; reactions to posts "
        "by their counts, those without a count not compared): tau of the observed pairs of "
        f"held-out rows\n\n{rest}\n"
    )
    if options.write:
        write_section("label_ranking", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
