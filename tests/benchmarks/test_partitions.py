"""The rows of the table of forest votes."""

import pytest

from benchmarks import partitions


def test_a_row_has_a_number_for_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "N_TREES", 5)
    monkeypatch.setattr(partitions, "MAX_ARRAY_ROWS", 100)
    small, large = (partitions.row(n).strip("| ").split(" | ") for n in (100, 200))
    assert (small[0], large[0]) == ("100", "200")
    assert all(float(cell) >= 0 for cell in (*small[1:], *large[1:6]))
    assert large[6] == "–"
    assert len(small) == len(large) == 7
