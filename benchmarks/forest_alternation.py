"""A forest that is refitted on the labels it recovers learns which features matter.

Two of fourteen features determine the class here; the others are noise. The first forest is fitted
to the shares of the classes in each row, which are equal among its candidates. Its out-of-bag votes
recover the labels and give new shares inside each set, to which the next forest is fitted, until no
label changes. A tree has no vote for rows that it was fitted to: it would reproduce their shares.
The objective may rise from round to round, because each forest has its own votes: this is a
heuristic without the guarantees of a solver. It suits classes that boxes of few features describe;
on the problems of docs/default_measured.md it is worse than the default. Four seconds.

    python -m benchmarks.forest_alternation [--seed N]
"""

import argparse
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor

from disambig import LabelSets, PartialLabelClassifier
from disambig.weights import ForestWeights

N_ROWS, N_TRAINING_ROWS, N_CLASSES, N_NOISE = 450, 300, 4, 12


class Alternation(NamedTuple):
    """The last classifier, how many labels each refit changed, and whether it ended with none."""

    model: PartialLabelClassifier
    changes: list[int]
    converged: bool


def alternate(X: Any, y: Any, forest: Any = None, *, refits: int = 10) -> Alternation:
    """Fit forests and recover labels in turn.

    Parameters
    ----------
    X : array-like or sparse matrix (n, d)
    y : array-like, n rows
        Candidate sets in any form that `LabelSets.from_any` reads.
    forest : forest regressor of scikit-learn with ``bootstrap=True``, optional
        It is cloned for each round.
    refits : int
        The largest number of forests after the first.
    """
    if forest is None:
        forest = RandomForestRegressor(100, max_features="sqrt", min_samples_leaf=2, random_state=0)
    sets = LabelSets.from_any(y)
    model = _recover(X, sets, forest, sets.distribution())
    changes: list[int] = []
    for _ in range(refits):
        before, model = model, _recover(X, sets, forest, shares_of_votes(model, sets))
        changes.append(int((before.labels_ != model.labels_).sum()))
        if not changes[-1]:
            return Alternation(model, changes, True)
    return Alternation(model, changes, False)


def _recover(X: Any, sets: LabelSets, forest: Any, shares: Any) -> PartialLabelClassifier:
    """Labels from the out-of-bag votes of a forest that is fitted to shares ``(n, K)``."""
    grown = clone(forest).fit(X, shares[:, 0] if shares.shape[1] == 1 else shares)
    weights = ForestWeights(grown, leave_one_out=True)
    return PartialLabelClassifier(weights, solver="alternating").fit(X, sets)


def shares_of_votes(model: PartialLabelClassifier, sets: LabelSets) -> Any:
    """The out-of-bag votes for the candidates of each row, divided by their sum, ``(n, K)``."""
    votes = model.weights_.leave_one_out_votes() @ model.solution_.targets.distribution
    inside = np.where(sets.mask, votes, 0.0)
    total = inside.sum(axis=1, keepdims=True)
    return np.where(total > 0, inside / np.where(total > 0, total, 1.0), sets.distribution())


def hidden_classes(seed: int, n: int = N_ROWS, noise: int = N_NOISE) -> tuple[Any, Any, Any]:
    """Inputs, sets and true classes: each wrong class joins a set with probability one half."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2 + noise))
    truth = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    sets = np.eye(N_CLASSES, dtype=bool)[truth] | (rng.uniform(size=(n, N_CLASSES)) < 0.5)
    return X, sets, truth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    X, sets, truth = hidden_classes(parser.parse_args().seed)
    train, test = slice(N_TRAINING_ROWS), slice(N_TRAINING_ROWS, None)
    found = alternate(X[train], sets[train])
    models = {
        "PartialLabelClassifier": PartialLabelClassifier().fit(X[train], sets[train]),
        "One forest": alternate(X[train], sets[train], refits=0).model,
        "Forests in alternation": found.model,
    }
    for name, model in models.items():
        recovered = (model.labels_ == truth[train]).mean()
        print(f"{name}: {recovered:.1%} of the labels recovered,", end=" ")
        print(f"{model.score(X[test], truth[test]):.1%} of new rows right")
    ends = "the last changed none" if found.converged else "labels still change"
    print(f"{len(found.changes)} refits changed {found.changes} labels; {ends}.")


if __name__ == "__main__":
    main()
