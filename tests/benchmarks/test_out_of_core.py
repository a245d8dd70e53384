"""The benchmark of rows on disk: its inputs do not depend on chunks, and its labels are right."""

import json

import numpy as np
from numpy.testing import assert_array_equal

from benchmarks import out_of_core


def test_a_small_run(tmp_path, capsys):
    out_of_core.write_inputs(tmp_path / "X.npy", 3000)
    out_of_core.fit(tmp_path, "64GiB")
    stages = {}
    for line in capsys.readouterr().out.splitlines():
        stages.update(json.loads(line))
    assert list(stages) == ["graph", "transpose", "sets", "labels"]
    assert stages["labels"]["right"] > 0.75
    cells = out_of_core.row_of(3000, "64GiB", stages).split(" | ")
    assert len(cells) == 10


def test_noise_has_the_same_groups(tmp_path):
    for kind in ("groups", "noise"):
        out_of_core.write_inputs(tmp_path / f"{kind}.npy", 50, kind)
    groups, noise = (np.load(tmp_path / f"{kind}.npy") for kind in ("groups", "noise"))
    assert_array_equal(
        np.load(tmp_path / "groups.groups.npy"), np.load(tmp_path / "noise.groups.npy")
    )
    assert np.abs(noise).max() < np.abs(groups).max()
