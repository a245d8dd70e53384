"""Bytes, text and CSV tables are written completely or not at all."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.atomic import write_bytes_atomically, write_csv_atomically, write_text_atomically


def test_bytes_and_text_are_written_unchanged(tmp_path: Path) -> None:
    write_bytes_atomically(tmp_path / "a.bin", b"\r\n\0")
    write_text_atomically(tmp_path / "a.txt", "é\r\n± \n")
    assert (tmp_path / "a.bin").read_bytes() == b"\r\n\0"
    assert (tmp_path / "a.txt").read_bytes() == "é\r\n± \n".encode()
    assert len(list(tmp_path.iterdir())) == 2


def test_old_file_stays_if_the_rows_raise(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")

    def rows() -> Iterator[tuple[int]]:
        yield (1,)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_csv_atomically(path, ["a"], rows())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_error_names_row_of_wrong_length(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.csv: row 1 has 1 fields, the header has 2"):
        write_csv_atomically(tmp_path / "a.csv", ["a", "b"], [(1, 2), (3,)])
    assert not list(tmp_path.iterdir())


def test_none_is_an_empty_field(tmp_path: Path) -> None:
    write_csv_atomically(tmp_path / "a.csv", ["a", "b"], [(1, None)])
    assert (tmp_path / "a.csv").read_bytes() == b"a,b\n1,\n"


# No carriage returns: some readers end a line there, and Python quotes them from 3.13 on only.
_CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"))


@given(rows=st.lists(st.tuples(_CELLS, _CELLS), min_size=1))
def test_reading_returns_what_was_written(
    rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    write_csv_atomically(path, ["a", "b"], rows)
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a", "b"], *map(list, rows)]
