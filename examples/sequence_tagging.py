"""Sequences with a few known tags: complete the training sequences, and tag new ones.

An input comes with a sequence of tags, of which some are given and the others are -1. The tags obey
a rule: some never follow each other. The candidates of a row are all sequences that agree with the
given tags and obey the rule. Their number grows exponentially with the length, so they cannot be
listed. `StructuredPredictor` needs no list. It needs the seven methods of `SequenceTagging` below,
a few lines of dynamic programming each. This file compares

* disambiguation: fill in all rows together so that similar inputs get similar sequences;
* infimum loss: at each new input, count the agreements with the given tags of its neighbours;
* average candidates: give each row the mean of its candidates, and learn from that;
* full supervision: the result of the same neighbours with no tag hidden.

    python examples/sequence_tagging.py            the table, in one or two minutes
    python examples/sequence_tagging.py --quick    fewer seeds and levels

Results (the default run: 10 data sets per level, seeds 0 to 9; neighbours and start chosen for each
method by cross-validation on the given tags only; at level .9 each tag is hidden with probability
.9, a pause with .8, and so on):

* Disambiguation fills in the hidden tags best at every level: it is wrong on .113 of them at .5 and
  .230 at .9, the infimum loss on .124 and .267.
* On new inputs the two are equal at .5 (.124 and .126), and the advantage is small later: .232 and
  .251 at .9. The last line of each block has the paired differences: on new inputs one standard
  error or less at .5, two or less at .7 and .8, three at .9.
* It is better with few neighbours, because labels spread over several edges, and not with the same
  number: with `--neighbors 20` the infimum loss is better up to level .8 (.183 against .201 there).
* Average candidates become much worse (.482 at .9). A pause may be between any two tags, so most
  completions of hidden positions contain pauses, and the mean of a set counts that as evidence.
* The seven methods alone are not enough here. Started from that mean, and with ties decided by the
  first sequence, disambiguation inherits the error (.506). The two optional methods solve this: a
  start in which hidden positions have no vote, and a mean over tied sequences.
* No method is near full supervision (.099) at level .9.
"""

import argparse
from types import SimpleNamespace

import numpy as np
from sklearn.model_selection import GridSearchCV

from disambig import StructuredPredictor
from disambig.datasets import make_tag_sequences
from disambig.exceptions import CandidateError
from disambig.solvers import AlternatingMinimization
from disambig.weights import NeighborWeights


class SequenceTagging:
    """Sequences of T tags out of K under the Hamming loss: how many positions are wrong.

    ``loss(z, y) = sum_t [z_t != y_t] = <psi(z), phi(y)>`` with ``phi(y)`` the T x K table of zeros
    that has a one at each ``(t, y_t)``, laid out as a vector, and ``psi(z) = 1 - phi(z)``.

    Parameters
    ----------
    allowed : bool array (K, K)
        ``allowed[a, b]``: tag b may follow tag a. Predictions obey the rule too.
    """

    def __init__(self, allowed):
        self.allowed = np.asarray(allowed, dtype=bool)
        self.n_tags = len(self.allowed)

    # ------------------------------------------------- the seven methods that every task needs

    def candidates(self, y):
        """(n, T) integers: a tag, or -1 where it is not known."""
        partial = np.asarray(y)
        if partial.ndim != 2 or partial.dtype.kind not in "iu" or partial.shape[1] == 0:
            raise CandidateError(
                f"SequenceTagging: y is {partial.dtype} of shape {partial.shape}; expected "
                "integers of shape (n, T), -1 for an unknown tag."
            )
        unknown = (partial < -1) | (partial >= self.n_tags)
        if unknown.any():
            row, position = np.argwhere(unknown)[0]
            raise CandidateError(
                f"SequenceTagging: row {row} has tag {partial[row, position]} at position "
                f"{position}; expected 0 to {self.n_tags - 1}, or -1 for an unknown tag."
            )
        open_tags = np.where(self._possible(partial), 0.0, np.inf)
        broken = np.isinf(self._cheapest_ending(open_tags)[:, 0].min(axis=1))
        if broken.any():
            row = int(np.argmax(broken))
            raise CandidateError(
                f"SequenceTagging: row {row} is {partial[row].tolist()}, which no allowed sequence "
                f"completes ({int(broken.sum())} such rows). Correct its tags, or set the doubtful "
                "ones to -1."
            )
        return partial

    def embed_target(self, outputs):
        one_hot = outputs[:, :, None] == np.arange(self.n_tags)
        return one_hot.reshape(len(outputs), -1).astype(float)

    def embed_prediction(self, outputs):
        return 1.0 - self.embed_target(outputs)

    def best_prediction(self, scores):
        # <1 - phi(z), s> is least where <phi(z), -s> is.
        return self._cheapest(-self._table(scores))

    def best_candidate(self, scores, candidates):
        return self._cheapest(np.where(self._possible(candidates), self._table(scores), np.inf))

    def average(self, candidates):
        """Forward-backward: the share of all completions that have tag a at position t."""
        possible = self._possible(candidates)
        steps = self.allowed & possible[:, 1:, None, :]
        return self._mean_over_paths(possible[:, 0], steps)

    def largest_loss(self, candidates):
        return candidates.shape[1]

    # ------------------------------------------------------------------ two optional methods

    def mean_prediction(self, scores, tolerance):
        """The mean over all sequences that tie for the best, which keeps a row undecided."""
        ending = self._cheapest_ending(-self._table(scores))
        slack = tolerance[:, None]
        first = ending[:, 0] <= ending[:, 0].min(axis=1, keepdims=True) + slack
        onward = np.where(self.allowed, ending[:, 1:, None, :], np.inf)
        steps = onward <= onward.min(axis=3, keepdims=True) + slack[:, :, None, None]
        return 1.0 - self._mean_over_paths(first, steps)

    def start(self, candidates, kind):
        """1 at each tag that some completion has, so that a hidden position has no vote.

        The loss to the nearest candidate is at least the number of positions where z has a tag
        that no completion has, which is <psi(z), start> up to a constant.
        """
        if kind != "infimum":
            raise ValueError(f"SequenceTagging: start={kind!r}; expected 'average' or 'infimum'.")
        return (self.average(candidates) > 0).astype(float)

    # ------------------------------------------------------- dynamic programming, all rows at once

    def _table(self, scores):
        return scores.reshape(len(scores), -1, self.n_tags)

    def _possible(self, partial):
        """(n, T, K): the tags that each position may have, without the rule."""
        return (partial[:, :, None] == np.arange(self.n_tags)) | (partial[:, :, None] < 0)

    def _cheapest_ending(self, costs):
        """(n, T, K): the least cost of positions t, t + 1, ... with tag a at position t."""
        ending = costs.copy()
        for t in reversed(range(costs.shape[1] - 1)):
            ending[:, t] += np.where(self.allowed, ending[:, t + 1, None], np.inf).min(axis=2)
        return ending

    def _cheapest(self, costs):
        """Viterbi: the allowed sequences of least total cost, (n, T); ties go to the lower tag."""
        ending = self._cheapest_ending(costs)
        tags = np.empty(costs.shape[:2], dtype=int)
        tags[:, 0] = ending[:, 0].argmin(axis=1)
        for t in range(1, costs.shape[1]):
            follows = self.allowed[tags[:, t - 1]]
            tags[:, t] = np.where(follows, ending[:, t], np.inf).argmin(axis=1)
        return tags

    def _mean_over_paths(self, first, steps):
        """The mean of phi over all paths, from first tags (n, K) and steps (n, T - 1, K, K)."""
        n, length = len(first), steps.shape[1] + 1
        before = np.empty((n, length, self.n_tags))
        after = np.ones((n, length, self.n_tags))
        before[:, 0] = first
        for t in range(1, length):
            before[:, t] = np.einsum("na,nab->nb", before[:, t - 1], steps[:, t - 1])
            # The numbers of paths grow exponentially with T; only their proportions are needed.
            before[:, t] /= before[:, t].max(axis=1, keepdims=True)
        for t in reversed(range(length - 1)):
            after[:, t] = np.einsum("nab,nb->na", steps[:, t], after[:, t + 1])
            after[:, t] /= after[:, t].max(axis=1, keepdims=True)
        paths = before * after
        return (paths / paths.sum(axis=2, keepdims=True)).reshape(n, -1)


# ------------------------------------------------------------------------------ the comparison

N_TRAIN, N_TEST = 300, 500
LEVELS = (0.5, 0.7, 0.8, 0.9)
NEIGHBORS = (5, 10, 20, 40)
STARTS = {"solver__start": ["average", "infimum"]}
REQUIRED = (
    "candidates",
    "embed_target",
    "embed_prediction",
    "best_prediction",
    "best_candidate",
    "average",
    "largest_loss",
)


def models(task, neighbors):
    """Name -> search. Cross-validation uses the given tags only, for all methods."""
    sizes = {"weights__n_neighbors": list(neighbors)}

    def search(task, method, grid):
        model = StructuredPredictor(
            task, method=method, weights=NeighborWeights(), solver=AlternatingMinimization()
        )
        return GridSearchCV(model, grid, cv=3)

    required_only = SimpleNamespace(**{name: getattr(task, name) for name in REQUIRED})
    return {
        "disambiguation": search(task, "disambiguation", sizes | STARTS),
        "  with seven methods alone": search(required_only, "disambiguation", sizes),
        "infimum loss": search(task, "infimum", sizes),
        "average candidates": search(task, "average", sizes),
        "full supervision": search(task, "disambiguation", sizes),
    }


def compare(hidden, seed, neighbors=NEIGHBORS):
    """Name -> (wrong tags on new inputs, wrong tags among the hidden ones of the training rows)."""
    # Pauses are given more often than the other tags.
    rates = np.array([hidden - 0.1, hidden, hidden, hidden])
    data = make_tag_sequences(N_TRAIN + N_TEST, hidden=rates, random_state=seed)
    train, test = slice(None, N_TRAIN), slice(N_TRAIN, None)
    was_hidden = data.partial[train] < 0
    errors = {}
    for name, search in models(SequenceTagging(data.allowed), neighbors).items():
        y = data.tags if name == "full supervision" else data.partial
        found = search.fit(data.X[train], y[train]).best_estimator_
        wrong = found.predict(data.X[test]) != data.tags[test]
        recovered = found.labels_ != data.tags[train]
        errors[name] = wrong.mean(), recovered[was_hidden].mean()
    return errors


def main():
    parser = argparse.ArgumentParser(description="Tag sequences from partially tagged ones.")
    parser.add_argument("--quick", action="store_true", help="2 seeds, 2 levels")
    parser.add_argument("--seeds", type=int, default=10, help="data sets at each level")
    parser.add_argument(
        "--neighbors", type=int, nargs="+", default=NEIGHBORS, help="sizes to choose from"
    )
    arguments = parser.parse_args()
    if arguments.seeds < 2:
        parser.error("--seeds must be at least 2, for a standard error")
    levels = LEVELS[1::2] if arguments.quick else LEVELS
    seeds = range(2 if arguments.quick else arguments.seeds)

    print(f"{N_TRAIN} training sequences of 6 tags out of 4; {len(seeds)} data sets a level")
    print("share of wrong tags, mean ± standard error\n")
    print(f"{'hidden':8}{'':28}{'new inputs':>16}{'hidden tags':>16}")
    for level in levels:
        runs = [compare(level, seed, arguments.neighbors) for seed in seeds]
        table = {name: np.array([run[name] for run in runs]) for name in runs[0]}
        table["disambiguation - infimum"] = table["disambiguation"] - table["infimum loss"]
        for name, values in table.items():
            mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(runs))
            cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True)]
            if name == "full supervision":
                cells[1] = "given"
            print(f"{level:<8}{name:28}{cells[0]:>16}{cells[1]:>16}")
        print()


if __name__ == "__main__":
    main()
