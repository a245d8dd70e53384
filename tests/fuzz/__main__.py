"""``python -m tests.fuzz --n 10000 --seed 0``: run generated bad inputs, print what failed."""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from tests.fuzz.processes import outcomes
from tests.fuzz.running import GROUPS, Outcome, group_of, run

# Failures of one place that are listed by number.
_SHOWN = 6


def _show(every: list[Outcome], seed: int, seconds: float) -> int:
    """Print failures by place and message, then one line for all; return how many failed."""
    failures = defaultdict(list)
    for outcome in every:
        if outcome.ending == "failed":
            # Numbers in a message differ from case to case.
            key = "".join("0" if sign.isdigit() else sign for sign in outcome.message)[:70]
            failures[outcome.place, key].append(outcome)
    for (place, _), found in sorted(failures.items(), key=lambda entry: -len(entry[1])):
        numbers = ", ".join(str(outcome.number) for outcome in found[:_SHOWN])
        print(f"{len(found):4d} x {place}\n       {found[0].message}\n       cases {numbers}")
    endings = Counter(outcome.ending for outcome in every)
    groups = Counter(outcome.group for outcome in every)
    print("groups: " + ", ".join(f"{name} {groups[name]}" for name in GROUPS))
    print(
        f"seed {seed}: {len(every)} cases in {seconds:.0f} s: {endings['result']} results, "
        f"{endings['refused']} refused by our own errors, {endings['failed']} failed at "
        f"{len(failures)} places"
    )
    return endings["failed"]


def _repeat(seed: int, number: int, folder: Path) -> int:
    outcome = run(seed, number, folder)
    print(f"case {number} of seed {seed}, {outcome.group}: {outcome.ending}")
    for note in outcome.notes:
        print(f"  {note}")
    print(outcome.trace or outcome.message)
    return int(outcome.ending == "failed")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--n", type=int, default=10_000, help="how many cases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--only", type=int, help="run a single case, and show its traceback")
    parser.add_argument("--group", choices=sorted(GROUPS), help="run the cases of one group only")
    options: Any = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if options.only is not None:
            return _repeat(options.seed, options.only, Path(folder))
        numbers = [
            number for number in range(options.n) if options.group in (None, group_of(number))
        ]
        began = time.perf_counter()
        found = list(outcomes(options.seed, numbers, max(1, options.jobs), Path(folder)))
        return int(_show(found, options.seed, time.perf_counter() - began) > 0)


if __name__ == "__main__":
    sys.exit(main())
