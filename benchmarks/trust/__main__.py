"""Confidence, prediction sets and their promises beside the truth, and what they cost.

- labels: AUROC and calibration of the confidence in recovered labels, before and after answers;
- coverage: how often prediction sets keep their promise;
- acceptance: how often more of the accepted labels are wrong than was promised;
- cost: CPU seconds of the judgement by hidden sets, beside those of the fit;
- kinds: the confidence in numbers, orders and bits;
- suspects: rows whose set misses the truth, and false alarms among them.

The truth is used for scores and as simulated answers only. Real sets are read from DISAMBIG_DATA.
Outcomes are kept in ``benchmarks/.cache``: after an interruption, a run continues from there.

    python -m benchmarks.trust [part ...] [--write]
"""

import argparse
from collections.abc import Callable

from benchmarks.results import write_section
from benchmarks.trust import acceptance, cost, coverage, kinds, labels, suspects

PARTS: dict[str, Callable[[str], str]] = {
    "labels": labels.report,
    "coverage": coverage.report,
    "acceptance": acceptance.report,
    "cost": cost.report,
    "kinds": kinds.report,
    "suspects": suspects.report,
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--write", action="store_true", help="write the sections of RESULTS.md")
    options = parser.parse_args(arguments)
    for name in options.parts or PARTS:
        text = PARTS[name](f"python -m benchmarks.trust {name} --write")
        if options.write:
            write_section(f"trust-{name}", text)
        else:
            print(text)


if __name__ == "__main__":
    main()
