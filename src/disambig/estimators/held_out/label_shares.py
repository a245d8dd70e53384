"""Probabilities of a fit of labels, by what rows that never saw the sets say."""

import numpy as np

from disambig.estimators.fitting import Fit
from disambig.estimators.held_out.hidden_votes import HeldOutLabels
from disambig.estimators.prediction import (
    Probabilities,
    candidate_shares,
    label_frequencies,
    probabilities_of,
)
from disambig.estimators.tolerance.leaving import Leaving
from disambig.notation import FloatArray


def fitted_probabilities(
    fit: Fit, distribution: FloatArray, held_out: HeldOutLabels | None
) -> Probabilities:
    """The map from votes at new inputs to probabilities of the classes.

    Its temperature is that of hidden sets if the same weighting predicts.

    Parameters
    ----------
    fit : Fit
    distribution : float array (n, K)
        What prediction learns from.
    held_out : HeldOutLabels or None
    """
    weightings, weight = fit.weightings, fit.kept.sample_weight
    same = weightings.predict_weights is weightings.weights
    return probabilities_of(
        fit.votes if same else weightings.predict_weights.training_votes(),
        distribution,
        weight,
        label_frequencies(fit.solution, distribution, weight),
        np.asarray(fit.taken.mask.any(axis=0)),
        None if held_out is None or not same else held_out.first_calibration.temperature,
    )


def judged_shares(
    fit: Fit,
    held_out: HeldOutLabels,
    leaving: Leaving,
    probabilities: Probabilities,
    distribution: FloatArray,
) -> FloatArray:
    """Distributions of all rows inside their sets, by rows that never saw these sets, ``(n, K)``.

    Parameters
    ----------
    fit : Fit
    held_out : HeldOutLabels
    leaving : Leaving
    probabilities : Probabilities
        Of votes for classes.
    distribution : float array (n, K)
        What prediction learns from.
    """
    shares = leaving.shares(held_out.distributions, fit.taken)
    if fit.kept.all_rows:
        return shares
    # Rows of weight zero took no part: what is predicted for them never saw their sets.
    rest = fit.candidates[fit.rest]
    predicted = probabilities(fit.rest_votes() @ distribution)
    other = candidate_shares(predicted, rest.mask, rest.distribution())
    all_rows: FloatArray = fit.scatter(shares, other)
    return all_rows
