"""Build the wheel, install it into an empty environment, and run the README's examples there."""

import re
import shlex
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
NO_FIGURES = "is not in the installed package; run 'make reproduce'"


def first_block(page: str, heading: str) -> str:
    """The first Python block below a heading, without prompts and expected output."""
    _, _, below = page.partition(f"\n## {heading}\n")
    found = re.search(r"^```(?:python|pycon)\n(.*?)^```", below, re.DOTALL | re.MULTILINE)
    if found is None:
        raise SystemExit(f"README.md has no Python block below '{heading}'.")
    lines = found.group(1).splitlines()
    if any(line.startswith(">>> ") for line in lines):
        lines = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
    return "\n".join(lines)


def commands(page: str, heading: str) -> list[list[str]]:
    """The ``disambig`` commands of the first console block below a heading, as words."""
    _, _, below = page.partition(f"\n## {heading}\n")
    found = re.search(r"^```console\n(.*?)^```", below, re.DOTALL | re.MULTILINE)
    if found is None:
        raise SystemExit(f"README.md has no console block below '{heading}'.")
    lines = (line.removeprefix("$ ") for line in found.group(1).splitlines())
    return [shlex.split(line, comments=True) for line in lines if line.startswith("disambig ")]


def main() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = [sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", name, str(ROOT)]
        subprocess.run(build, check=True)
        (wheel,) = folder.glob("disambig-*.whl")
        venv.create(folder / "empty", with_pip=True)
        scripts = folder / "empty" / ("Scripts" if sys.platform == "win32" else "bin")
        python = str(scripts / "python")
        subprocess.run([python, *PIP, "install", str(wheel)], check=True)
        alone = first_block(readme, "One minute")
        subprocess.run([python, "-c", alone], check=True, cwd=folder)
        subprocess.run([scripts / "disambig", "--version"], check=True, cwd=folder)
        done = subprocess.run(
            [scripts / "disambig", "reproduce", "--quick"],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 2 or NO_FIGURES not in done.stderr:
            raise SystemExit(f"disambig reproduce: exit code {done.returncode}: {done.stderr}")
        extras = f"{wheel}[cli,io,persist,plot,report]"
        subprocess.run([python, *PIP, "install", extras], check=True)
        for words in commands(readme, "A file in; labels and a model out"):
            subprocess.run([scripts / words[0], *words[1:]], check=True, cwd=folder)
    print("wheel: the README's examples run, alone and with the extras of the command")


if __name__ == "__main__":
    main()
