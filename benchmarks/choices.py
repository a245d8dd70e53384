"""What the default is made of: each of its choices left out or replaced, one at a time.

`PartialLabelClassifier()` beside variants of it (`choices_variants.py`), on data that the accuracy
benchmark does not use: iris, wine, two synthetic sets and, where DISAMBIG_DATA has a folder
``labelranking``, authorship (the class is the item ranked first). Their labels are corrupted in
five ways at the levels .3, .7 and .9, one draw each. At most 400 rows, and at most 70 %, are
fitted, at most 600 of the others tested; inputs are standardised by the rows that are fitted.

The default was designed with a look at these very sets: the table says what each choice is worth
there, and not how the default does on data never seen, which is `benchmarks.accuracy`'s.

CPU seconds on one thread hold choice, fit and prediction. Variants that begin with the labels or
the trials of the default are charged its fit. What has been run is kept in ``benchmarks/.cache``:
a run that was interrupted goes on where it was. All of it takes some 30 CPU minutes.

    python -m benchmarks.choices [--write] [--jobs N] [--fresh]
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from benchmarks.accuracy.selection import Outcome
from benchmarks.choices_problems import LEVELS, SEED, Corrupted, problems
from benchmarks.choices_running import run_problem
from benchmarks.choices_variants import DEFAULT, ONE_VARIANT, PLAIN
from benchmarks.results import provenance, write_section

RECORD = Path(__file__).resolve().parent / ".cache" / "choices.jsonl"
# With fewer rows that exclude a class nothing is chosen (`PartialLabelClassifier`).
FEWEST = 30

# By problem, then by variant.
Found = Mapping[str, Mapping[str, Outcome]]


def table(found: Found) -> str:
    """Means over the problems, and the differences to the default, problem by problem."""
    names = list(next(iter(found.values())))
    accuracy, recovered, seconds = (
        np.array([[getattr(row[name], value) for name in names] for row in found.values()])
        for value in ("accuracy", "recovered", "seconds")
    )
    spent = dict(zip(names, seconds.mean(axis=0).tolist(), strict=True))
    head = ["variant", "test accuracy", "minus default", "better / worse on", "recovered"]
    head += ["CPU seconds", "× plain", "× one variant"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for place, name in enumerate(names):
        gains = accuracy[:, place] - accuracy[:, names.index(DEFAULT)]
        error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.nan
        cells = [name, f"{accuracy[:, place].mean():.3f}"]
        if name == DEFAULT:
            cells += ["–", "–"]
        else:
            cells += [f"{gains.mean():+.3f} ± {error:.3f}"]
            cells += [f"{np.sum(gains > 0)} / {np.sum(gains < 0)}"]
        cells += [f"{recovered[:, place].mean():.3f}", f"{spent[name]:.3f}"]
        cells += [f"{spent[name] / spent[base]:.1f}" for base in (PLAIN, ONE_VARIANT)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def report(tried: Sequence[Corrupted], found: Found) -> str:
    """The section as Markdown."""
    silent = sum(
        np.count_nonzero(~problem.split().train[1].all(axis=1)) < FEWEST for problem in tried
    )
    data = ", ".join(dict.fromkeys(problem.data for problem in tried))
    return "\n\n".join(
        [
            "## What the default is made of",
            f"`PartialLabelClassifier()` and variants of it on {len(tried)} problems: {data}, "
            f"corrupted in five ways at the levels {', '.join(f'{v:g}' for v in LEVELS)}. These "
            "sets were looked at while the default was designed. Differences are problem by "
            "problem, ± their standard error over the problems, which share data sets and are not "
            f"independent. Problems in which fewer than {FEWEST} rows exclude a class, so that "
            f'nothing is chosen: {silent}. *Plain* is "{PLAIN}", *one variant* "{ONE_VARIANT}".',
            provenance("python -m benchmarks.choices --write", seeds=f"{SEED}")
            + "\n- Threads: 1; mean CPU seconds of a problem, choice included",
            table(found),
        ]
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choices")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument("--fresh", action="store_true", help="run everything anew")
    parser.add_argument("--record", type=Path, default=RECORD, help="where outcomes are kept")
    options = parser.parse_args(arguments)
    tried = problems()
    rows: list[dict[str, Outcome]] = Parallel(n_jobs=options.jobs)(
        delayed(run_problem)(problem, options.record, options.fresh) for problem in tried
    )
    found = {problem.name: row for problem, row in zip(tried, rows, strict=True)}
    text = report(tried, found)
    if options.write:
        write_section("choices", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
