"""Run the methods of a story, unless their outcomes are kept."""

import hashlib
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import sklearn
from threadpoolctl import threadpool_limits

import disambig
from benchmarks.kept_outcomes import KeptOutcomes
from benchmarks.made_up.story import Drawn, Method, Story

__all__ = ["RECORD", "Outcome", "run_story", "source_digest"]

RECORD = Path(__file__).resolve().parents[1] / ".cache" / "stories.jsonl"


@dataclass(frozen=True)
class Outcome:
    """The score of a method on one seed, and its CPU seconds (fit and prediction)."""

    score: float
    seconds: float


@cache
def source_digest() -> str:
    """A short text that changes with the source of the library."""
    text = hashlib.sha256()
    folder = Path(disambig.__file__).resolve().parent
    for path in sorted(folder.rglob("*.py")):
        text.update(str(path.relative_to(folder)).encode())
        text.update(path.read_bytes())
    return text.hexdigest()[:12]


def run_story(
    story: Story,
    seeds: int,
    *,
    n: int | None = None,
    path: Path = RECORD,
    progress: Callable[[str], None] = print,
) -> dict[str, list[Outcome]]:
    """Outcomes by method, a list over the seeds; those that `path` lacks are computed and kept."""
    kept = KeptOutcomes(path, Outcome)
    n = story.n if n is None else n
    found: dict[str, list[Outcome]] = {method.name: [] for method in story.methods(n)}
    for seed in range(seeds):
        drawn = story.draw(seed, n)
        for method in story.methods(n):
            key = f"{story.name}|{seed}|{method.name}|{_version(method, drawn)}"
            outcome = kept.get(key)
            if outcome is None:
                outcome = run(story, method, drawn)
                kept.add(key, outcome)
                progress(
                    f"{story.name}, seed {seed}, {method.name}: "
                    f"{story.score.text(outcome.score)}, {outcome.seconds:.2f} s"
                )
                sys.stdout.flush()
            found[method.name].append(outcome)
    return found


def run(story: Story, method: Method, drawn: Drawn) -> Outcome:
    """Learn on one thread, and score."""
    with threadpool_limits(1), warnings.catch_warnings():
        # Of our default with few labels, of propagation and self-training that do not converge,
        # and of parameters of scikit-learn that will be renamed; the table shows the results.
        warnings.simplefilter("ignore")
        begun = time.process_time()
        outputs = method.learn(drawn)
        seconds = time.process_time() - begun
    return Outcome(float(story.score.of(drawn.truth, outputs)), seconds)


def _version(method: Method, drawn: Drawn) -> str:
    source = source_digest() if method.uses_disambig else f"scikit-learn {sklearn.__version__}"
    return f"{method.version}, {source}, {drawn.digest}"
