"""Label ranking with hidden ranks in training: Kendall's tau on complete rankings.

The label-ranking sets of Cheng, Hühn and Hüllermeier (folder ``labelranking`` of DISAMBIG_DATA);
five folds. In training rows each rank is hidden with probability 0, .3 or .6, and the rest is read
in two ways: *order*, the known ranks are compared (as if re-numbered), or *places*, a rank is the
place of its item among all items. `PartialRanker()` with no other argument reads the features in
their units. It is compared, on standardised features, with

- voters: `PartialRanker` by disambiguation with nearest neighbours (k of 5, 10, 20), kernel ridge
  (median bandwidth, ridge of 1e-4, 1e-3, 1e-2) or totally random trees (leaves of fewer than 5, 10
  or 20 rows), the one with the best tau on the observed pairs of a fifth of the training rows;
- RPC, ranking by pairwise comparison: a logistic regression for each pair, trained on the rows that
  compare it (also by places), with probabilities summed for each item;
- item forests: a random forest for each item, trained on its known ranks; read as an order, on its
  mean place over all orders that agree with the row.

Hidden ranks are used for the final score only.

    python -m benchmarks.label_ranking [--write] [--quick]
"""

import argparse
import ast
import os
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig import PartialRanker
from disambig.candidates import PartialOrders
from disambig.datasets import load_label_ranking
from disambig.estimators.rankers.targets import expected_places
from disambig.metrics import kendall_tau
from disambig.notation import FloatArray, IntArray
from disambig.weights import ForestWeights, KernelRidgeWeights, NeighborWeights

DATA = ("iris", "wine", "bodyfat", "vehicle", "authorship", "stock", "spo", "heat")  # words: ok
QUICK_DATA = ("iris", "wine")
TITLES = {"heat": "yeast-heat"}  # words: ok
HIDDEN = (0.0, 0.3, 0.6)
VOTERS: tuple[Any, ...] = (
    *(NeighborWeights(n_neighbors=k) for k in (5, 10, 20)),
    *(KernelRidgeWeights(regularization=ridge) for ridge in (1e-4, 1e-3, 1e-2)),
    *(ForestWeights(min_samples_split=split) for split in (5, 10, 20)),
)
METHODS = ("default", "voters", "RPC", "item forests")
Found = dict[str, list[float]]


def hide(ranks: FloatArray, share: float, rng: np.random.Generator) -> FloatArray:
    """The ranks, each replaced by NaN with probability `share`."""
    return np.where(rng.random(ranks.shape) < share, np.nan, ranks)


class PairwiseComparison:
    """RPC: a logistic regression for each pair of items, probabilities summed for each item."""

    def fit(self, X: FloatArray, orders: PartialOrders) -> "PairwiseComparison":
        self.n_items_ = orders.n_items
        self.models_: dict[tuple[int, int], Any] = {}
        for i, j in combinations(range(self.n_items_), 2):
            rows = np.flatnonzero(orders.before[:, i, j] | orders.before[:, j, i])
            first = orders.before[rows, i, j]
            # With one outcome, or none, only its frequency can be learnt.
            if rows.size == 0 or first.all() or not first.any():
                self.models_[i, j] = float(first.mean()) if rows.size else 0.5
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


class ItemForests:
    """A random forest for each item on its known places, or on mean places of observed items."""

    def fit(self, X: FloatArray, orders: PartialOrders) -> "ItemForests":
        places, information = expected_places(orders)
        self.middle_ = (orders.n_items - 1) / 2.0
        self.forests_ = []
        for item in range(orders.n_items):
            rows = np.flatnonzero(information[:, item] > 0.0)
            model = RandomForestRegressor(random_state=0)
            self.forests_.append(model.fit(X[rows], places[rows, item]) if rows.size else None)
        return self

    def predict(self, X: FloatArray) -> IntArray:
        columns = [
            np.full(len(X), self.middle_) if forest is None else forest.predict(X)
            for forest in self.forests_
        ]
        return np.argsort(np.argsort(np.column_stack(columns), axis=1, kind="stable"), axis=1)


def chosen_voter(X: FloatArray, orders: PartialOrders) -> PartialRanker:
    """The voter that predicts observed pairs of held-out rows best, fitted on all rows."""
    train, held_out = next(ShuffleSplit(1, test_size=0.2, random_state=0).split(X))
    scores = []
    for weights in VOTERS:
        model = PartialRanker(weights).fit(X[train], orders[train])
        pairs = PartialOrders(orders.before[held_out])
        scores.append(kendall_tau(pairs, model.predict(X[held_out])))
    return PartialRanker(VOTERS[int(np.argmax(scores))]).fit(X, orders)


def run_fold(
    X: FloatArray, y: FloatArray, queries: FloatArray, reading: Any
) -> tuple[dict[str, IntArray], dict[str, float]]:
    """Predictions of all methods from raw features, and the CPU seconds of each."""
    scaler = StandardScaler().fit(X)
    standard, standard_queries = scaler.transform(X), scaler.transform(queries)
    orders = PartialOrders.from_any(y, ranks=reading)
    runs: dict[str, Callable[[], IntArray]] = {
        "default": lambda: PartialRanker(ranks=reading).fit(X, y).predict(queries),
        "voters": lambda: chosen_voter(standard, orders).predict(standard_queries),
        "RPC": lambda: PairwiseComparison().fit(standard, orders).predict(standard_queries),
        "item forests": lambda: ItemForests().fit(standard, orders).predict(standard_queries),
    }
    predictions, spent = {}, {}
    for method, run in runs.items():
        begun = time.process_time()
        with warnings.catch_warnings():
            # Some inputs get no votes from a forest of few rows.
            warnings.simplefilter("ignore", UserWarning)
            predictions[method] = run()
        spent[method] = time.process_time() - begun
    return predictions, spent


def run_data(
    X: FloatArray,
    ranks: FloatArray,
    hidden: float,
    reading: str,
    n_folds: int,
    max_rows: int,
    seed: int,
) -> tuple[Found, dict[str, float]]:
    """Tau by fold and CPU seconds of all folds, on at most `max_rows` random rows."""
    taus: Found = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    rows = np.random.default_rng([seed, 1]).permutation(len(X))[:max_rows]
    X, ranks = _filled(X[rows]), ranks[rows]
    splitter = KFold(5, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(list(splitter.split(X))[:n_folds]):
        y = hide(ranks[train], hidden, np.random.default_rng([seed, fold, int(10 * hidden)]))
        predictions, spent = run_fold(X[train], y, X[test], reading)
        for method, found in predictions.items():
            taus[method].append(kendall_tau(ranks[test], found))
            seconds[method] += spent[method]
    return taus, seconds


def _filled(X: FloatArray) -> FloatArray:
    return np.where(np.isnan(X), np.nanmean(X, axis=0), X)


def _with_spread(found: Sequence[float]) -> str:
    values = np.array(found)
    spread = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():.3f} ± {spread:.3f}"


def behind(taus: Found) -> float:
    """How far the default is behind the best other method, in standard errors of the difference.

    Negative if it is ahead. The differences are those of the folds.
    """
    others = {method: found for method, found in taus.items() if method != "default"}
    best = max(others, key=lambda method: float(np.mean(others[method])))
    differences = np.array(others[best]) - np.array(taus["default"])
    error = differences.std(ddof=1) / np.sqrt(len(differences)) if len(differences) > 1 else np.nan
    return float(differences.mean() / max(error, 1e-12))


class Comparison:
    """Cells of a table, one line for each problem, and the mean ranks over the lines."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.times: list[list[str]] = []
        self.means: dict[str, list[list[float]]] = defaultdict(list)
        self.late: list[str] = []

    def add(self, start: list[str], reading: str, taus: Found, seconds: dict[str, float]) -> None:
        """Add the line of a problem, and print it."""
        means = [float(np.mean(taus[method])) for method in METHODS]
        best = max(means)
        cells = [_with_spread(taus[method]) for method in METHODS]
        line = [f"**{c}**" if v == best else c for c, v in zip(cells, means, strict=True)]
        self.rows.append([*start, *line])
        self.times.append([*start, *(f"{seconds[method]:.1f}" for method in METHODS)])
        self.means[reading].append(means)
        if behind(taus) > 1.0:
            self.late.append(" ".join([start[0], start[2]]) + f" ({behind(taus):.1f})")
        print(*self.rows[-1], self.times[-1][len(start) :], flush=True)

    def mean_ranks(self) -> str:
        """The mean rank of each method by tau, 1 = best, for each reading and for all."""
        every = [means for found in self.means.values() for means in found]
        rows = [
            [
                title,
                str(len(found)),
                *(f"{r:.2f}" for r in rankdata(-np.array(found), axis=1).mean(0)),
            ]
            for title, found in [*self.means.items(), ("all", every)]
        ]
        return _table(["problems", "number", *METHODS], rows)


def problems_of(hidden: Sequence[float]) -> list[tuple[float, str, str]]:
    """Share of hidden ranks, reading and title. Without hidden ranks both are the same."""
    return [
        (share, reading, "0 %" if share == 0 else f"{100 * share:.0f} %, {reading}")
        for share in hidden
        for reading in (("order",) if share == 0 else ("order", "places"))
    ]


def made_up(seed: int) -> tuple[FloatArray, FloatArray]:
    """300 rows and five items with linear utilities and noise; features in unequal units."""
    rng = np.random.default_rng([seed, 2])
    X = rng.normal(size=(300, 6))
    utilities = X @ rng.normal(size=(6, 5)) + rng.normal(size=(300, 5))
    ranks = np.argsort(np.argsort(-utilities, axis=1), axis=1).astype(np.float64)
    return X * 10.0 ** np.arange(-3, 3), ranks


def real_partial(root: Path, n_folds: int, max_rows: int, seed: int) -> str:
    """Real partial rankings: nothing is hidden, and scores are those of observed pairs."""
    rows = []
    for name, read in REAL.items():
        if not (root / name).is_file():
            rows.append([name, "not run: no such file", *["–"] * len(METHODS)])
            continue
        X, ranks = read(root / name)
        part = np.random.default_rng(seed).permutation(len(X))[:max_rows]
        X, ranks = X[part], ranks[part]
        taus: Found = defaultdict(list)
        for train, test in list(KFold(5, shuffle=True, random_state=seed).split(X))[:n_folds]:
            predictions, _ = run_fold(X[train], ranks[train], X[test], "order")
            for method, found in predictions.items():
                taus[method].append(kendall_tau(ranks[test], found))
        cells = [_with_spread(taus[method]) for method in METHODS]
        rows.append([Path(name).stem, f"{len(X)}, {ranks.shape[1]}", *cells])
        print(*rows[-1], flush=True)
    return _table(["data", "rows, items", *METHODS], rows)


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
        text = report(root, names, n_folds, max_rows, seed)
    if options.write:
        write_section("label_ranking", text)
    else:
        print(text)


def report(root: Path, names: Sequence[str], n_folds: int, max_rows: int, seed: int) -> str:
    """The section of RESULTS.md."""
    sets = {
        TITLES.get(name, name): (data.X, data.ranks)
        for name in names
        for data in [load_label_ranking(root / "labelranking" / f"{name}.txt")]
    }
    real, extra = Comparison(), Comparison()
    for title, (X, ranks) in [*sets.items(), ("made up, linear", made_up(seed))]:
        comparison = real if title in sets else extra
        shape = f"{min(len(X), max_rows)}, {ranks.shape[1]}"
        for hidden, reading, line in problems_of(HIDDEN):
            found = run_data(X, ranks, hidden, reading, n_folds, max_rows, seed)
            kind = reading if hidden else "complete"
            comparison.add([title, shape, line], kind, *found)
    head = ["data", "rows, items", "hidden", *METHODS]
    late = ", ".join(real.late) or "none"
    return (
        "## Label ranking with hidden ranks\n\n"
        "Kendall's tau of complete held-out rankings, mean ± standard error over folds. Each rank "
        "of a training row is hidden with the given probability; known ranks are read as an order "
        "or as places. *default*: `PartialRanker()`, features in their units. *voters*: the best "
        "of nine weightings by held-out pairs. *RPC*: a logistic regression for each pair. *item "
        "forests*: a random forest for each item on (mean) places. These three get standardised "
        f"features. Sets of more than {max_rows} rows are cut to {max_rows} at random.\n\n"
        f"{provenance('python -m benchmarks.label_ranking --write', seeds=str(seed))}\n"
        f"- Threads: 1; CPU seconds\n\n{_table(head, real.rows)}\n\n"
        f"Mean ranks by tau:\n\n{real.mean_ranks()}\n\n"
        "Problems where the best of the other three is ahead of the default by more than one "
        f"standard error of the difference (in such errors): {late}.\n\n"
        "**Made-up preferences** with linear utilities and noise, features in units from 0.001 to "
        f"100:\n\n{_table(head, extra.rows)}\n\n"
        "**Real partial rankings** (algae with ties and omissions as observed; reactions to posts "
        "by their counts, those without a count not compared): tau of the observed pairs of "
        f"held-out rows\n\n{real_partial(root / 'ranking_real', n_folds, max_rows, seed)}\n\n"
        f"CPU seconds, {n_folds} folds, choice included:\n\n"
        f"{_table(head, [*real.times, *extra.times])}\n"
    )


if __name__ == "__main__":
    main()
