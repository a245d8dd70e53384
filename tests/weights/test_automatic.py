"""`automatic_ridge`: exact where that is affordable."""

from disambig import memory
from disambig.weights import KernelRidgeWeights, NystromWeights
from disambig.weights.divided.whole import MAX_EXACT_ROWS
from disambig.weights.registry import automatic_ridge


def test_few_rows_are_exact_and_many_have_landmarks():
    assert isinstance(automatic_ridge(MAX_EXACT_ROWS), KernelRidgeWeights)
    assert isinstance(automatic_ridge(MAX_EXACT_ROWS + 1), NystromWeights)
    assert automatic_ridge(10).intercept
    assert automatic_ridge(10**7).intercept


def test_little_memory_leads_to_landmarks(monkeypatch):
    n = 1000
    peak = 4 * 8 * n * n
    monkeypatch.setattr(memory, "free_bytes", lambda: 2 * peak)
    assert isinstance(automatic_ridge(n), KernelRidgeWeights)
    monkeypatch.setattr(memory, "free_bytes", lambda: 2 * peak - 2)
    assert isinstance(automatic_ridge(n), NystromWeights)
    monkeypatch.setattr(memory, "free_bytes", lambda: None)
    assert isinstance(automatic_ridge(n), KernelRidgeWeights)
