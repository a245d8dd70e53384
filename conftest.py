"""Settings of all tests: repeatable examples, matplotlib without a screen, the data sets."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent

# Plots are drawn to memory; a test must not depend on a screen.
os.environ.setdefault("MPLBACKEND", "Agg")

# Parallel test processes already use every core, so their threads would only wait for each other.
# BLAS and OpenMP read this variable when they are loaded; no plugin loads them before this file.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# The examples are the same in every run and on every machine, so a failure can be repeated. There
# is no deadline, because the first call of a compiled function includes its compilation.
settings.register_profile(
    "quick",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
# Which lines run hardly depends on the number of examples: `make coverage`.
settings.register_profile("few", settings.get_profile("quick"), max_examples=5)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=1000)
settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that use the data sets by `data`, so that `-m "not data"` excludes them."""
    for item in items:
        if "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the data sets: DISAMBIG_DATA, else `data` in the root of the repository."""
    named = os.environ.get("DISAMBIG_DATA")
    if named:
        folder = Path(named)
        if not folder.is_dir():
            pytest.fail(
                f"DISAMBIG_DATA is {named!r}, which is not a folder. "
                "Set it to the folder of the data sets, or unset it to skip these tests.",
                pytrace=False,
            )
        return folder
    folder = ROOT / "data"
    if not folder.is_dir():
        pytest.skip("no data sets: DISAMBIG_DATA is not set and there is no folder `data`")
    return folder
