"""Check that two source trees fit and predict the same, bit for bit, on fifty problems.

    git worktree add /tmp/before v0.1.0
    python -m benchmarks.trees.compare /tmp/before/src src

Both run in the same environment with one thread, so every difference comes from the code.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

PROBLEMS = Path(__file__).with_name("problems.py")


def results_of(source: Path) -> dict[str, dict[str, str]]:
    """Checksums by problem and attribute, computed with the package below `source`."""
    environment = {**os.environ, "PYTHONPATH": str(source.resolve()), "OMP_NUM_THREADS": "1"}
    environment |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, str(PROBLEMS)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    results: dict[str, dict[str, str]] = json.loads(done.stdout)
    return results


def differences(old: dict[str, dict[str, str]], new: dict[str, dict[str, str]]) -> list[str]:
    """One line for each attribute that only one tree has, or that differs."""
    lines = [f"{name}: only in one tree" for name in sorted(old.keys() ^ new.keys())]
    for name in (name for name in old if name in new):
        for attribute in {**old[name], **new[name]}:
            before, after = old[name].get(attribute), new[name].get(attribute)
            if before != after:
                what = "differs" if before and after else "is gone" if before else "is new"
                lines.append(f"{name}: {attribute} {what}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, help="folder that contains the package `disambig`")
    parser.add_argument("new", type=Path)
    arguments = parser.parse_args()
    old, new = results_of(arguments.old), results_of(arguments.new)
    found = differences(old, new)
    for line in found:
        print(line)
    compared = sum(len(old[name].keys() & new[name].keys()) for name in old.keys() & new.keys())
    print(f"{len(old)} problems, {compared} results compared, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
