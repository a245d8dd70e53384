"""Seconds of the first default fit and prediction, with an empty and with a full compiler cache.

Each default runs in a process of its own on small data, first with an empty folder as the cache of
numba, as after an installation, then with the folder that this run has filled, as in every later
process. Measured are the import, the first fit with its prediction, and the same once more in the
process. CPU seconds hardly depend on what else the machine does; wall seconds do, so the load is
given. Compilations are counted by the events of numba. The seconds of a function are CPU seconds
without those of other functions of ours that are compiled meanwhile, but with numba's own functions
that it needs. The function that is compiled first also has the start of the compiler.

    python -m benchmarks.first_use [--write]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import provenance, write_section

LIMIT = 5.0  # CPU seconds of a first use with an empty cache that are acceptable
N_ROWS, N_CLASSES, N_ITEMS, N_TAGS = 120, 3, 5, 4
N_SHOWN = 10


@dataclass(frozen=True)
class Spent:
    """Wall and CPU seconds."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} / {self.cpu:.2f}"


@dataclass(frozen=True)
class Use:
    """What one process measures; `functions` has the compile seconds of functions of ours.

    `n_foreign` counts the functions of numba that were compiled for them.
    """

    imported: Spent
    first: Spent
    again: Spent
    functions: Mapping[str, float] = field(default_factory=dict)
    n_compiled: int = 0
    n_foreign: int = 0

    @property
    def compiling(self) -> float:
        return sum(self.functions.values())

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Use":
        imported, first, again = (
            Spent(**values.pop(key)) for key in ("imported", "first", "again")
        )
        return cls(imported, first, again, **values)


class CompileClock:
    """Gives each function of `package` that is compiled its CPU seconds."""

    def __init__(self, package: str = "disambig") -> None:
        self.package = package
        self.seconds: dict[str, float] = {}
        self.n_compiled = self.n_foreign = 0
        self._open: list[str] = []
        self._last = 0.0

    def start(self, function: Callable[..., Any]) -> None:
        self._charge()
        is_ours = function.__module__.startswith(f"{self.package}.")
        self.n_compiled += is_ours
        self.n_foreign += not is_ours
        name = f"{function.__module__.removeprefix(f'{self.package}.')}.{function.__name__}"
        # Functions of numba are charged to the function that needs them.
        self._open.append(name if is_ours or not self._open else self._open[-1])

    def end(self) -> None:
        self._charge()
        self._open.pop()

    def _charge(self) -> None:
        now = time.process_time()
        if self._open:
            name = self._open[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now


def labels() -> tuple[Any, Any, Any]:
    """Three clusters; each wrong class is a candidate with probability .3."""
    from disambig import PartialLabelClassifier

    rng = np.random.default_rng(0)
    truth = np.arange(N_ROWS) % N_CLASSES
    X = rng.normal(size=(N_ROWS, 4)) + 2.0 * truth[:, None]
    mask = rng.random((N_ROWS, N_CLASSES)) < 0.3
    mask[np.arange(N_ROWS), truth] = True
    return PartialLabelClassifier(), X, mask


def numbers() -> tuple[Any, Any, Any]:
    """Intervals around a sine wave, some of them half-lines."""
    from disambig import IntervalRegressor

    rng = np.random.default_rng(0)
    X = rng.random((N_ROWS, 2))
    value = np.sin(5 * X[:, 0])
    y = value[:, None] + rng.random((N_ROWS, 2)) * [-1.0, 1.0]
    y[::4, 1] = np.inf
    return IntervalRegressor(), X, y


def orders() -> tuple[Any, Any, Any]:
    """Ranks of which a third is missing."""
    from disambig import PartialRanker

    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 3))
    scores = X @ rng.normal(size=(3, N_ITEMS))
    ranks = scores.argsort(axis=1).argsort(axis=1).astype(float)
    ranks[rng.random(ranks.shape) < 1 / 3] = np.nan
    return PartialRanker(), X, ranks


def bits() -> tuple[Any, Any, Any]:
    """Tags of which half is unknown."""
    from disambig import PartialMultilabelClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 3))
    y = (X @ rng.normal(size=(3, N_TAGS)) > 0).astype(float)
    y[rng.random(y.shape) < 0.5] = np.nan
    return PartialMultilabelClassifier(), X, y


USES: dict[str, Callable[[], tuple[Any, Any, Any]]] = {
    "PartialLabelClassifier()": labels,
    "IntervalRegressor()": numbers,
    "PartialRanker()": orders,
    "PartialMultilabelClassifier()": bits,
}


def measure(name: str) -> Use:
    """Import, fit and predict twice, in this process."""

    def timed(work: Callable[[], Any]) -> tuple[Any, Spent]:
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        return result, Spent(time.perf_counter() - wall, time.process_time() - cpu)

    (model, X, y), imported = timed(USES[name])
    # Imported here, so that the import that is measured includes numba's.
    from numba.core.event import Listener, install_listener  # words: ok

    class Listening(Listener):  # type: ignore[misc]  # words: ok
        def on_start(self, event: Any) -> None:
            clock.start(event.data["dispatcher"].py_func)

        def on_end(self, event: Any) -> None:
            del event
            clock.end()

    clock = CompileClock()
    with install_listener("numba:compile", Listening()):  # words: ok
        _, first = timed(lambda: model.fit(X, y).predict(X))
    _, again = timed(lambda: model.fit(X, y).predict(X))
    return Use(imported, first, again, clock.seconds, clock.n_compiled, clock.n_foreign)


def measure_in_process(name: str, folder: Path) -> Use:
    """`measure` in a new process, with `folder` as the cache of numba and one thread."""
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {**os.environ, **limits, "NUMBA_CACHE_DIR": str(folder)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.first_use", "--child", name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The process of {name} ended with an error:\n{done.stderr}")
    return Use.from_dict(json.loads(done.stdout.splitlines()[-1]))


def both_uses(name: str) -> tuple[Use, Use]:
    """With an empty cache, and with the cache that this run has filled."""
    with tempfile.TemporaryDirectory() as folder:
        empty = measure_in_process(name, Path(folder))
        return empty, measure_in_process(name, Path(folder))


def table(found: Mapping[str, tuple[Use, Use]]) -> str:
    head = ["default", "import", "first use, empty cache", "of it compiling (CPU)", "compiled"]
    head += [f"≤ {LIMIT:g} s", "first use, full cache", "again in the process"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, (empty, full) in found.items():
        cells = [name, str(full.imported), str(empty.first), f"{empty.compiling:.2f}"]
        cells += [f"{empty.n_compiled} + {empty.n_foreign} of numba"]
        cells += ["yes" if empty.first.cpu <= LIMIT else "**no**", str(full.first), str(full.again)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def slowest(found: Mapping[str, tuple[Use, Use]]) -> str:
    """The functions that take the most CPU seconds to compile, summed over the defaults."""
    sums: dict[str, float] = {}
    for empty, _ in found.values():
        for name, seconds in empty.functions.items():
            sums[name] = sums.get(name, 0.0) + seconds
    shown = sorted(sums, key=lambda name: -sums[name])[:N_SHOWN]
    lines = ["| function | " + " | ".join(found) + " |", "|" + "---|" * (len(found) + 1)]
    for name in shown:
        values = (empty.functions.get(name) for empty, _ in found.values())
        cells = ["–" if value is None else f"{value:.2f}" for value in values]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def report(found: Mapping[str, tuple[Use, Use]]) -> str:
    """The section as Markdown."""
    load = f"{os.getloadavg()[0]:.1f} processes on {os.cpu_count()} cores (mean of the last minute)"
    return "\n\n".join(
        [
            "## First use",
            "Wall / CPU seconds of the first default fit and prediction in a new process, on "
            f"{N_ROWS} rows, with an empty and with a full compiler cache (`NUMBA_CACHE_DIR`), and "
            "of the same once more in the process with the full one. Imports are not included in "
            f"them. The limit of {LIMIT:g} s is on CPU seconds.",
            provenance("python -m benchmarks.first_use --write", seeds="0", more={"Load": load}),
            table(found),
            f"The {N_SHOWN} functions that take the most CPU seconds to compile, without other "
            "functions of ours that they call. The first function of a process includes the start "
            "of the compiler.",
            slowest(found),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_use")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--child", choices=USES, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        print(json.dumps(asdict(measure(options.child))))
        return
    text = report({name: both_uses(name) for name in USES})
    if options.write:
        write_section("first_use", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
