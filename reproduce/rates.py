"""Errors against the number of rows: disambiguation, its baselines, and full supervision."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets import make_separated_clusters
from disambig.losses.labels.faces import LabelFaces
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.registry import resolve_loss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.baselines import infimum_prediction
from disambig.votes import Votes
from disambig.weights import NeighborWeights
from reproduce.batch.labels import relax_together
from reproduce.rate_settings import RateSetting

# Disambiguation from two starts: the mean of each set, and the loss to its nearest member.
RATE_METHODS = ("DF", "DF, infimum start", "IL", "AC", "full supervision")
_RTOL = 1e-10


@dataclass(frozen=True, eq=False)
class RatePoint:
    """Errors of all methods at one n, by draw of the inputs and by cluster.

    Attributes
    ----------
    setting : str
    n, k : int
        Training rows and neighbours.
    wrong : mapping from method to float array (U, C)
        Number of wrong predictions; where t classes tie with the true one among them, the
        prediction counts as ``1 - 1/t`` wrong, its expectation under a random choice.
    n_predictions : int array (U, C)
        Number of predictions: queries in the cluster times draws of the sets.
    n_draws : int
        Draws of the sets for each of the U draws of the inputs.
    """

    setting: str
    n: int
    k: int
    wrong: Mapping[str, FloatArray]
    n_predictions: IntArray
    n_draws: int

    def error(self, method: str, clusters: slice = slice(None)) -> float:
        """The share of wrong predictions."""
        return float(self.wrong[method][:, clusters].sum() / self.n_predictions[:, clusters].sum())

    def standard_error(self, method: str, clusters: slice = slice(None)) -> float:
        """The standard error of `error`, from the draws of the inputs, which are independent."""
        counts = self.n_predictions[:, clusters].sum(axis=1)
        spread = self.wrong[method][:, clusters].sum(axis=1) - self.error(method, clusters) * counts
        u = len(counts)
        return float(np.sqrt(u / (u - 1) * (spread**2).sum()) / counts.sum())


def measure_rates(
    setting: RateSetting,
    sizes: Iterable[int],
    *,
    n_inputs: int = 20,
    n_draws: int = 50,
    n_queries: int = 200,
    random_state: int = 0,
) -> list[RatePoint]:
    """`measure_rate` at each n; the seed of a size depends on n and `random_state` only."""
    return [
        measure_rate(
            setting,
            n,
            n_inputs=n_inputs,
            n_draws=n_draws,
            n_queries=n_queries,
            random_state=random_state,
        )
        for n in sizes
    ]


def measure_rate(
    setting: RateSetting,
    n: int,
    *,
    n_inputs: int = 20,
    n_draws: int = 50,
    n_queries: int = 200,
    random_state: int = 0,
) -> RatePoint:
    """Errors at new inputs after learning from n rows.

    Inputs are drawn `n_inputs` times, and for each of them sets `n_draws` times. Neighbours are
    searched once for all draws of the sets, and alternating minimisation runs on all of them
    together. All methods use the same draws and the same neighbours.

    Parameters
    ----------
    setting : RateSetting
    n : int
        Training rows.
    n_inputs, n_draws, n_queries : int
    random_state : int

    Examples
    --------
    >>> from reproduce.rate_settings import separated_clusters
    >>> point = measure_rate(separated_clusters(0.5), 200, n_inputs=2, n_draws=3, n_queries=40)
    >>> point.k, int(point.n_predictions.sum()), point.error("full supervision")
    (4, 240, 0.0)
    """
    rng = np.random.default_rng([random_state, n])
    loss = resolve_loss(setting.loss).bind(np.arange(setting.n_classes))
    n_clusters = len(setting.distributions)
    best = np.array([distribution.best for distribution in setting.distributions])
    wrong = {method: np.zeros((n_inputs, n_clusters)) for method in RATE_METHODS}
    n_predictions = np.zeros((n_inputs, n_clusters), dtype=np.intp)
    for unit in range(n_inputs):
        train = make_separated_clusters(n, n_clusters=n_clusters, random_state=rng)
        test = make_separated_clusters(n_queries, n_clusters=n_clusters, random_state=rng)
        weights = NeighborWeights(n_neighbors=setting.n_neighbors(n), n_jobs=1).fit(train.X)
        votes, query_votes = weights.training_votes(), weights.votes(test.X)
        labels, masks = _draw(setting, train.clusters, n_draws, rng)
        problems = [LabelSets(mask, loss.classes) for mask in masks]
        found = _predictions(loss, votes, query_votes, problems, labels)
        n_predictions[unit] = n_draws * np.bincount(test.clusters, minlength=n_clusters)
        for method, faces in found:
            right = faces[:, np.arange(n_queries), best[test.clusters]] / faces.sum(axis=2)
            wrong[method][unit] = np.bincount(
                test.clusters, weights=(1.0 - right).sum(axis=0), minlength=n_clusters
            )
    k = setting.n_neighbors(n)
    return RatePoint(setting.name, n, k, wrong, n_predictions, n_draws)


def _draw(
    setting: RateSetting, clusters: IntArray, n_draws: int, rng: np.random.Generator
) -> tuple[IntArray, BoolArray]:
    """Labels ``(B, n)`` and sets ``(B, n, K)``, independent given the clusters."""
    labels = np.empty((n_draws, clusters.size), dtype=np.intp)
    masks = np.empty((n_draws, clusters.size, setting.n_classes), dtype=np.bool_)
    for c, distribution in enumerate(setting.distributions):
        rows = np.flatnonzero(clusters == c)
        outcomes = rng.choice(
            len(distribution.labels), p=distribution.probabilities, size=(n_draws, rows.size)
        )
        labels[:, rows] = distribution.labels[outcomes]
        masks[:, rows] = distribution.sets[outcomes]
    return labels, masks


def _predictions(
    loss: FiniteLoss, votes: Votes, query_votes: Votes, problems: list[LabelSets], labels: IntArray
) -> Iterator[tuple[str, BoolArray]]:
    """The predictions that tie, ``(B, q, K)``, of each method."""
    # All draws in one run, from two starts; the first is that of `start="auto"`.
    starts = ["average" if loss.is_zero_one else "infimum", "infimum"]
    names = [start for start in starts for _ in problems]
    relaxed = relax_together(votes, loss, [*problems, *problems], start=names)
    tied = _tied(loss, query_votes, [found.targets.embedded for found in relaxed])
    yield "DF", tied[: len(problems)]
    yield "DF, infimum start", tied[len(problems) :]
    infimum = [infimum_prediction(loss, query_votes, sets, rtol=_RTOL) for sets in problems]
    yield "IL", np.array([cast(LabelFaces, found.predictions).mask for found in infimum])
    yield "AC", _tied(loss, query_votes, [loss.start(sets, "average") for sets in problems])
    singletons = np.eye(len(loss.classes), dtype=np.bool_)[labels]
    truths = [loss.start(LabelSets(mask, loss.classes), "average") for mask in singletons]
    yield "full supervision", _tied(loss, query_votes, truths)


def _tied(loss: FiniteLoss, query_votes: Votes, targets: list[FloatArray]) -> BoolArray:
    """The best predictions for targets ``(n, p)`` of several problems, by one product for all."""
    wide = query_votes @ np.concatenate(targets, axis=1)
    scores = np.concatenate(np.split(wide, len(targets), axis=1))
    tolerance = _RTOL * np.abs(scores).max(axis=1, initial=0.0)
    mask = loss.best_prediction(scores, tolerance).mask
    return mask.reshape(len(targets), -1, mask.shape[1])
