"""Odd files through the commands: one line, exit code 2, and nothing is written."""

import os
import subprocess
import sys

import pytest

from disambig.cli import main
from tests.table_models.tables import MAKE
from tests.tables.test_files import READ, REFUSED


@pytest.mark.parametrize("command", ["check", "fit"])
@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_refused(command, name, tmp_path, capsys):
    contents = REFUSED[name][0]
    file = tmp_path / "table.csv"
    file.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    out = ["--out", str(tmp_path / "out")] if command == "fit" else []
    assert main([command, str(file), "--target", "label", *out]) == 2
    printed = capsys.readouterr()
    lines = (printed.out if command == "check" else printed.err).splitlines()
    assert lines
    assert "table.csv" in lines[0]
    if command == "fit":
        assert len(lines) == 1
        assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("name", READ)
def test_files_that_are_read_say_what_is_missing(name, tmp_path, capsys):
    contents = READ[name][0]
    file = tmp_path / "table.csv"
    file.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    header = ["--no-header"] if READ[name][1].get("header") is False else []
    assert main(["check", str(file), "--target", "nowhere", *header]) == 2
    assert "nowhere" in capsys.readouterr().out


def test_parameters_are_named_as_options(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("7,8\n9,8\n")
    assert main(["check", str(tmp_path / "t.csv")]) == 2
    assert "Pass --no-header if" in capsys.readouterr().out
    (tmp_path / "t.csv").write_text("x,age\n1,18-25\n2,26-35\n3,36+\n")
    assert main(["check", str(tmp_path / "t.csv"), "--target", "age"]) == 2
    assert "--kind numbers" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are those of Unix")
def test_a_full_disk_leaves_nothing_behind(tmp_path):
    made = MAKE["labels"](60)
    made.frame.to_csv(tmp_path / "table.csv", index=False)
    # No file may have more than 3000 bytes: the write fails in the middle.
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "from disambig.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    arguments = ["fit", "table.csv", "--target", "label", "--weights", "neighbors", "--out", "out"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, "--quiet"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        # The cache of compiled functions could not be written either.
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr == "disambig fit: cannot write into out: File too large.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path, capsys):
    made = MAKE["labels"](60)
    made.frame.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "locked").mkdir(mode=0o500)
    out = str(tmp_path / "locked" / "out")
    assert main(["fit", str(tmp_path / "table.csv"), "--target", "label", "--out", out]) == 2
    assert "cannot make this folder" in capsys.readouterr().err
