"""The shape of source trees in one table: files, lines, imports, public names, a default fit.

    python -m benchmarks.trees.layout /tmp/before/src src

Each argument is a folder that contains the package `disambig`. Lines are counted as `wc -l` does;
code lines leave out blank lines, comments and docstrings. A default fit is traced by Python's own
profiler hook: files and functions of the package that ran, and the deepest stack of them.
"""

import argparse
import ast
import json
import os
import statistics
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

from benchmarks.results import provenance, write_section

IGNORED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
TRACE = """
import json, os, sys, warnings
import numpy as np
from sklearn.datasets import load_iris
import disambig
X, truth = load_iris(return_X_y=True)
rng = np.random.default_rng(0)
sets = np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(150, 3)) < 0.4)
ends = np.column_stack([X[:, 3] - rng.uniform(0, 1, 150), X[:, 3] + rng.uniform(0, 1, 150)])
ranks = np.argsort(np.argsort(-X, axis=1), axis=1).astype(float)
ranks[rng.uniform(size=ranks.shape) < 0.4] = np.nan
problems = {
    "PartialLabelClassifier": (disambig.PartialLabelClassifier(), sets),
    "IntervalRegressor": (disambig.IntervalRegressor(), ends),
    "PartialRanker": (disambig.PartialRanker(), ranks),
}
root = os.path.dirname(disambig.__file__)
found = {}
for name, (model, y) in problems.items():
    files, functions, depth = set(), set(), 0
    def hook(frame, event, argument):
        global depth
        if event != "call" or not frame.f_code.co_filename.startswith(root):
            return
        files.add(frame.f_code.co_filename)
        functions.add((frame.f_code.co_filename, frame.f_code.co_qualname))
        here, count = frame, 0
        while here is not None:
            count += here.f_code.co_filename.startswith(root)
            here = here.f_back
        depth = max(depth, count)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        type(model)().fit(X, y)
        sys.setprofile(hook)
        try:
            model.fit(X, y)
        finally:
            sys.setprofile(None)
    names = sorted(os.path.relpath(file, root) for file in files)
    found[name] = [names, len(functions), depth]
print(json.dumps(found))
"""


def traced_fits(source: Path) -> dict[str, tuple[list[str], int, int]]:
    """For each default fit of a tree: files that it passes through, functions, deepest stack."""
    environment = {**os.environ, "PYTHONPATH": str(source.resolve()), "PYTHONSAFEPATH": "1"}
    output = subprocess.check_output([sys.executable, "-c", TRACE], env=environment, text=True)
    return {name: tuple(fit) for name, fit in json.loads(output).items()}


def code_lines(path: Path) -> int:
    """Lines with code on them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            docstrings |= set(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    lines = set()
    with tokenize.open(path) as stream:
        for token in tokenize.generate_tokens(stream.readline):
            if token.type not in IGNORED:
                lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def import_lines(path: Path) -> int:
    """Lines of imports and of ``__all__``."""
    count = 0
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        is_names = isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        )
        if isinstance(node, (ast.Import, ast.ImportFrom)) or is_names:
            count += (node.end_lineno or node.lineno) - node.lineno + 1
    return count


def modules_with_one_importer(source: Path, files: list[Path]) -> float:
    """Share of the modules that exactly one other module of the package imports."""
    names = {".".join(path.relative_to(source).with_suffix("").parts): path for path in files}
    importers: Counter[str] = Counter()
    for path in files:
        targets = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                targets |= {node.module, *(f"{node.module}.{a.name}" for a in node.names)}
            elif isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
        importers.update(name for name in targets if name in names and names[name] != path)
    modules = [name for name, path in names.items() if path.name != "__init__.py"]
    return sum(importers[name] == 1 for name in modules) / len(modules)


def public_names(source: Path) -> int:
    """Names that ``__all__`` of the package and of its packages without underscore lists."""
    names = set()
    for path in (source / "disambig").rglob("__init__.py"):
        parts = path.relative_to(source).parts[:-1]
        if any(part.startswith("_") for part in parts):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names |= {(".".join(parts), name) for name in ast.literal_eval(node.value)}
    return len({name for _, name in names})


def measure(source: Path) -> dict[str, str]:
    """All rows of the table for one tree."""
    files = sorted((source / "disambig").rglob("*.py"))
    lengths = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    code = sum(map(code_lines, files))
    folders = Counter(path.parent for path in files)
    biggest, count = folders.most_common(1)[0]
    rows = {
        "files": f"{len(files)}",
        "lines": f"{sum(lengths):,}",
        "lines of code": f"{code:,}",
        "lines a file: median, 90 %, largest": f"{statistics.median(lengths):.0f}, "
        f"{lengths[int(0.9 * len(lengths))]}, {lengths[-1]}",
        "largest folder": f"{count} files ({biggest.relative_to(source)})",
        "imports and `__all__`, share of the code": f"{sum(map(import_lines, files)) / code:.1%}",
        "modules with exactly one importer": f"{modules_with_one_importer(source, files):.0%}",
        "names in some `__all__`": f"{public_names(source)}",
    }
    for name, (passed, n_functions, depth) in traced_fits(source).items():
        rows[f"`{name}().fit`: files, functions, depth"] = f"{len(passed)}, {n_functions}, {depth}"
    return rows


def table(sources: list[Path], names: list[str]) -> str:
    """The trees side by side, in Markdown."""
    columns = [measure(source) for source in sources]
    lines = ["| | " + " | ".join(names) + " |", "|---" * (len(sources) + 1) + "|"]
    lines += [
        f"| {row} | " + " | ".join(column[row] for column in columns) + " |" for row in columns[0]
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="+", type=Path, help="folder that holds `disambig`")
    parser.add_argument("--names", nargs="+", help="what the columns are called")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    options = parser.parse_args()
    names = options.names or [str(source) for source in options.source]
    text = table(options.source, names)
    if options.write:
        command = "python -m benchmarks.trees.layout BEFORE/src src --names before now --write"
        facts = provenance(command, seeds="0 for the traced fits")
        write_section("layout", f"## The layout of the package\n\n{text}\n\n{facts}")
    print(text)


if __name__ == "__main__":
    main()
