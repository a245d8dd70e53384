"""What a neighbour's vote weighs, by its distance."""

from typing import Any

import numpy as np

from disambig.exceptions import VotesError
from disambig.notation import FloatArray
from disambig.weights.neighbor_lists import NeighborLists

__all__ = ["VOTES", "vote_strength"]

VOTES = ("uniform", "distance", "gaussian")


def vote_strength(
    vote: Any, lists: NeighborLists, distances: FloatArray, taken: FloatArray
) -> FloatArray:
    """The masses `taken` times what the distance of each makes of a vote, up to a factor a row.

    Parameters
    ----------
    vote : {"uniform", "distance", "gaussian"} or callable
    lists : NeighborLists
    distances, taken : float64, (pairs,)
        Taken masses are 0 for those that do not vote.

    Returns
    -------
    float64, (pairs,)

    Examples
    --------
    >>> import numpy as np
    >>> far = np.array([1.0, 2.0])
    >>> lists = NeighborLists(np.array([0, 2]), np.array([1, 0]), far, 2)
    >>> vote_strength("distance", lists, far, np.ones(2))
    array([1. , 0.5])
    """
    if isinstance(vote, str) and vote == "uniform":
        return taken
    if callable(vote):
        return _called(vote, distances, taken)
    rows, voting = lists.rows(), taken > 0
    if vote == "distance":
        nearest = np.full(lists.q, np.inf)
        np.minimum.at(nearest, rows[voting], distances[voting])
        return _ratios(nearest[rows], distances) * taken
    farthest = np.zeros(lists.q)
    np.maximum.at(farthest, rows[voting], distances[voting])
    near = np.where(voting, distances, 0.0)
    strength: FloatArray = np.exp(-4.0 * _ratios(near, farthest[rows]) ** 2) * taken
    return strength


def _ratios(above: FloatArray, below: FloatArray) -> FloatArray:
    """``above / below``, 1 for 0 / 0; where nobody votes it does not matter."""
    sound = (below > 0) & np.isfinite(above)
    return np.where(sound, above / np.where(sound, below, 1.0), 1.0)


def _called(vote: Any, distances: FloatArray, taken: FloatArray) -> FloatArray:
    voting = taken > 0
    found = np.asarray(vote(distances[voting]))
    expected = (int(voting.sum()),)
    if found.shape != expected:
        raise VotesError(
            f"NeighborWeights: vote must return an array of the shape that it is given, "
            f"{expected}; got shape {found.shape}."
        )
    if found.dtype.kind not in "buif":
        raise VotesError(
            f"NeighborWeights: vote must return an array of real numbers; got dtype {found.dtype}."
        )
    # Written so that NaN is bad too.
    bad = ~((found >= 0) & np.isfinite(found))
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        raise VotesError(
            f"NeighborWeights: vote must return finite numbers >= 0; it gives {found[place]} at "
            f"distance {distances[voting][place]:g} ({int(bad.sum())} such pairs)."
        )
    strength = np.zeros(taken.size)
    strength[voting] = taken[voting] * found
    return strength
