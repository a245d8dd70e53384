"""Pieces are kept, found again, and computed anew where something changed."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from disambig.cli.kept_pieces import KeptPieces, Result
from disambig.experiments.pieces import Piece
from disambig.experiments.simplex_readings import measured

COMPUTED: list[int] = []


def squared(k: int) -> dict[str, Any]:
    COMPUTED.append(k)
    if k < 0:
        raise KeyboardInterrupt
    if k == 7:
        warnings.warn("seven", UserWarning, stacklevel=1)
    return {"k": k, "square": (k**2, 0.1 + k)}


def pieces(*numbers: int) -> list[Piece]:
    return [Piece("squares", f"the square of {k}", squared, {"k": k}) for k in numbers]


@pytest.fixture
def kept(tmp_path: Path) -> KeptPieces:
    COMPUTED.clear()
    return KeptPieces(tmp_path / "pieces", {"disambig": "1"})


def test_what_is_kept_is_not_computed_again(kept: KeptPieces) -> None:
    heard: list[tuple[str, bool]] = []
    first = kept.results(pieces(1, 2))
    again = kept.results(pieces(2, 3, 1), done=lambda p, r, was: heard.append((p.name, was)))
    assert COMPUTED == [1, 2, 3]
    assert [result.payload["k"] for result in again] == [2, 3, 1]
    assert again[2] == first[0]
    # As JSON has it, whether it was computed just now or read.
    assert again[1].payload["square"] == [9, 3.1]
    assert heard == [
        ("the square of 2", True), ("the square of 1", True), ("the square of 3", False),
    ]  # fmt: skip


def test_an_interruption_keeps_what_was_finished(kept: KeptPieces) -> None:
    with pytest.raises(KeyboardInterrupt):
        kept.results(pieces(1, -1, 2))
    assert COMPUTED == [1, -1]
    assert [r.payload["k"] for r in kept.results(pieces(1, 2))] == [1, 2]
    assert COMPUTED == [1, -1, 2]


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"identity": {}, "result": {}}'])
def test_a_file_that_makes_no_sense_is_computed_anew(kept: KeptPieces, content: str) -> None:
    (piece,) = pieces(4)
    kept.results([piece])
    kept.path(piece).write_text(content)
    assert kept.results([piece])[0].payload["k"] == 4
    assert COMPUTED == [4, 4]
    assert json.loads(kept.path(piece).read_text())["result"]["payload"]["k"] == 4


def test_other_settings_versions_and_fresh_runs_are_computed(kept: KeptPieces) -> None:
    kept.results(pieces(4))
    KeptPieces(kept.folder, {"disambig": "2"}).results(pieces(4))
    kept.results(pieces(4), fresh=True)
    kept.results(pieces(5))
    assert COMPUTED == [4, 4, 4, 5]


def test_warnings_are_told_with_the_result(kept: KeptPieces) -> None:
    (result,) = kept.results(pieces(7))
    assert result.warnings == {"UserWarning: seven": 1}
    assert kept.load(pieces(7)[0]) == result
    assert result.seconds >= 0.0


def test_processes_side_by_side_find_the_same(kept: KeptPieces, tmp_path: Path) -> None:
    two = [Piece("simplex", name, measured, {}) for name in ("one", "two")]
    alone = kept.results(two)
    together = KeptPieces(tmp_path / "other", kept.versions).results(two, jobs=2)
    assert [r.payload for r in together] == [r.payload for r in alone]
    assert all(isinstance(result, Result) for result in together)
