from benchmarks.recalibration import METHODS, RIGHT, errors


def test_with_fifty_answers_platt_with_a_prior_is_better_than_the_identity_and_isotonic():
    found = errors(50, 2)
    assert set(found) == set(METHODS)
    assert all(len(values) == 2 * len(RIGHT) for values in found.values())
    ours = found["Platt, with a prior"].mean()
    assert ours < found["identity"].mean()
    assert ours < found["isotonic"].mean()
    # The first two cases are calibrated already.
    assert (found["identity"][:2] == 0).all()
