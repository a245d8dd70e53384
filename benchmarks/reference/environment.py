"""A virtual environment with the authors' wheel, built once, with a file that lists its content."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FOLDER", "Environment", "EnvironmentMissingError", "build", "find", "find_or_build"]

FOLDER = Path(__file__).resolve().parents[2] / ".venv-reference"
PYTHON_VARIABLE = "DISAMBIG_REFERENCE_PYTHON"

# The wheel uses `np.float`, which numpy 1.24 removed; numba 0.58 needs a newer numpy.
_PINNED = ("numpy==1.23.5", "numba==0.57.1", "scipy==1.10.1", "scikit-learn==1.2.2")
# Installed without dependencies, because it requires packages that only its figures need.
_WHEEL = ("plasp==1.0.0",)
# Each is needed by one of its modules; the others work without it.
_OPTIONAL = {
    "dataloader": (("requests",), ("liac-arff==2.5.0", "scikit-multilearn==0.2.0")),
    "ranking": (("cplex",), ()),
}
# All pinned packages have wheels for these versions, and `runner.py` works with the oldest.
_MIN_PYTHON, _MAX_PYTHON = (3, 9), (3, 11)
_STAMP = "reference.json"
_MAX_SECONDS = 1800


class EnvironmentMissingError(RuntimeError):
    """The environment does not exist and cannot be built; the message says why and what to do."""


@dataclass(frozen=True)
class Environment:
    """An interpreter that can import the authors' modules.

    Attributes
    ----------
    python : Path
    optional : tuple of str
        Optional parts that were installed: "dataloader", "ranking".
    missing : dict
        Optional parts that were not, with the reason.
    """

    python: Path
    optional: tuple[str, ...]
    missing: dict[str, str]

    def describe(self) -> str:
        """One line for reports."""
        parts = [f"with {part}" for part in self.optional]
        parts += [f"without {part} ({why})" for part, why in self.missing.items()]
        return "; ".join([", ".join([*_WHEEL, *_PINNED]), *parts])


def find(folder: Path = FOLDER) -> Environment | None:
    """The environment in `folder`, if it is complete and has the packages of this version."""
    python = _python_in(folder)
    try:
        stamp = json.loads((folder / _STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(stamp, dict) or stamp.get("requirements") != _requirements():
        return None
    if not python.exists():
        return None
    return Environment(python, tuple(stamp["optional"]), dict(stamp["missing"]))


def find_or_build(folder: Path = FOLDER, *, base: str | None = None) -> Environment:
    """The environment in `folder`, built if needed; may raise `EnvironmentMissingError`."""
    return find(folder) or build(folder, base=base)


def build(folder: Path = FOLDER, *, base: str | None = None) -> Environment:
    """Build the environment.

    Parameters
    ----------
    folder : Path
        Created, or replaced if it is a virtual environment; any other folder raises an error.
    base : str, optional
        The interpreter to build on; by default the variable DISAMBIG_REFERENCE_PYTHON, this
        interpreter, or one on the path, whichever is the first with a suitable version.
    """
    interpreter = _base_interpreter(base)
    if folder.exists():
        if not (folder / "pyvenv.cfg").exists():
            raise EnvironmentMissingError(
                f"Reference environment: {folder.name} exists and is not a virtual environment. "
                "Move it away, then build again."
            )
        shutil.rmtree(folder)
    _run([interpreter, "-m", "venv", str(folder)], "making a virtual environment")
    python = _python_in(folder)
    # Only wheels: compiling these from source takes long, and errors come late.
    _install(python, _PINNED, "--only-binary=:all:")
    _install(python, _WHEEL, "--no-deps")
    _run([str(python), "-I", "-c", "import problems.classification, weights"], "importing plasp")
    missing = {}
    for part, (plain, bare) in _OPTIONAL.items():
        try:
            _install(python, plain, "--only-binary=:all:")
            _install(python, bare, "--no-deps")
        except EnvironmentMissingError as error:
            missing[part] = str(error)
    optional = [part for part in _OPTIONAL if part not in missing]
    stamp = {"requirements": _requirements(), "optional": optional, "missing": missing}
    # Written last, so that an interrupted build is not used.
    (folder / _STAMP).write_text(json.dumps(stamp, indent=1), encoding="utf-8")
    return Environment(python, tuple(optional), missing)


def _requirements() -> list[str]:
    bare = [name for parts in _OPTIONAL.values() for group in parts for name in group]
    return [*_PINNED, *_WHEEL, *bare]


def _python_in(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _base_interpreter(wanted: str | None) -> str:
    """The first interpreter with a suitable version."""
    wanted = wanted or os.environ.get(PYTHON_VARIABLE)
    names = [wanted] if wanted else [sys.executable, *_names_on_the_path()]
    seen = []
    for name in names:
        found = _version_of(name)
        if found is not None and _MIN_PYTHON <= found <= _MAX_PYTHON:
            return name
        seen.append(f"{name} is {'.'.join(map(str, found)) if found else 'not a Python'}")
    raise EnvironmentMissingError(
        f"Reference environment: plasp needs Python {_dotted(_MIN_PYTHON)} to "
        f"{_dotted(_MAX_PYTHON)} (its "
        f"numpy has no wheels for others); {'; '.join(seen)}. Install such a version, or set "
        f"{PYTHON_VARIABLE}=/path/to/python3.11."
    )


def _names_on_the_path() -> Iterable[str]:
    for minor in range(_MAX_PYTHON[1], _MIN_PYTHON[1] - 1, -1):
        if shutil.which(f"python3.{minor}"):
            yield f"python3.{minor}"


def _version_of(interpreter: str) -> tuple[int, int] | None:
    code = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run(
            [interpreter, "-c", code], capture_output=True, text=True, check=True, timeout=60
        )
        major, minor = done.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def _install(python: Path, requirements: Sequence[str], *options: str) -> None:
    if requirements:
        command = [str(python), "-m", "pip", "install", "--quiet", *options, *requirements]
        _run(command, f"installing {' '.join(requirements)}")


def _run(command: Sequence[str], purpose: str) -> None:
    try:
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=_MAX_SECONDS)
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or error.stdout or "").strip().splitlines()
        errors = [line for line in lines if "error" in line.lower()] or lines[-1:] or ["no message"]
        reason = errors[-1].strip()
    except subprocess.TimeoutExpired:
        reason = f"nothing after {_MAX_SECONDS} s"
    except OSError as error:
        reason = str(error)
    else:
        return
    raise EnvironmentMissingError(
        f"Reference environment: {purpose} failed ({reason}). It needs a package registry with "
        "wheels for this system; the benchmarks run without it and say so."
    )
