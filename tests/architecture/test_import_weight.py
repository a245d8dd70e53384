"""`import disambig` is fast, and a feature loads only the packages that it needs."""

import json
import subprocess
import sys

FRAME_PACKAGES = {"pandas", "polars", "pyarrow"}
TERMINAL_PACKAGES = {"matplotlib", "rich", "dask", "disambig.cli"}
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


def test_a_bare_import_loads_no_large_package() -> None:
    loaded = set(modules_after("import disambig"))
    assert "disambig" in loaded
    assert not loaded & (
        FRAME_PACKAGES | TERMINAL_PACKAGES | {"numba", "numpy", "scipy", "sklearn"}
    )


def test_the_version_loads_no_large_package() -> None:
    loaded = set(modules_after("import disambig; disambig.__version__"))
    assert not loaded & (
        FRAME_PACKAGES | TERMINAL_PACKAGES | {"numba", "numpy", "scipy", "sklearn"}
    )


def test_an_estimator_loads_no_terminal_and_no_data_frame_packages() -> None:
    loaded = modules_after("import disambig; disambig.PartialLabelClassifier")
    assert "disambig.estimators.partial_label_classifier" in loaded
    assert not set(loaded) & {"disambig.cli", "matplotlib", "dask"}

    # scikit-learn may load such a package itself (1.9 loads rich for its progress bars), which does
    # not count.
    dependencies = [
        name for name in loaded if name.partition(".")[0] in {"sklearn", "scipy", "numpy", "joblib"}
    ]
    loaded_by_dependencies = modules_after(
        "import importlib\n"
        f"for name in {dependencies!r}:\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except ImportError:\n"
        "        pass\n"  # names in sys.modules that have no file
    )
    assert set(loaded) & (FRAME_PACKAGES | TERMINAL_PACKAGES) <= set(loaded_by_dependencies)
