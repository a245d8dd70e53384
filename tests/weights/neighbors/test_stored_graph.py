"""The graph of neighbours on disk equals that of `NeighborWeights`, within the stated memory."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig.candidates import LabelSets
from disambig.exceptions import MemoryBudgetError, VotesError
from disambig.losses.registry import bind_label_loss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.storage.rows import ArrayFile
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.stored.folder import BlockFolder
from disambig.votes.stored.transpose import transpose_blocks
from disambig.weights import NeighborWeights
from disambig.weights.neighbors import stored_graph
from disambig.weights.neighbors.file_parts import RowParts
from disambig.weights.neighbors.stored_graph import GraphPlan, build_graph, build_votes
from tests.votes.stored.test_folder import assert_same, joined


def stored(folder, X):
    np.save(Path(folder) / "X.npy", X)
    return ArrayFile.open(Path(folder) / "X.npy")


@pytest.fixture(scope="module", autouse=True)
def _without_waiting_for_the_disk():
    """Waiting for the disk takes most of the time of these small files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        yield


@settings(max_examples=20)
@given(st.data())
def test_the_graph_is_that_of_all_rows(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, d = data.draw(st.integers(2, 60)), data.draw(st.sampled_from([1, 3, 8, 10]))
    X = rng.integers(0, 3, (n, d)) * 1.0 if data.draw(st.booleans()) else rng.normal(size=(n, d))
    if data.draw(st.booleans()):
        # Parts that are far from each other: most are not searched.
        X = X[np.argsort(X[:, 0])] + 10.0 * np.arange(n)[:, None]
    X = X.astype(data.draw(st.sampled_from(["f8", "f4"])))
    k = data.draw(st.integers(1, min(5, n - 1)))
    vote = data.draw(st.sampled_from(stored_graph.VOTES))
    leave_one_out = data.draw(st.booleans())
    plan = GraphPlan(data.draw(st.integers(1, n)), data.draw(st.integers(1, n)))
    weights = NeighborWeights(k, vote=vote, leave_one_out=leave_one_out).fit(X)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(GraphPlan, "within", lambda *_: plan)
        patch.setattr(stored_graph, "_QUERIES_AT_A_TIME", data.draw(st.integers(1, n)))
        graph = build_graph(
            stored(folder, X),
            folder + "/graph",
            k,
            memory="16GiB",
            vote=vote,
            leave_one_out=leave_one_out,
        )
        expected = weights.training_votes().matrix
        assert_same(joined(graph), expected)
        transposed = transpose_blocks(graph, folder + "/transposed", memory=10**6)
        assert_same(joined(transposed), expected.T.tocsr())
        votes = RowBlocks(graph.blocks, transposed.blocks)
        values = rng.normal(size=(n, 2))
        np.testing.assert_array_equal(votes @ values, expected @ values)
        np.testing.assert_array_equal(votes.T @ values, expected.T.tocsr() @ values)


def test_far_parts_are_not_read(tmp_path, monkeypatch):
    X = np.repeat(np.arange(10.0), 8)[:, None] + np.random.default_rng(0).normal(size=(80, 2)) / 99
    parts = RowParts.of(stored(tmp_path, X), 8)
    read = []
    real = RowParts.index
    monkeypatch.setattr(
        RowParts, "index", lambda self, part, jobs: read.append(part) or real(self, part, jobs)
    )
    stored_graph.nearest_rows(parts, X[24:40], 5, first=24)
    assert sorted(read) == [3, 4]


def test_an_interrupted_build_resumes(tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 2))
    source = stored(tmp_path, X)
    monkeypatch.setattr(GraphPlan, "within", lambda *_: GraphPlan(20, 10))
    real, made = stored_graph.nearest_rows, []

    def interrupted(parts, queries, width, *, first, **options):
        made.append(first)
        if made == [0, 10, 20]:
            raise KeyboardInterrupt
        return real(parts, queries, width, first=first, **options)

    monkeypatch.setattr(stored_graph, "nearest_rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build_graph(source, tmp_path / "graph", 4, memory="16GiB")
    monkeypatch.setattr(GraphPlan, "within", lambda *_: GraphPlan(20, 5))
    with pytest.raises(MemoryBudgetError, match="blocks of 10 rows, and memory is enough for 5"):
        build_graph(source, tmp_path / "graph", 4, memory="16GiB")
    # With more memory, blocks stay as they are.
    monkeypatch.setattr(GraphPlan, "within", lambda *_: GraphPlan(50, 50))
    graph = build_graph(source, tmp_path / "graph", 4, memory="32GiB")
    assert made == [0, 10, 20, 20, 30, 40]
    monkeypatch.setattr(GraphPlan, "within", lambda *_: GraphPlan(20, 5))
    assert build_graph(source, tmp_path / "graph", 4, memory="16GiB") == graph
    assert_same(joined(graph), NeighborWeights(4).fit(X).training_votes().matrix)
    with pytest.raises(VotesError, match=r"blocks of other votes .* 4 neighbours"):
        build_graph(source, tmp_path / "graph", 5, memory="16GiB")
    changed = stored(tmp_path, X + 1.0)
    with pytest.raises(VotesError, match=r"blocks of other votes"):
        build_graph(changed, tmp_path / "graph", 4, memory="16GiB")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (np.nan, r"X\.npy: X contains NaN or infinity, first in row 7, column 1: nan"),
        (1e300, r"X\.npy: X contains 1e\+300 in row 7, column 1; the largest size accepted"),
    ],
)
def test_bad_entries_are_named(tmp_path, entry, words):
    X = np.ones((9, 2))
    X[7, 1] = entry
    with pytest.raises(VotesError, match=words):
        RowParts.of(stored(tmp_path, X), 3)


def test_other_words(tmp_path):
    with pytest.raises(VotesError, match="the largest entry in size is 1e-200, less than 1e-36"):
        RowParts.of(stored(tmp_path, np.full((9, 2), 1e-200)), 3)
    with pytest.raises(VotesError, match=r"expected at least one row and one column; got .*0, 2"):
        RowParts.of(stored(tmp_path, np.zeros((0, 2))), 3)
    X = stored(tmp_path, np.eye(3))
    with pytest.raises(MemoryBudgetError, match=r"at least 576 KiB beside .*, and of memory 0 B"):
        build_graph(X, tmp_path / "graph", 2, memory="1MiB")
    with pytest.raises(ValueError, match="n_neighbors"):
        build_graph(X, tmp_path / "graph", 0, memory="16GiB")
    with pytest.raises(ValueError, match="vote"):
        build_graph(X, tmp_path / "graph", 2, memory="16GiB", vote="loud")
    with pytest.warns(UserWarning, match="n_neighbors=3 is more than the 2 other rows"):
        graph = build_graph(X, tmp_path / "graph", 3, memory="16GiB", leave_one_out=True)
    assert joined(graph).nnz == 6


def test_labels_are_those_in_memory(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    mask = rng.random((300, 4)) < 0.4
    mask[np.arange(300), np.digitize(X[:, 0], [-1, 0, 1])] = True
    sets = LabelSets(mask, np.arange(4))
    monkeypatch.setattr(GraphPlan, "within", lambda *_: GraphPlan(120, 70))
    votes = build_votes(stored(tmp_path, X), tmp_path, 6, memory="16GiB", n_threads=2)
    loss = bind_label_loss("zero_one", sets.classes)
    ours = AlternatingMinimization().solve(Problem(votes, loss, sets))
    whole = NeighborWeights(6).fit(X).training_votes()
    expected = AlternatingMinimization().solve(Problem(whole, loss, sets))
    np.testing.assert_array_equal(ours.decoded.outputs, expected.decoded.outputs)
    assert ours.objective == expected.objective
    path = tmp_path / "transposed" / "block-00001.indices.npy"
    content = np.load(path)
    content[3] = 10**9
    np.save(path, content)
    with pytest.raises(VotesError, match=r"transposed/block-00001\.\*\.npy: the contents are not"):
        build_votes(stored(tmp_path, X), tmp_path, 6, memory="16GiB")


_BUILD = """
import sys
from pathlib import Path
from disambig.storage.rows import ArrayFile
from disambig.weights.neighbors.stored_graph import build_votes
folder, memory = Path(sys.argv[1]), sys.argv[2]
build_votes(ArrayFile.open(folder / "X.npy"), folder, 20, memory=memory)
status = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no peak of a process here")
def test_the_peak_is_within_the_stated_memory(tmp_path):
    """Two million numbers with a graph of 120 MB, in parts: a whole build holds three times that.

    The bound is the stated one, without a margin.
    """
    X = np.random.default_rng(0).normal(size=(300_000, 5))
    X = X[:, :4] @ np.random.default_rng(1).normal(size=(4, 6))
    np.save(tmp_path / "X.npy", X)
    memory = 400
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, str(tmp_path), f"{memory}MiB"],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= memory * 1024


_INTERRUPTED = """
import sys
from disambig.storage.rows import ArrayFile
from disambig.weights.neighbors.stored_graph import GraphPlan, build_votes
GraphPlan.within = staticmethod(lambda *_: GraphPlan(3000, 500))
build_votes(ArrayFile.open(sys.argv[1] + "/X.npy"), sys.argv[1], 5, memory="8GiB")
"""


@pytest.mark.slow
def test_builds_that_are_killed_resume(tmp_path):
    """Killed when so many files are there, the last times while the transpose is made."""
    X = np.random.default_rng(0).normal(size=(10_000, 4))
    np.save(tmp_path / "X.npy", X)
    command = [sys.executable, "-c", _INTERRUPTED, str(tmp_path)]
    for n_files in (1, 10, 37, 60, 83, 100, 150):
        process = subprocess.Popen(command)
        for _ in range(60_000):
            found = len(list(tmp_path.rglob("*.npy"))) + len(list(tmp_path.rglob("*.json")))
            if found >= n_files or process.poll() is not None:
                break
            time.sleep(0.001)
        process.kill()
        process.wait(timeout=60)
    subprocess.run(command, check=True, timeout=300)
    expected = NeighborWeights(5).fit(X).training_votes().matrix
    assert_same(joined(BlockFolder.open(tmp_path / "graph")), expected)
    assert_same(joined(BlockFolder.open(tmp_path / "transposed")), expected.T.tocsr())
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"X.npy", "graph", "transposed"}
    assert not list(tmp_path.rglob("*.part"))
