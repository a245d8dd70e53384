"""Sequences of tags with forbidden transitions, of which some tags are hidden."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import check_integer


class TagSequences(NamedTuple):
    """Inputs, the true tags, the observed tags, and the allowed transitions.

    Attributes
    ----------
    X : float array (n, d)
    tags : int array (n, length)
        The truth, 0 to ``n_tags - 1``.
    partial : int array (n, length)
        The same with -1 where a tag is hidden.
    allowed : bool array (n_tags, n_tags)
        ``allowed[a, b]``: tag b may follow tag a.
    """

    X: FloatArray
    tags: IntArray
    partial: IntArray
    allowed: BoolArray


def make_tag_sequences(
    n_samples: int = 300,
    *,
    length: int = 6,
    n_tags: int = 4,
    n_features: int = 2,
    hidden: npt.ArrayLike = 0.5,
    noise: float = 0.1,
    allowed: npt.ArrayLike | None = None,
    random_state: Any = None,
) -> TagSequences:
    """Sequences in which every tag has the largest score among those that may follow the last one.

    A latent vector u is standard normal in `n_features` dimensions. At each position random linear
    functions of u are the scores of the tags, and the allowed successor of the last tag with the
    largest score is taken. X is u plus noise.

    Parameters
    ----------
    n_samples : int, default 300
    length : int, default 6
        Tags in a sequence.
    n_tags : int, default 4
    n_features : int, default 2
        Dimension of the inputs.
    hidden : float or array-like (n_tags,), default 0.5
        Probability that a position is hidden, one number or one for each tag. With the same
        `random_state`, tags that are hidden at one level are hidden at a higher one.
    noise : float, default 0.1
        Standard deviation of the noise in X; without it inputs have standard deviation 1.
    allowed : bool array-like (n_tags, n_tags), optional
        Which tag (column) may follow which (row). By default tag 0 is a pause: every tag may follow
        a pause, and other tags may be followed by themselves or by a pause.
    random_state : int, numpy Generator or None, default None
        The argument of `numpy.random.default_rng`. The linear functions are drawn first: more
        samples of the same seed have the same functions.

    Examples
    --------
    >>> from disambig.datasets import make_tag_sequences
    >>> data = make_tag_sequences(2, length=5, hidden=0.4, random_state=1)
    >>> data.tags.tolist()
    [[2, 0, 1, 1, 0], [1, 1, 1, 0, 2]]
    >>> data.partial.tolist()
    [[2, -1, 1, 1, 0], [1, -1, 1, 0, 2]]
    """
    sizes = {"n_samples": n_samples, "length": length, "n_tags": n_tags, "n_features": n_features}
    for name, size in sizes.items():
        check_integer("make_tag_sequences", name, size, least=1)
    follows = _pauses(n_tags) if allowed is None else _checked_rule(allowed, n_tags)
    probability = _checked_hidden(hidden, n_tags)

    rng = np.random.default_rng(random_state)
    directions = rng.normal(size=(length, n_tags, n_features))
    offsets = 0.3 * rng.normal(size=(length, n_tags))
    latent = rng.normal(size=(n_samples, n_features))
    scores = np.einsum("nd,tkd->ntk", latent, directions) + offsets
    tags = np.empty((n_samples, length), dtype=np.intp)
    tags[:, 0] = scores[:, 0].argmax(axis=1)
    for t in range(1, length):
        tags[:, t] = np.where(follows[tags[:, t - 1]], scores[:, t], -np.inf).argmax(axis=1)
    X = latent + noise * rng.normal(size=latent.shape)
    partial = np.where(rng.random(tags.shape) < probability[tags], -1, tags)
    return TagSequences(X, tags, partial, follows)


def _pauses(n_tags: int) -> BoolArray:
    follows = np.eye(n_tags, dtype=np.bool_)
    follows[0] = follows[:, 0] = True
    return follows


def _checked_rule(allowed: npt.ArrayLike, n_tags: int) -> BoolArray:
    follows: AnyArray = np.array(allowed)
    if follows.shape != (n_tags, n_tags) or follows.dtype != np.bool_:
        raise ValueError(
            f"make_tag_sequences: allowed is {follows.dtype} of shape {follows.shape}; expected "
            f"bool of shape ({n_tags}, {n_tags}), row = tag, column = the tag that follows."
        )
    if not follows.any(axis=1).all():
        tag = int(np.argmin(follows.any(axis=1)))
        raise ValueError(
            f"make_tag_sequences: no tag may follow tag {tag}. Allow every tag at least one "
            "successor."
        )
    return follows


def _checked_hidden(hidden: npt.ArrayLike, n_tags: int) -> FloatArray:
    given = np.asarray(hidden, dtype=np.float64)
    if given.shape not in ((), (n_tags,)) or not ((given >= 0) & (given <= 1)).all():
        raise ValueError(
            f"make_tag_sequences: hidden must be a number from 0 to 1, or {n_tags} of them, one "
            f"for each tag; got {hidden!r}."
        )
    return np.broadcast_to(given, (n_tags,))
