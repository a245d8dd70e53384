"""What each choice of the default contributes: variants with one choice left out or replaced.

`PartialLabelClassifier()` is compared with variants of it (`choices_variants.py`) on data that the
accuracy benchmark does not use: iris, wine, two synthetic data sets and, if DISAMBIG_DATA has a
folder ``labelranking``, authorship (the class is the item ranked first). Their labels are corrupted
in five ways at the levels .3, .7 and .9, one draw each. At most 400 rows, and at most 70 %, are
fitted, and at most 600 of the others tested; inputs are standardised by the rows that are fitted.

The default was designed with these data sets. The table says what each choice is worth there, and
not how good the default is on unseen data; `benchmarks.accuracy` does that.

CPU seconds on one thread include choice, fit and prediction. Variants that start from the labels or
the trials of the default include its fit. Results are stored in ``benchmarks/.cache``: after an
interruption, a run continues from there. Everything takes some 30 CPU minutes.

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
# With fewer informative rows, `PartialLabelClassifier` does not choose by hidden sets.
MIN_INFORMATIVE_ROWS = 30

# Outcomes by problem, then by variant.
Found = Mapping[str, Mapping[str, Outcome]]


def table(found: Found) -> str:
    """Means over the problems, and mean differences to the default."""
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
    n_unchosen = sum(
        np.count_nonzero(~problem.split().train[1].all(axis=1)) < MIN_INFORMATIVE_ROWS
        for problem in tried
    )
    data = ", ".join(dict.fromkeys(problem.data for problem in tried))
    return "\n\n".join(
        [
            "## What the default is made of",
            f"`PartialLabelClassifier()` and variants of it on {len(tried)} problems: {data}, "
            f"corrupted in five ways at the levels {', '.join(f'{v:g}' for v in LEVELS)}. These "
            "sets were looked at while the default was designed. Differences are problem by "
            "problem, ± their standard error over the problems, which share data sets and are not "
            f"independent. Problems in which fewer than {MIN_INFORMATIVE_ROWS} rows exclude a "
            f"class, so that nothing is chosen: {n_unchosen}. "
            f'*Plain* is "{PLAIN}", *one variant* "{ONE_VARIANT}".',
            provenance("python -m benchmarks.choices --write", seeds=f"{SEED}")
            + "\n- Threads: 1; mean CPU seconds of a problem, choice included",
            table(found),
        ]
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choices")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--jobs", type=int, default=1, help="parallel processes")
    parser.add_argument("--fresh", action="store_true", help="run everything again")
    parser.add_argument("--record", type=Path, default=RECORD, help="file of the stored outcomes")
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
