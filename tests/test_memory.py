"""Free memory, and the error for an array that does not fit."""

import numpy as np
import pytest

from disambig import memory
from disambig.exceptions import MemoryBudgetError
from disambig.memory import free_bytes, require_bytes

GIB = 1024**3


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A fake machine: call it with what the machine should report."""
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)

    def report(available=None, limit=None, used=None):
        if available is not None:
            text = f"MemTotal: 99999999 kB\nMemAvailable: {available // 1024} kB\n"
            (tmp_path / "meminfo").write_text(text)
        if limit is not None:
            (tmp_path / "memory.max").write_text(f"{limit}\n")
        if used is not None:
            (tmp_path / "memory.current").write_text(f"{used}\n")

    return report


def test_free_memory_of_this_machine_is_plausible():
    free = free_bytes()
    assert free is None or 0 <= free < 2**60
    assert free is None or isinstance(free, int)


def test_free_memory_is_what_the_machine_has_available(machine):
    machine(available=8 * GIB)
    assert free_bytes() == 8 * GIB


def test_limit_of_the_control_group_counts(machine):
    machine(available=8 * GIB, limit=4 * GIB, used=3 * GIB)
    assert free_bytes() == GIB


def test_group_without_limit_is_no_bound(machine):
    machine(available=8 * GIB, limit="max", used=3 * GIB)
    assert free_bytes() == 8 * GIB


def test_group_over_its_limit_has_zero_bytes(machine):
    machine(available=8 * GIB, limit=4 * GIB, used=5 * GIB)
    assert free_bytes() == 0


@pytest.mark.parametrize("limit", ["", "lots"])
def test_unreadable_limit_is_no_bound(machine, limit):
    machine(available=8 * GIB, limit=limit, used=0)
    assert free_bytes() == 8 * GIB


def test_physical_size_is_used_without_other_reports(machine, monkeypatch):
    sizes = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory.os, "sysconf", sizes.__getitem__, raising=False)
    assert free_bytes() == 4096000


def test_unknown_memory_is_none_and_never_raises(machine, monkeypatch):
    def unknown(name):
        raise ValueError(name)

    monkeypatch.setattr(memory.os, "sysconf", unknown, raising=False)
    assert free_bytes() is None
    require_bytes(1e30, "Anything", "Go on.")


def test_error_names_array_size_and_alternative(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 2 * GIB)
    with pytest.raises(MemoryBudgetError) as caught:
        require_bytes(74.5 * GIB, "The kernel matrix of 100000 rows", "Use NeighborWeights.")
    assert str(caught.value) == (
        "The kernel matrix of 100000 rows would take 74.5 GiB, and 2.0 GiB are free. "
        "Use NeighborWeights."
    )
    assert isinstance(caught.value, MemoryError)


def test_array_that_fits_passes(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 1000)
    require_bytes(1000, "It", "Nothing.")
    require_bytes(np.float64(999.5), "It", "Nothing.")
    with pytest.raises(MemoryBudgetError):
        require_bytes(1001, "It", "Nothing.")


def test_reclaimable_file_cache_is_free(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    monkeypatch.setattr(memory, "_machine_bytes", lambda: None)
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 300\nfile 600\ninactive_file 500\n")
    assert memory.free_bytes() == 600


def test_small_requests_of_a_block_rely_on_one_reading(machine, monkeypatch):
    machine(available=8 * GIB)
    with memory.read_once():
        machine(available=GIB)
        with memory.read_once():
            # A hundredth of what was free at the start.
            require_bytes(0.08 * GIB, "It", "Nothing.")
            assert memory._free_for(0.08 * GIB) == 8 * GIB
        assert memory._free_for(0.08 * GIB) == 8 * GIB
        # Larger ones read anew.
        assert memory._free_for(0.09 * GIB) == GIB
        assert not memory.is_free(2 * GIB)
        with pytest.raises(MemoryBudgetError, match=r"1\.0 GiB are free"):
            require_bytes(2 * GIB, "It", "Nothing.")
    assert memory._free_for(1) == GIB


def test_an_error_ends_the_reading(machine):
    machine(available=8 * GIB)
    with pytest.raises(ZeroDivisionError), memory.read_once():
        1 / 0  # noqa: B018
    machine(available=GIB)
    assert memory._free_for(1) == GIB


def test_without_a_report_everything_is_free(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: None)
    with memory.read_once():
        assert memory.is_free(1e30)
