"""How many observed signs, pairs of an order or bits, are wrong: each is one of two classes."""

import numpy as np

from disambig.estimators.held_out.sign_likelihood import SignCalibration
from disambig.estimators.held_out.wrong_sets import WrongSets, fit_wrong_sets
from disambig.notation import AnyArray, BoolArray, FloatArray


def two_classes(probabilities: FloatArray, signs: AnyArray) -> tuple[FloatArray, BoolArray]:
    """Observed signs as sets of one of two classes: probabilities and sets, both ``(m, 2)``.

    Examples
    --------
    >>> two, mask = two_classes(np.array([[0.75, 0.5]]), np.array([[-1, 0]]))
    >>> two.tolist(), mask.tolist()
    ([[0.75, 0.25]], [[False, True]])
    """
    observed = signs != 0
    p, s = probabilities[observed], signs[observed]
    return np.column_stack([p, 1.0 - p]), np.column_stack([s > 0, s < 0])


def fit_wrong_signs(
    calibration: SignCalibration,
    probabilities: FloatArray,
    signs: AnyArray,
    sample_weight: FloatArray,
) -> WrongSets:
    """How many of the observed signs are wrong, by rows that never saw them.

    If the inputs say nothing, a sign is wrong as often as the frequencies of its column say. The
    signs of one row count as one.

    Parameters
    ----------
    calibration : SignCalibration
    probabilities : float array (n, p)
        Of the sign +1, calibrated.
    signs : array (n, p)
        +1, -1, or 0 where nothing was observed.
    sample_weight : float array (n,)
        w means w copies of a row.
    """
    row, place = np.nonzero(signs)
    if not row.size:
        return WrongSets(0.0)
    total = sample_weight @ (signs != 0)
    ones = np.divide(
        sample_weight @ (signs > 0), total, out=np.full(len(total), 0.5), where=total > 0
    )
    two, mask = two_classes(calibration.unmixed(probabilities), signs)
    chance = np.where(two[:, 0] >= two[:, 1], 1.0 - ones[place], ones[place])
    per_row = row.size / np.unique(row).size
    return fit_wrong_sets(two, mask, sample_weight[row], chance, dependence=per_row)
