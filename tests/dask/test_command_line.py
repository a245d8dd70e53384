"""``disambig fit`` on the workers of a scheduler: the labels of one machine."""

import pandas as pd
import pytest

pytest.importorskip("distributed")

from distributed import Client

from disambig.cli import main
from tests.cli.test_fit_large import written
from tests.table_models.tables import MAKE

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


def test_labels_of_workers_are_those_of_this_process(tmp_path, capsys):
    made = MAKE["labels"](60)
    files = written(made.frame, tmp_path / "data")
    common = ["--target", made.target, "--id", "key", "--weights", "neighbors", "--quiet"]
    here, there = tmp_path / "here", tmp_path / "there"
    assert main(["fit", *files, *common, "--memory", "16GiB", "--out", str(here)]) == 0
    options = {"host": "127.0.0.1", "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    with Client(processes=False, n_workers=2, threads_per_worker=1, **options) as client:
        address = client.scheduler.address
        arguments = [*files, *common, "--scheduler", address, "--out", str(there)]
        assert main(["fit", *arguments]) == 0
        # The scheduler is the user's.
        assert client.submit(int, 1).result() == 1
    assert pd.read_csv(there / "labels.csv").equals(pd.read_csv(here / "labels.csv"))
    assert sorted(path.name for path in there.iterdir()) == ["labels.csv", "summary.json"]


def test_an_address_without_a_scheduler_is_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("disambig.dask.tables._CONNECT", 1)
    made = MAKE["labels"](60)
    files = written(made.frame, tmp_path / "data")
    arguments = ["--target", made.target, "--id", "key", "--out", str(tmp_path / "out")]
    assert main(["fit", *files, *arguments, "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "there is no scheduler at this address" in capsys.readouterr().err
