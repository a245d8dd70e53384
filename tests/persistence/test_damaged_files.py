"""A damaged file is refused by our own error, or is still the same model."""

from contextlib import suppress

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig import PartialLabelClassifier
from disambig.exceptions import ModelFileError
from disambig.persistence import describe_model, load_model, save_model
from disambig.persistence.archive import Archive, packed
from tests.persistence import cases

# Bytes between two damages in the quick test and in the slow one.
QUICK_STEP, SLOW_STEP = 211, 7


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "model.skops"
    model = PartialLabelClassifier("laplacian").fit(cases.X[:15], cases.SETS[:15])
    save_model(model, path)
    return path.read_bytes(), model


def check(data, model, path):
    """True if the damage does not matter, False if the file is refused."""
    path.write_bytes(data)
    message, again = "", None
    try:
        describe_model(path)
        again = load_model(path)
    except ModelFileError as error:
        message = str(error)
    assert "\n" not in message
    if again is None:
        return False
    assert_array_equal(again.predict_proba(cases.QUERIES), model.predict_proba(cases.QUERIES))
    assert_array_equal(again.labels_, model.labels_)
    return True


@pytest.mark.parametrize(
    "step", [QUICK_STEP, pytest.param(SLOW_STEP, marks=pytest.mark.slow)], ids=["quick", "slow"]
)
def test_cut_short(step, saved, tmp_path):
    data, model = saved
    for length in range(0, len(data) - 1, step):
        assert not check(data[:length], model, tmp_path / "model.skops"), length


@pytest.mark.parametrize(
    "step", [QUICK_STEP, pytest.param(SLOW_STEP, marks=pytest.mark.slow)], ids=["quick", "slow"]
)
def test_changed_bytes(step, saved, tmp_path):
    data, model = saved
    rng = np.random.default_rng(0)
    refused = 0
    for place in range(0, len(data), step):
        damaged = bytearray(data)
        damaged[place] ^= int(rng.integers(1, 256))
        refused += not check(bytes(damaged), model, tmp_path / "model.skops")
    assert refused > len(data) // step // 2


@pytest.mark.parametrize(
    "count", [20, pytest.param(1000, marks=pytest.mark.slow)], ids=["quick", "slow"]
)
def test_changed_directory(count, saved, tmp_path):
    # The directory at the end has no checksum: names, sizes, places and kinds of compression.
    data, model = saved
    rng = np.random.default_rng(1)
    directory = data.index(b"PK\x01\x02")
    for _ in range(count):
        damaged = bytearray(data)
        for place in rng.integers(directory, len(data), size=rng.integers(1, 5)):
            damaged[place] = int(rng.integers(256))
        check(bytes(damaged), model, tmp_path / "model.skops")


@pytest.mark.slow
def test_changed_schema(saved, tmp_path):
    """With valid checksums, so that the damage reaches the objects."""
    data, _ = saved
    archive = Archive(data, max_bytes=1 << 30)
    members = {name: archive.read(name) for name in archive.sizes}
    rng = np.random.default_rng(2)
    path = tmp_path / "model.skops"
    arrays = [name for name in members if name.endswith((".npz", ".npy"))]
    for name in ("schema.json", "disambig.json", arrays[-1]):
        for _ in range(300):
            damaged = bytearray(members[name])
            # Half of them in the first bytes, where arrays have their headers.
            place = int(rng.integers(len(damaged) if rng.random() < 0.5 else 120))
            damaged[place] = int(rng.integers(32, 127))
            path.write_bytes(packed({**members, name: bytes(damaged)}))
            # A changed value is another model; nothing but our own error leaves `load_model`.
            with suppress(ModelFileError):
                assert isinstance(load_model(path), PartialLabelClassifier)
