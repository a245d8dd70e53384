"""`import disambig` is cheap, and a feature loads only what it needs."""

import json
import subprocess
import sys

FRAMES = {"pandas", "polars", "pyarrow"}
SCREEN = {"matplotlib", "rich", "dask", "disambig.cli"}
PRINT_MODULES = "import json, sys; print(json.dumps(list(sys.modules)))"


def modules_after(code: str) -> list[str]:
    """Names in `sys.modules` of a fresh interpreter that ran `code`, in the order of loading."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{PRINT_MODULES}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names: list[str] = json.loads(done.stdout.splitlines()[-1])
    return names


def test_a_bare_import_loads_nothing_heavy() -> None:
    loaded = set(modules_after("import disambig"))
    assert "disambig" in loaded
    assert not loaded & (FRAMES | SCREEN | {"numba", "numpy", "scipy", "sklearn"})


def test_the_version_loads_nothing_heavy() -> None:
    loaded = set(modules_after("import disambig; disambig.__version__"))
    assert not loaded & (FRAMES | SCREEN | {"numba", "numpy", "scipy", "sklearn"})


def test_an_estimator_loads_no_screen_and_no_frames_of_its_own() -> None:
    loaded = modules_after("import disambig; disambig.PartialLabelClassifier")
    assert "disambig.estimators.partial_label_classifier" in loaded
    assert not set(loaded) & {"disambig.cli", "matplotlib", "dask"}

    # scikit-learn may load such a library by itself (1.9 loads rich for its progress bars); only
    # what it does not load is our doing.
    neighbours = [
        name for name in loaded if name.partition(".")[0] in {"sklearn", "scipy", "numpy", "joblib"}
    ]
    theirs = modules_after(
        "import importlib\n"
        f"for name in {neighbours!r}:\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except ImportError:\n"
        "        pass\n"  # names put into sys.modules by hand, with no file behind them
    )
    assert set(loaded) & (FRAMES | SCREEN) <= set(theirs)
