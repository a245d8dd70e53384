"""The problems and the ranks of the benchmark of tags."""

import numpy as np

from benchmarks.tag_methods import METHODS, filled
from benchmarks.tags import cells, mean_ranks
from disambig import PartialBits


def test_ranks_are_best_for_low_losses_and_high_scores():
    one = np.array([[[0.1, 0.9, 0.9], [0.2, 0.8, 0.95], [0.2, 0.1, 0.1]]])
    assert mean_ranks(one).tolist() == [[1, 1, 2], [2.5, 2, 1], [2.5, 3, 3]]


def test_what_is_unknown_has_the_other_value_if_one_is_known_only():
    bits = PartialBits.from_any([[1, None, 0], [None, None, 1], [None, None, None]])
    found = np.nan_to_num(filled(bits), nan=-1)
    assert found.tolist() == [[1, -1, 0], [0, -1, 1], [0, -1, -1]]


def test_every_method_gives_probabilities(data_dir):
    cell = next(cells(data_dir / "mulan", ["flags"], 1, [0.5]))
    assert cell.bits.contains(cell.bits.means() > 0.5).all()
    for name, method in METHODS.items():
        if name != "ours":
            predicted, shares = method(cell.X, cell.bits, cell.Q)
            assert predicted.shape == shares.shape == cell.truth.shape
            assert ((shares >= 0) & (shares <= 1)).all()
