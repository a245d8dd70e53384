"""Every test here has a limit, also one that waits for a cluster."""

import signal

import pytest

# Seconds; a test that takes longer is ended, with the workers that its fixtures have started.
LIMIT = 300


@pytest.fixture(autouse=True)
def limit():
    """End a test that hangs: the alarm raises in the main thread, also in a wait."""

    def ended(number, frame):
        raise TimeoutError(f"the test took more than {LIMIT} seconds")

    before = signal.signal(signal.SIGALRM, ended)
    signal.alarm(LIMIT)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
