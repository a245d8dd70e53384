"""What every test may rely on: repeatable examples, a headless matplotlib, the data sets."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent

# Plots are drawn to memory; a test must not depend on a screen.
os.environ.setdefault("MPLBACKEND", "Agg")

# Processes side by side already keep every core busy; threads of theirs would only wait for each
# other. Read by BLAS and OpenMP when they are loaded, which no plugin does before this file.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# The same examples on every run and machine: a red test is red for everybody. A clock is no part of
# any property, and the first call of a kernel compiles it.
settings.register_profile(
    "quick",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=1000)
settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark `data` what asks for the data sets, so that `-m "not data"` means what it says."""
    for item in items:
        if "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the data sets: DISAMBIG_DATA, else `data` beside the tests."""
    named = os.environ.get("DISAMBIG_DATA")
    if named:
        folder = Path(named)
        if not folder.is_dir():
            pytest.fail(
                f"DISAMBIG_DATA is {named!r}, which is no folder. "
                "Name the folder of the data sets, or unset it to skip these tests.",
                pytrace=False,
            )
        return folder
    folder = ROOT / "data"
    if not folder.is_dir():
        pytest.skip("no data sets: DISAMBIG_DATA is not set and there is no folder `data`")
    return folder
