"""How often alternating minimisation finds the global optimum, by start.

Problems of up to seven rows and four classes, six kinds of weightings and nine losses in turn; the
optimum is found by trying every labelling. The results do not depend on the machine.

    python -m benchmarks.optimality [--problems N] [--seed S] [--quick] [--write]
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from tests.oracles.optimality import STARTS, outcomes
from tests.oracles.tiny_problems import WEIGHTINGS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "mathematics" / "optimality.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
ALL_VOTES = "all together"


def table(n_problems: int, seed: int) -> str:
    """Share of problems solved and mean gap, a row for each weighting, a column for each start."""
    shares: dict[tuple[str, str], list[bool]] = defaultdict(list)
    gaps: dict[tuple[str, str], list[float]] = defaultdict(list)
    for outcome in outcomes(range(seed, seed + n_problems)):
        for row in (outcome.tiny.weighting, ALL_VOTES):
            shares[row, outcome.start].append(outcome.solved)
            gaps[row, outcome.start].append(outcome.gap)
    head = ["votes", "problems", *(f"{start}: solved, gap" for start in STARTS)]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for row in (*WEIGHTINGS, ALL_VOTES):
        cells = [row, str(len(shares[row, next(iter(STARTS))]))]
        for start in STARTS:
            solved = np.array(shares[row, start])
            gap = np.array(gaps[row, start])
            # Problems are independent, so the standard error is that of a mean.
            errors = [values.std(ddof=1) / np.sqrt(values.size) for values in (solved, gap)]
            cells.append(
                f"{100 * solved.mean():.1f} ± {100 * errors[0]:.1f} %, "
                f"{gap.mean():.3f} ± {errors[1]:.3f}"
            )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write(body: str, command: str) -> None:
    """Write the table and its command between the markers of the page."""
    text = PAGE.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"{PAGE.name}: expected {BEGIN} and {END} once each.")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n`{command}`\n\n{body}\n{END}{after}", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--problems", type=int, default=5400, help="seeds to draw problems from")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--quick", action="store_true", help="540 problems")
    parser.add_argument("--write", action="store_true", help="write the table of the page")
    options = parser.parse_args(arguments)
    n_problems = 540 if options.quick else options.problems
    if n_problems < 2 * len(WEIGHTINGS):
        parser.error(f"--problems {n_problems}: give at least {2 * len(WEIGHTINGS)}")
    body = table(n_problems, options.seed)
    print(body)
    if options.write:
        command = f"python -m benchmarks.optimality --problems {n_problems} --seed {options.seed}"
        write(body, f"{command} --write")


if __name__ == "__main__":
    main()
