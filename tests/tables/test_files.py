"""Odd files: each is read right, or refused in one line with file, line and column."""

import gzip
import io
import json
import os
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from disambig.exceptions import TableError
from disambig.tables import read_table
from disambig.tables.delimited import guessed_separator

HEAD = "size,label\n"
PLAIN = HEAD + "1,cat\n2,dog\n"
ROWS = [["1", "cat"], ["2", "dog"]]

# Name, contents, options, columns, rows.
READ = {
    "plain": (PLAIN, {}, ["size", "label"], ROWS),
    "no newline at the end": (PLAIN.rstrip(), {}, ["size", "label"], ROWS),
    "CRLF": (PLAIN.replace("\n", "\r\n"), {}, ["size", "label"], ROWS),
    "CR alone": (PLAIN.replace("\n", "\r"), {}, ["size", "label"], ROWS),
    "tabs": (PLAIN.replace(",", "\t"), {}, ["size", "label"], ROWS),
    "semicolons": (PLAIN.replace(",", ";"), {}, ["size", "label"], ROWS),
    "pipes": ("a|b\n1|2\n", {}, ["a", "b"], [["1", "2"]]),
    "decimal commas": ("a;b\n1,5;2,5\n", {}, ["a", "b"], [["1,5", "2,5"]]),
    "sets with pipes": ("a,label\n1,x|y\n", {}, ["a", "label"], [["1", "x|y"]]),
    "one column": ("label\ncat\n", {}, ["label"], [["cat"]]),
    "one column with commas": ("label\na,b\nc\n", {}, ["label"], [["a,b"], ["c"]]),
    "one row": ("a,b\n1,2\n", {}, ["a", "b"], [["1", "2"]]),
    "a name for the separator": ("a;b\n1;2\n", {"sep": "semicolon"}, ["a", "b"], [["1", "2"]]),
    "tab by name": ("a\tb\n1\t2\n", {"sep": "tab"}, ["a", "b"], [["1", "2"]]),
    "a rare separator": ("a^b\n1^2\n", {"sep": "^"}, ["a", "b"], [["1", "2"]]),
    "Excel names it": ("sep=;\na;b\n1;2\n", {}, ["a", "b"], [["1", "2"]]),
    "quotes": ('a,b\n"1,2","say ""hi"""\n', {}, ["a", "b"], [["1,2", 'say "hi"']]),
    "newline in quotes": ('a,b\n1,"x\ny"\n', {}, ["a", "b"], [["1", "x\ny"]]),
    "an inch": ('a,b\n1,5" disk\n', {}, ["a", "b"], [["1", '5" disk']]),
    "UTF-8": ("größe,b\n1,ü\n".encode(), {}, ["größe", "b"], [["1", "ü"]]),
    "byte order mark": (b"\xef\xbb\xbf" + PLAIN.encode(), {}, ["size", "label"], ROWS),
    "UTF-16": (PLAIN.encode("utf-16"), {}, ["size", "label"], ROWS),
    "UTF-16, big end first": (
        b"\xfe\xff" + PLAIN.encode("utf-16-be"),
        {},
        ["size", "label"],
        ROWS,
    ),
    "UTF-16 without mark": (PLAIN.encode("utf-16-le"), {}, ["size", "label"], ROWS),
    "UTF-32": (PLAIN.encode("utf-32"), {}, ["size", "label"], ROWS),
    "Windows-1252": ("a,b\n1,5 €\n".encode("cp1252"), {}, ["a", "b"], [["1", "5 €"]]),
    "latin-1": ("a,b\n1,é\n".encode("latin-1"), {"encoding": "latin-1"}, ["a", "b"], [["1", "é"]]),
    "koi8-r": ("a,b\n1,да\n".encode("koi8-r"), {"encoding": "koi8-r"}, ["a", "b"], [["1", "да"]]),
    "DOS end of file": (PLAIN.encode() + b"\x1a", {}, ["size", "label"], ROWS),
    "blank lines": ("a,b\n\n1,2\n\n\n3,4\n\n", {}, ["a", "b"], [["1", "2"], ["3", "4"]]),
    "blank lines first": ("\n\na,b\n1,2\n", {}, ["a", "b"], [["1", "2"]]),
    "blanks in names": (" a , b  c\n1,2\n", {}, ["a", "b c"], [["1", "2"]]),
    "separator at the end": ("a,b,\n1,2,\n3,4,\n", {}, ["a", "b"], [["1", "2"], ["3", "4"]]),
    "column without a name": (",b\n1,2\n", {}, ["column 1", "b"], [["1", "2"]]),
    "names 0, 1": ("0,1\n7,8\n", {}, ["0", "1"], [["7", "8"]]),
    "no names": (
        "7,8\n9,8\n",
        {"header": False},
        ["column 1", "column 2"],
        [["7", "8"], ["9", "8"]],
    ),
    "zeros in front": ("id,b\n007,NA\n", {}, ["id", "b"], [["007", "NA"]]),
    "empty cells": ("a,b\n,\n", {}, ["a", "b"], [["", ""]]),
    "gzip": (gzip.compress(PLAIN.encode()), {}, ["size", "label"], ROWS),
    "JSON lines": ('{"a": 1, "b": ["x", "y"]}\n{"b": null, "a": "2"}\n', {}, ["a", "b"], None),
    "a JSON list": ('[{"a": 1},\n {"a": 2, "b": 3}]', {}, ["a", "b"], None),
    "ten thousand columns": (
        ",".join(f"x{k}" for k in range(10_000)) + "\n" + ",".join(["1"] * 10_000) + "\n",
        {},
        [f"x{k}" for k in range(10_000)],
        [["1"] * 10_000],
    ),
}

# Name, contents, options, a part of the message, the line.
REFUSED = {
    "empty": ("", {}, "the file is empty", None),
    "blanks only": (" \n \n", {}, "the file is empty", None),
    "no rows": ("a,b\n", {}, "a line of column names and no row", None),
    "no rows but blank lines": ("a,b\n\n\n", {}, "no row", None),
    "a field too many": ("a,b\n1,2\n1,2,3\n", {}, "3 fields, expected 2", 3),
    "a field too few": ("a,b,c\n1,2,3\n1,2\n", {}, "2 fields, expected 3", 3),
    "ragged after quotes": ('a,b\n1,"x\ny"\n2\n', {}, "1 field, expected 2", 4),
    "ragged after a blank line": ("a,b\n\n1,2\n\n3\n", {}, "1 field, expected 2", 5),
    "a list without quotes": ("a,label\n1,['x', 'y']\n1,z\n", {}, "3 fields, expected 2", 2),
    "open quotes": ('a,b\n1,"x\n2,y\n', {}, "never closed", 2),
    "text after quotes": ('a,b\n1,"x"y\n', {}, "expected after", 2),
    "a name twice": ("a,b,a\n1,2,3\n", {}, "columns 1 and 3 have the same name", 1),
    "a name twice but for blanks": ("a, a\n1,2\n", {}, "have the same name", 1),
    "numbers for names": ("1.5,2.5\n3,4\n", {}, "Pass header=False", 1),
    "zero byte": (b"a,b\n1,\x00\n", {}, "control character 0x00", 2),
    "garbage": (bytes(range(1, 256)) * 3, {}, "control character", 1),
    "one bad byte": ("é,ü\nä,ö\n".encode() + b"\xe9,2\n", {}, "byte 0xe9 is not UTF-8", 3),
    "wrong encoding": ("a,b\n1,é\n".encode("latin-1"), {"encoding": "utf-8"}, "0xe9", 2),
    "unknown encoding": (b"a,b\n1,2\n", {"encoding": "utf-9"}, "is not known", None),
    "a long separator": ("a,b\n1,2\n", {"sep": "::"}, "sep must be one character", None),
    "Excel": (b"PK\x03\x04rest", {}, "an Excel or zip file", None),
    "old Excel": (b"\xd0\xcf\x11\xe0rest", {}, "an old Excel file", None),
    "bzip2": (b"BZh91AY", {}, "a bzip2 file", None),
    "a pickle": (b"\x80\x05\x95abc", {}, "a pickle", None),
    "PDF": (b"%PDF-1.4", {}, "a PDF file", None),
    "half a gzip file": (gzip.compress(PLAIN.encode() * 99)[:60], {}, "incomplete", None),
    "damaged gzip": (b"\x1f\x8b\x08\x00garbage-garbage", {}, "gzip", None),
    "gzip of nothing": (gzip.compress(b""), {}, "the file is empty", None),
    "half a Parquet file": (b"PAR1\x00\x00\x00", {}, "parquet file is damaged", None),
    "half an Arrow file": (b"ARROW1\x00\x00abc", {}, "arrow file is damaged", None),
    "a damaged Arrow stream": (b"\xff\xff\xff\xff\x10", {}, "arrow stream file is damaged", None),
    "broken JSON": ('{"a": 1}\n{"a": }\n', {}, "no valid JSON", 2),
    "JSON that is no object": ('{"a": 1}\n[1, 2]\n', {}, "a JSON object is expected", 2),
    "an object inside": ('{"a": 1}\n{"a": {"b": 1}}\n', {}, "columns must be flat", 2),
    "a name twice in JSON": ('{"a": 1, "a": 2}\n', {}, "'a' occurs twice", 1),
    "an open JSON list": ('[{"a": 1},\n{"a": 2}\n', {}, "not closed", None),
    "a broken JSON list": ('[{"a": 1},\n{"a": }]', {}, "no valid JSON", 2),
    "empty JSON objects": ("{}\n{}\n", {}, "2 rows and 0 columns", None),
}


def written(tmp_path, contents):
    path = tmp_path / "train.csv"
    path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    return path


def refusal(path, **options):
    with pytest.raises(TableError) as caught:
        read_table(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message, caught.value


@pytest.mark.parametrize("name", READ)
def test_files_that_are_read(tmp_path, name):
    contents, options, columns, rows = READ[name]
    table = read_table(written(tmp_path, contents), **options)
    assert list(table.frame.columns) == columns
    if rows is not None:
        assert table.frame.to_numpy().tolist() == rows
    assert all("\n" not in note for note in table.notes)


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_refused(tmp_path, name):
    contents, options, part, line = REFUSED[name]
    path = written(tmp_path, contents)
    message, error = refusal(path, **options)
    assert part in message
    assert message.startswith(str(path))
    assert error.file == str(path)
    assert error.line == line
    if line is not None:
        assert f"line {line}" in message


class TestPlaces:
    def test_no_such_file(self, tmp_path):
        assert "no such file" in refusal(tmp_path / "absent.csv")[0]

    def test_a_directory(self, tmp_path):
        assert "this is a directory" in refusal(tmp_path)[0]

    def test_a_name_with_a_null_character(self):
        assert "cannot be read" in refusal("a\0b.csv")[0]

    def test_no_permission(self, tmp_path, monkeypatch):
        path = written(tmp_path, PLAIN)
        path.chmod(0)
        if os.access(path, os.R_OK):
            # The superuser may read everything.
            monkeypatch.setattr(type(path), "read_bytes", lambda self: _raise(PermissionError()))
        assert "no permission" in refusal(path)[0]

    def test_a_device_that_fails(self, tmp_path, monkeypatch):
        path = written(tmp_path, PLAIN)
        failure = OSError(5, "Input/output error")
        monkeypatch.setattr(type(path), "read_bytes", lambda self: _raise(failure))
        assert "cannot be read: Input/output error" in refusal(path)[0]

    def test_standard_input(self, monkeypatch):
        class Terminal:
            buffer = io.BytesIO(PLAIN.encode())

        monkeypatch.setattr(sys, "stdin", Terminal())
        assert read_table("-").frame.to_numpy().tolist() == ROWS
        Terminal.buffer = io.BytesIO(b"a,b\n1\n")
        assert refusal("-")[0].startswith("standard input, line 2: 1 field")

    def test_buffers(self):
        assert read_table(io.StringIO("\ufeff" + PLAIN)).frame.to_numpy().tolist() == ROWS
        assert read_table(io.BytesIO(PLAIN.encode())).frame.to_numpy().tolist() == ROWS

    def test_other_objects(self):
        with pytest.raises(TypeError, match="Expected a path"):
            read_table(5)


class TestBinary:
    @pytest.fixture
    def frame(self):
        return pd.DataFrame(
            {
                "id": pd.array([1, None], dtype="Int64"),
                "label": ["a|b", None],
                "tags": [["x", "y"], ["x"]],
                "x": [0.5, 1.5],
            }
        )

    @pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".csv"])
    @pytest.mark.parametrize("kind", ["parquet", "feather"])
    def test_the_contents_say_the_format(self, tmp_path, frame, kind, suffix):
        path = tmp_path / f"table{suffix}"
        getattr(frame, f"to_{kind}")(path)
        found = read_table(path)
        assert list(found.frame.columns) == ["id", "label", "tags", "x"]
        # Integers beside missing values stay integers.
        assert found.frame["id"].tolist()[0] == 1
        assert isinstance(found.frame["id"].tolist()[0], int)
        assert found.frame["x"].tolist() == [0.5, 1.5]
        assert found.source.where(1, "x") == f"{path}, row 1, column 'x'"

    def test_arrow_streams_and_packed_files(self, tmp_path, frame):
        import pyarrow as pa

        table = pa.Table.from_pandas(frame)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        data = sink.getvalue().to_pybytes()
        assert len(read_table(io.BytesIO(data)).frame) == 2
        assert len(read_table(io.BytesIO(gzip.compress(data))).frame) == 2

    def test_an_index_is_a_column(self, tmp_path):
        path = tmp_path / "table.parquet"
        frame = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index(["a", "b"], name="key"))
        frame.to_parquet(path)
        assert sorted(read_table(path).frame.columns) == ["key", "x"]

    def test_no_rows(self, tmp_path):
        path = tmp_path / "table.parquet"
        pd.DataFrame({"x": np.zeros(0)}).to_parquet(path)
        assert "there are 0 rows and 1 columns" in refusal(path)[0]

    def test_a_name_twice(self, tmp_path):
        import pyarrow as pa
        from pyarrow import parquet

        path = tmp_path / "table.parquet"
        parquet.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
        message, error = refusal(path)
        assert "columns 1 and 2 have the same name" in message
        assert error.column == "a"


class TestNotes:
    def test_the_guessed_encoding_is_said(self, tmp_path):
        path = written(tmp_path, "a,b\nx,y\n1,é\n".encode("latin-1"))
        (note,) = read_table(path).notes
        assert note.startswith(f"Not UTF-8 (first at {path}, line 3); read as cp1252")

    def test_skipped_lines_and_names(self, tmp_path):
        assert read_table(written(tmp_path, "a,b\n\n1,2\n")).notes == ("1 blank line was skipped.",)
        (note,) = read_table(written(tmp_path, ",b\n1,2\n")).notes
        assert note == "Column 1 has no name; it is called 'column 1'."

    def test_lines_of_rows(self, tmp_path):
        table = read_table(written(tmp_path, 'a,b\n\n1,"x\n\ny"\n2,z\n'))
        assert table.source.lines.tolist() == [3, 6]
        lines = json.dumps({"a": 1}) + "\n\n" + json.dumps({"a": 2}) + "\n"
        assert read_table(written(tmp_path, lines)).source.lines.tolist() == [1, 3]
        listed = '[{"a": 1},\n\n {"a": 2}, {"a": 3}\n]'
        assert read_table(written(tmp_path, listed)).source.lines.tolist() == [1, 3, 3]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_guessed_beside_others(separator):
    text = separator.join(["a", "b", "c"]) + "\n"
    other = "," if separator != "," else ";"
    text += separator.join([f"x{other}y", "2", f"3{other}5"]) + "\n"
    assert guessed_separator(text) == separator


def test_a_file_over_the_memory_is_refused(tmp_path, monkeypatch):
    from disambig import memory
    from disambig.exceptions import MemoryBudgetError

    monkeypatch.setattr(memory, "free_bytes", lambda: 10)
    with pytest.raises(MemoryBudgetError, match=r"The file train\.csv would take"):
        read_table(written(tmp_path, PLAIN))


def _raise(error):
    raise error


def arrow_texts():
    """The bytes of an Arrow file with texts, and where their offsets begin."""
    column = pa.array(["cat", "dog", "cow"])
    table = pa.table({"label": column})
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, table.schema) as stream:
        stream.write_table(table)
    data = buffer.getvalue()
    offsets = np.array([0, 3, 6, 9], dtype="<i4").tobytes()
    return data, data.index(offsets)


def test_offsets_of_an_arrow_file_that_are_outside_of_it():
    data, place = arrow_texts()
    assert read_table(io.BytesIO(data)).frame["label"].tolist() == ["cat", "dog", "cow"]
    damaged = data[: place + 8] + np.array([10**8], dtype="<i4").tobytes() + data[place + 12 :]
    with pytest.raises(TableError, match="the arrow file is damaged or incomplete"):
        read_table(io.BytesIO(damaged))


def test_texts_of_an_arrow_file_that_are_no_unicode():
    data, _ = arrow_texts()
    with pytest.raises(TableError, match=r"the arrow file is damaged or incomplete: .*UTF8"):
        read_table(io.BytesIO(data.replace(b"catdogcow", b"ca\xffdogcow")))


def test_an_encoding_that_cannot_replace_what_it_does_not_know():
    with pytest.raises(TableError, match=r"is not valid in idna\. Pass another encoding"):
        read_table(io.BytesIO(b"a,b\n1,\xfe2\n"), encoding="idna")
