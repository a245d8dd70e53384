"""Probabilities of tags from votes for their signs, and the expected share of right bits."""

from typing import Any

import numpy as np

from disambig.candidates import PartialBits
from disambig.estimators.held_out.sign_likelihood import SignCalibration, fit_sign_calibration
from disambig.notation import AnyArray, FloatArray


def signed_targets(signs: FloatArray) -> FloatArray:
    """Signs ``(n, m)`` of targets and their sizes, ``(n, 2 m)``: what `tag_shares` needs votes for.

    The sign is 0, or between -1 and 1, where a target says nothing or little about a tag.
    """
    return np.hstack([signs, np.abs(signs)])


def tag_shares(votes: FloatArray, totals: FloatArray) -> FloatArray:
    """The share of the votes for each tag, among votes that say something about it, ``(q, m)``.

    A tag without such votes has its frequency among the targets.

    Parameters
    ----------
    votes : float array (q, 2 m)
        Votes times targets; see `signed_targets`.
    totals : float array (2 m,)
        The sum of the targets of all rows.

    Examples
    --------
    >>> targets = signed_targets(np.array([[1.0], [1.0], [-1.0], [0.0]]))
    >>> votes = np.array([[0.5, 0.0, 0.25, 0.25], [0.0, 0.0, 0.0, 1.0]])
    >>> tag_shares(votes @ targets, targets.sum(axis=0)).round(2).tolist()
    [[0.67], [0.67]]
    """
    m = totals.size // 2
    usual = _ratio(totals[:m], totals[m:], 0.0)
    shares: FloatArray = np.clip((1.0 + _ratio(votes[:, :m], votes[:, m:], usual)) / 2.0, 0.0, 1.0)
    return shares


def _ratio(above: FloatArray, below: FloatArray, otherwise: FloatArray | float) -> FloatArray:
    """``above / below``, and `otherwise` where `below` is not positive."""
    has_votes = below > 0
    return np.where(has_votes, above / np.where(has_votes, below, 1.0), otherwise)


def mixed_shares(member: Any, X: Any) -> FloatArray:
    """What is mixed: probabilities of tags; those of votes are not calibrated by their rows."""
    predict = member.tag_shares if hasattr(member, "tag_shares") else member.predict_proba
    shares: FloatArray = predict(X)
    return shares


def tag_frequencies(bits: PartialBits, sample_weight: FloatArray) -> FloatArray:
    """The share of ones among the known bits of each tag, ``(m,)``; 1/2 if none is known."""
    totals = sample_weight @ bits.known
    ones = sample_weight @ (bits.bits == 1)
    shares: FloatArray = np.divide(ones, totals, out=np.full(len(ones), 0.5), where=totals > 0)
    return shares


def likelier_bits(probabilities: FloatArray, frequencies: FloatArray) -> AnyArray:
    """The more probable bits ``(q, m)``; the frequencies of the tags break ties."""
    tied = probabilities == 0.5
    bits: AnyArray = np.where(tied, frequencies > 0.5, probabilities > 0.5)
    return bits.astype(np.int8)


def fit_tag_calibration(
    shares: FloatArray, bits: PartialBits, sample_weight: FloatArray
) -> SignCalibration:
    """The calibration of the shares by the known bits of the same rows.

    One temperature for all tags, without an intercept for each: that would predict held-out bits
    slightly better (mean log loss .394 instead of .401 on eight problems from "emotions" and
    "scene"), but a tag with a probability above 1/2 would no longer be a tag that is predicted.
    """
    return fit_sign_calibration(shares, tag_signs(bits), sample_weight)


def tag_signs(bits: PartialBits) -> AnyArray:
    """Known bits as signs, ``(n, m)``: 1 for on, -1 for off, 0 where nothing is known."""
    return np.where(bits.known, 2 * bits.bits - 1, 0)


def right_probabilities(
    probabilities: FloatArray, labels: AnyArray, bits: PartialBits
) -> FloatArray:
    """The probability that each recovered bit is right, ``(n, m)``; known bits are taken as right.

    Parameters
    ----------
    probabilities : float array (n, m)
        That a tag is on.
    labels : array (n, m)
        The recovered bits.
    bits : PartialBits
    """
    right = np.where(labels == 1, probabilities, 1.0 - probabilities)
    return np.where(bits.known, 1.0, right)


def expected_share(
    probabilities: FloatArray, labels: AnyArray, bits: PartialBits, weights: FloatArray
) -> FloatArray:
    """The expected (weighted) share of right bits, ``(n,)``; a known bit is taken as right.

    Parameters
    ----------
    probabilities : float array (n, m)
        That a tag is on.
    labels : array (n, m)
        The recovered bits.
    bits : PartialBits
    weights : float array (m,)
        Of the tags, with sum one.

    Examples
    --------
    >>> bits = PartialBits.from_any([[1, np.nan], [np.nan, np.nan]])
    >>> labels = np.array([[1, 0], [1, 1]])
    >>> expected_share(np.full((2, 2), 0.25), labels, bits, np.full(2, 0.5)).tolist()
    [0.875, 0.25]
    """
    shares: FloatArray = right_probabilities(probabilities, labels, bits) @ weights
    # Weights sum to one up to rounding.
    return np.minimum(shares, 1.0)
