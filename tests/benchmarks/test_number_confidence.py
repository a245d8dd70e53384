import numpy as np

from benchmarks.number_confidence import KINDS, PROBLEMS, calibration, hidden, problem, suspicion


def test_every_set_has_its_number():
    for name in PROBLEMS:
        _, truth = problem(name, 0)
        for kind in KINDS:
            y = hidden(truth, kind, 0)
            assert ((y[:, 0] <= truth) & (truth <= y[:, 1])).all()


def test_confidence_is_near_to_the_share_of_right_numbers():
    right, confidence, error, auroc = calibration("sine", "intervals", "neighbours", range(1))
    assert abs(right - confidence) < 0.05
    assert error < 0.1
    assert auroc > 0.5
    assert min(suspicion("sine", "intervals", "moved", range(1))) > 0.8
    assert np.isfinite(error)
