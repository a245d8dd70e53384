"""The content of the ternary figure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig.candidates import LabelSets
from disambig.losses import AbstainLoss, ZeroOneLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.solvers.baselines import infimum_prediction
from disambig.votes import as_votes
from reproduce.simplex import paper_example, simplex_picture


def named(picture, tied):
    return picture.loss.predictions[list(tied)].tolist()


def test_the_papers_example():
    picture = simplex_picture(*paper_example(), steps=40)
    np.testing.assert_allclose(picture.infimum, [2 / 8, 3 / 8, 0])
    assert named(picture, picture.disambiguated) == ["c"]
    assert named(picture, picture.averaged) == ["a"]
    np.testing.assert_allclose(picture.attained[2], [0, 0, 1])


def test_objectives_on_the_grid_are_those_of_the_formulas():
    loss, sets, shares = paper_example()
    picture = simplex_picture(loss, sets, shares, steps=9)
    assert len(picture.grid) == 10 * 11 // 2
    np.testing.assert_allclose(picture.grid.sum(axis=1), 1)
    for mu, expected, quadratic in zip(
        picture.grid, picture.expected, picture.quadratic, strict=True
    ):
        assert expected == pytest.approx(min(row @ mu for row in loss.matrix))
        assert quadratic == pytest.approx(mu @ loss.matrix @ mu)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), P=st.integers(1, 5))
def test_the_lowest_expected_loss_is_the_infimum_loss(seed, n, P):
    """Disambiguation and the infimum loss have the same minimum and the same best predictions."""
    rng = np.random.default_rng(seed)
    loss = FiniteLoss(rng.random((P, 3)), np.arange(P), np.arange(3))
    mask = rng.random((n, 3)) < 0.5
    mask[np.arange(n), rng.integers(3, size=n)] = True
    sets, nu = LabelSets(mask, np.arange(3)), rng.random(n)
    nu /= nu.sum()
    picture = simplex_picture(loss, sets, nu, steps=25)
    direct = [
        sum(share * row[members].min() for share, members in zip(nu, mask, strict=True))
        for row in loss.matrix
    ]
    np.testing.assert_allclose(picture.infimum, direct)
    assert picture.compatible.contains(picture.attained, tolerance=1e-9).all()
    reached = (picture.attained * loss.matrix).sum(axis=1)
    np.testing.assert_allclose(reached, picture.infimum)
    possible = picture.compatible.contains(picture.grid)
    if possible.any():
        assert picture.expected[possible].min() >= min(direct) - 1e-12
    faces = infimum_prediction(loss, as_votes(nu[None]), sets).predictions
    assert np.flatnonzero(faces.mask[0]).tolist() == list(picture.disambiguated)


def test_all_predictions_that_tie_are_returned():
    sets = LabelSets.from_any(["a", "b", "c"])
    picture = simplex_picture(ZeroOneLoss().bind(sets.classes), sets)
    assert picture.disambiguated == picture.averaged == (0, 1, 2)


def test_predictions_that_are_no_labels_have_no_quadratic_form():
    sets = LabelSets.from_any([{"a", "b"}, "c"])
    picture = simplex_picture(AbstainLoss(0.4).bind(sets.classes), sets)
    assert picture.quadratic is None
    assert len(picture.infimum) == 4


def test_bad_arguments_are_refused():
    loss, sets, shares = paper_example()
    with pytest.raises(ValueError, match="4 classes; expected three"):
        simplex_picture(ZeroOneLoss().bind(np.arange(4)), sets)
    with pytest.raises(ValueError, match="with_classes"):
        simplex_picture(ZeroOneLoss().bind(np.arange(3)), sets)
    with pytest.raises(ValueError, match="steps=0"):
        simplex_picture(loss, sets, shares, steps=0)
