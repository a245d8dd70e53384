"""The command line as a whole: help, version, exit codes."""

import subprocess
import sys

import pytest

import disambig
from disambig.cli import main
from disambig.cli.demo import command as demo


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"disambig {disambig.__version__}\n"


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for command in ("fit", "predict", "check", "diagnose", "ask", "answer", "info", "demo"):
        assert f"    {command} " in text
    assert "disambig COMMAND --help" in text


def test_no_command_shows_the_help_and_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "demo" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dmeo"], "invalid choice: 'dmeo'"),
        (["demo", "--dataset", "mnist"], "unrecognized arguments: --dataset mnist"),
        (["fit", "x.csv"], "the following arguments are required: --out"),
        (["fit", "x.csv", "--out", "a", "--seed", "x"], "'x' is no whole number from 0 to"),
        (
            ["fit", "x.csv", "--out", "a", "--seed", str(2**32)],
            "'4294967296' is no whole number from 0 to 4294967295",
        ),
        (["ask", "a", "--n", "0"], "'0' is no whole number from 1 to 4294967295"),
    ],
)
def test_bad_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_an_interrupt_has_its_exit_code_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "run", interrupted)
    assert main(["demo"]) == 130
    assert capsys.readouterr().err == "disambig demo: interrupted\n"


def test_python_m_disambig() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "disambig", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout == f"disambig {disambig.__version__}\n"


@pytest.mark.parametrize("command", ["fit", "demo", "reproduce"])
def test_help_loads_nothing_heavy(command: str) -> None:
    code = (
        "import sys\n"
        "from disambig.cli import main\n"
        f"main(['{command}', '--help'])\n"
        "assert not {'rich', 'matplotlib', 'numpy', 'sklearn', 'numba'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
