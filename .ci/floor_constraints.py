"""Print the oldest versions that pyproject.toml promises, as constraints for pip.

Every ``name>=version`` among the dependencies and the extras for users becomes ``name==version``;
the tools in `test`, `lint`, `bench` and `docs` stay free.
"""

import re
import tomllib
from pathlib import Path

TOOLS = {"test", "lint", "bench", "docs"}
# What an old release could not know: matplotlib 3.8 calls names that pyparsing 3.3 deprecates.
CONTEMPORARIES = ["pyparsing<3.3"]
LOWER_BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^]]*\])?>=(?P<version>[0-9.]+)")


def main() -> None:
    root = Path(__file__).resolve().parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lists = [project["dependencies"], *(extras[name] for name in extras if name not in TOOLS)]
    for requirement in sorted(item for items in lists for item in items):
        if requirement.startswith(f"{project['name']}["):
            continue
        bound = LOWER_BOUND.fullmatch(requirement)
        if bound is None:
            raise SystemExit(
                f"pyproject.toml: {requirement!r} is not of the form name>=version. "
                "Give it a lower bound, so that there is a floor to test."
            )
        print(f"{bound['name']}=={bound['version']}")
    print(*CONTEMPORARIES, sep="\n")


if __name__ == "__main__":
    main()
