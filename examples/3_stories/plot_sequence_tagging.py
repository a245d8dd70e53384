"""
Sequences with a few known tags
===============================

A few known tags in each sequence are enough to complete all of them.

An input comes with a sequence of tags, of which some are given and the others are -1. The tags obey
a rule: some never follow each other. The candidates of a row are all sequences that agree with the
given tags and obey the rule. Their number grows exponentially with the length, so they cannot be
listed. ``StructuredPredictor`` needs no list. It needs the seven methods of ``SequenceTagging``
below, a few lines of dynamic programming each.
"""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV

from disambig import StructuredPredictor
from disambig.datasets import make_tag_sequences
from disambig.exceptions import CandidateError
from disambig.solvers import AlternatingMinimization
from disambig.weights import NeighborWeights

# %%
# A task is an object with these methods; two more are optional, and they matter: started from the
# mean of all completions, and with ties decided by the first sequence, disambiguation inherits the
# error of that mean.


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


# %%
# Four methods are compared:
#
# * disambiguation: fill in all rows together so that similar inputs have similar sequences;
# * infimum loss: at each new input, count the agreements with the given tags of its neighbours;
# * average candidates: give each row the mean of its candidates, and learn from that;
# * full supervision: the result of the same neighbours with no tag hidden.
#
# The number of neighbours and the start are chosen for each method by cross-validation on the given
# tags only.

N_TRAIN, N_TEST = 300, 500
LEVELS = (0.5, 0.7, 0.9)
NEIGHBORS = (10, 20, 40)
N_SEEDS = 3
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


# %%
# At level .9 each tag is hidden with probability .9 (a pause, tag 0, with .8). Means and standard
# errors are over three data sets; ``python -m benchmarks.sequence_tagging`` takes ten, and more
# levels.


def table(levels=LEVELS, n_seeds=N_SEEDS, neighbors=NEIGHBORS):
    """Name -> errors (levels, seeds, 2): on new inputs, and among the hidden tags."""
    runs = [[compare(level, seed, neighbors) for seed in range(n_seeds)] for level in levels]
    return {name: np.array([[run[name] for run in row] for row in runs]) for name in runs[0][0]}


def print_table(errors, levels=LEVELS):
    """Means ± standard errors over the data sets."""
    for part, title in enumerate(("new inputs", "hidden tags of training rows")):
        print(f"share of wrong tags, {title}")
        print(f"{'level':28}", *(f"{level:>15}" for level in levels))
        for name, values in errors.items():
            if part and name == "full supervision":
                continue
            means, spreads = values[..., part].mean(axis=1), standard_errors(values[..., part])
            cells = (f"{m:7.3f} ± {e:.3f}" for m, e in zip(means, spreads, strict=True))
            print(f"{name:28}", *cells)


def standard_errors(values):
    """Of means over the last axis."""
    return values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])


if __name__ == "__main__":
    errors = table()
    print_table(errors)

# %%
# The sentence is partly true. Disambiguation fills in more hidden tags rightly than the others, and
# the more so the more tags are hidden; on new inputs the advantage is smaller. No method is near
# full supervision at the last level. The average fails: a pause may be between any two tags, so
# most completions of hidden positions contain pauses, and the mean of a set counts that as
# evidence.

if __name__ == "__main__":
    figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
    styles = {
        "disambiguation": ("o-", "#0072B2"),
        "infimum loss": ("^--", "#009E73"),
        "average candidates": ("s-", "#E69F00"),
    }
    for name, (style, colour) in styles.items():
        values = errors[name][..., 1]
        spreads = standard_errors(values)
        ax.errorbar(
            LEVELS, values.mean(axis=1), spreads, fmt=style, color=colour, capsize=3, label=name
        )
    ax.set_xticks(LEVELS)
    ax.set(
        xlabel="share of hidden tags",
        ylabel="hidden tags that are filled in wrongly",
        ylim=(0, None),
        title="Disambiguation fills in most tags rightly",
    )
    ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    ax.legend()
    plt.show()
