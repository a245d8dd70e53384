"""From probabilities of tags to bits: predictions of a loss, and labels inside of the sets."""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import PartialBits
from disambig.estimators.held_out.sign_likelihood import SignCalibration
from disambig.estimators.held_out.tag_shares import (
    fit_tag_calibration,
    likelier_bits,
    right_probabilities,
    tag_frequencies,
)
from disambig.estimators.rows.kept import KeptRows
from disambig.estimators.tags.one_sided import OneSidedTags
from disambig.losses.bits.hamming import BoundHamming
from disambig.losses.bits.protocol import BoundBitLoss
from disambig.notation import AnyArray, BoolArray, FloatArray

# The share of the tags' frequencies in what is decoded, so that these break ties.
_NUDGE = 1e-9
_TOLERANCE = 1e-12


def predicted_bits(
    loss: BoundBitLoss, probabilities: FloatArray, frequencies: FloatArray
) -> AnyArray:
    """The bits of least expected loss, if tags are independent given the inputs, ``(q, m)``.

    Frequencies of the tags break ties.

    Examples
    --------
    >>> from disambig.losses import TopKLoss
    >>> loss = TopKLoss(1).bind_bits(PartialBits.from_any([[1, 0]]))
    >>> predicted_bits(loss, np.array([[0.2, 0.3]]), np.array([0.5, 0.5])).tolist()
    [[0, 1]]
    """
    if isinstance(loss, BoundHamming):
        return likelier_bits(probabilities, frequencies)
    nudged = (1.0 - _NUDGE) * probabilities + _NUDGE * frequencies
    scores = loss.mean_target(nudged)
    bits: AnyArray = loss.best_prediction(scores, np.full(len(scores), _TOLERANCE)).outputs
    return bits


def recovered_bits(
    probabilities: FloatArray,
    bits: PartialBits,
    frequencies: FloatArray,
    tag_weights: FloatArray,
) -> tuple[AnyArray, BoolArray]:
    """The bits of each set with the most right bits expected ``(n, m)``; rows where only one has.

    Whatever the loss is: it says how predictions are judged, and not which bits are likely.
    """
    if not bits.has_rules:
        labels = np.where(bits.known, bits.bits, likelier_bits(probabilities, frequencies))
        return labels.astype(np.int8), (bits.known | (probabilities != 0.5)).all(axis=1)
    plain = bits.rules.cheapest(
        tag_weights * (1.0 - 2.0 * probabilities),
        bits.bits,
        bits.counts,
        np.full(len(bits), _TOLERANCE),
    )
    nudged = (1.0 - _NUDGE) * probabilities + _NUDGE * frequencies
    found = bits.rules.cheapest(tag_weights * (1.0 - 2.0 * nudged), bits.bits, bits.counts)
    return found.first, np.asarray((plain.first == plain.last).all(axis=1))


class JudgedTags(NamedTuple):
    """What held-out shares say about the rows of a fit.

    Attributes
    ----------
    calibration : SignCalibration
    one_sided : OneSidedTags or None
        With frequencies.
    frequencies : float array (m,)
    kind : str
        Where the frequencies come from.
    labels : int8 array (n, m)
    decided : bool array (n,)
    bit_confidence : float array (n, m)
    """

    calibration: SignCalibration
    one_sided: OneSidedTags | None
    frequencies: FloatArray
    kind: str
    labels: AnyArray
    decided: BoolArray
    bit_confidence: FloatArray


def judged_tags(
    shares: FloatArray,
    candidates: PartialBits,
    judged: PartialBits,
    kept: KeptRows,
    one_sided: OneSidedTags | None,
    tag_weights: FloatArray,
    found: tuple[Any, Any] | None,
) -> JudgedTags:
    """Calibrated probabilities of all rows, and labels if `found` has none.

    Parameters
    ----------
    shares : float array (n, m)
        What others predict of all rows.
    candidates : PartialBits, n rows
    judged : PartialBits
        What shares are calibrated by, in the rows that take part.
    kept : KeptRows
    one_sided : OneSidedTags or None
    tag_weights : float array (m,)
    found : (labels, decided rows) of a solution, or None
    """
    calibration = fit_tag_calibration(shares[kept.rows], judged, kept.sample_weight)
    probabilities = calibration(shares)
    taken = candidates[kept.rows]
    frequencies, kind = tag_frequencies(taken, kept.sample_weight), "known bits"
    if one_sided is not None:
        one_sided = one_sided.estimated(probabilities[kept.rows], taken, kept.sample_weight)
        frequencies, kind = one_sided.frequencies, one_sided.kind
        probabilities = one_sided.posterior(probabilities)
    labels, decided = found or recovered_bits(probabilities, candidates, frequencies, tag_weights)
    right = right_probabilities(probabilities, labels, candidates)
    return JudgedTags(calibration, one_sided, frequencies, kind, labels, decided, right)
