"""The public face in one page: names, constructor parameters and fitted attributes.

    python -m benchmarks.trees.public_face --write

writes `docs/public_names.md`. Parameters are read from the constructors, attributes from a small
fit of each estimator with its defaults. Every difference between estimators needs a reason in
`EXPLAINED`; `tests/architecture/test_public_face.py` fails without one, or if the page is stale.
"""

import argparse
import importlib
import inspect
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import disambig
from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    StructuredPredictor,
)
from disambig.atomic import write_text_atomically

PAGE = Path(__file__).resolve().parents[2] / "docs" / "public_names.md"
PACKAGES = (
    "disambig",
    *(f"disambig.{name}" for name in disambig.__all__ if inspect.ismodule(getattr(disambig, name))),
    "disambig.exceptions",
)
ESTIMATORS: tuple[type[Any], ...] = (
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    IntervalRegressor,
    StructuredPredictor,
    DisambiguatedClassifier,
    DisambiguatedRegressor,
)
# Parameters and attributes that every estimator has.
PARAMETERS = (
    "weights",
    "loss",
    "method",
    "solver",
    "unlabeled",
    "tolerance",
    "resolve_at",
    "time_limit",
    "callback",
    "verbose",
)
ATTRIBUTES = (
    "labels_",
    "confidence_",
    "confidence_kind_",
    "decided_",
    "resolved_",
    "outside_",
    "tolerance_",
    "objective_",
    "n_iter_",
    "converged_",
    "trace_",
    "solution_",
    "trials_",
)
BY_POSITION = "by position"
MISSING = "–"

# Why estimators differ in a parameter or an attribute.
EXPLAINED = {
    BY_POSITION: "the parameter that is given most often: the model that predicts, the structured "
    "task, or the weighting.",
    # Parameters.
    "estimator": "the model that is trained on the recovered targets, and chooses them in turn.",
    "start": "an alternation begins with some targets; votes begin with all candidates.",
    "max_iter": "the rounds of an alternation; the iterations of votes are an option of `solver`.",
    "tol": "numbers may move by ever less; labels stay or change.",
    "predict_weights": "votes predict; here `estimator` predicts instead.",
    "loss": "every kind has losses of its own; the default is the usual one of its kind.",
    "classes": "labels have classes, which y need not all contain. `StructuredPredictor` takes "
    "them from `LabelSets` as y.",
    "class_shares": "labels have classes, of which each has a share; shares of tags, places and "
    "numbers are other constraints.",
    "tags": "the columns of tags have names.",
    "zero": "0 and -1 have two meanings in tables of tags, none in other kinds.",
    "implications": "only tags imply each other.",
    "tag_counts": "a row may have several tags, so that their number can be bounded.",
    "tag_frequencies": "tags may be known to be on only, or off only; then their frequency must "
    "come from elsewhere.",
    "items": "orders are orders of items.",
    "ties": "equal ranks in y exist for orders only.",
    "ranks": "the numbers in y may be an order or places, for orders only.",
    "formulation": "numbers have a second objective, the empirical risk of kernel ridge.",
    "margin": "an interval has ends to keep a distance from.",
    "missing": "an interval may lack one of its two ends: neither a target nor an unlabeled row.",
    "cv": "`IntervalRegressor` calibrates `predict_interval` on held-out folds, on request; in an "
    "alternation the models of other folds choose the targets of a row.",
    "random_state": "the folds of `cv` are shuffled; nothing else here is random.",
    "n_jobs": "the fits of `cv` are independent.",
    "undecided": "what a second model is trained on is a choice; votes keep undecided rows "
    "undecided.",
    "weight_by_confidence": "the confidence of a label is a share of votes, which is a weight; "
    "that of a number depends on a distance.",
    # Attributes.
    "classes_": "labels have classes, and scikit-learn asks classifiers for them; those of "
    "`StructuredPredictor` are in `loss_`.",
    "tags_": "see `tags`.",
    "bit_confidence_": "a row of tags has several bits to be confident of.",
    "tag_frequencies_": "see `tag_frequencies`.",
    "tag_frequencies_kind_": "see `tag_frequencies`.",
    "predictions_": "a loss on labels may predict what is no class, such as an abstention; a model "
    "that is trained on labels predicts classes.",
    "completion_": "votes need inputs without holes; `estimator` reads missing cells itself, and "
    "`disambiguator_` has its own completion.",
    "without_input_": "rows without input get no votes; `estimator` reads them as any others.",
    "label_distributions_": "a distribution over the candidates needs finitely many of them, in "
    "columns.",
    "class_shares_": "see `class_shares`.",
    "calibration_": "the probabilities of the classes have one temperature; other kinds calibrate "
    "numbers, pairs or tags.",
    "items_": "orders are orders of items.",
    "undecided_pairs_": "an order is decided pair by pair.",
    "pair_probabilities_": "the votes on an order are votes on its pairs.",
    "infimum_is_exact_": "of the model that recovers the targets (also in `disambiguator_`).",
    "average_is_exact_": "the linear extensions of a partial order cannot always be counted.",
    "span_": "numbers have a range, the unit of their distances (also in `disambiguator_`).",
    "confidence_distance_": "a number is never exactly right; within this distance it counts as "
    "right.",
    "margin_": 'see `margin`; ``weights="auto"`` may have selected it.',
    "slack_": "an interval has ends, which may be active (also in `disambiguator_`).",
    "is_convex_": "a problem of numbers may be convex; all other targets are discrete (also in "
    "`disambiguator_`).",
    "residual_": "numbers have optimality conditions that can be checked (also in "
    "`disambiguator_`).",
    "predict_weights_": "votes predict; here `estimator_` predicts instead.",
    "members_": "numbers, orders and bits can be mixed; for labels mixtures showed no gain.",
    "shares_": "see `members_`.",
    "estimator_": "the model that was trained on the recovered targets.",
    "disambiguator_": "the estimator that recovered the targets of the start.",
    "training_rows_": "`undecided` may leave rows out.",
}


def public_names(package: str) -> dict[str, str]:
    """The names of a package, with the first line of their docstrings."""
    module = importlib.import_module(package)
    found = {}
    for name in sorted(module.__all__, key=str.lower):
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing):
            foreign = not inspect.ismodule(thing) and not thing.__module__.startswith("disambig")
            text = f"`{thing.__module__}.{name}`." if foreign else thing.__doc__ or ""
        else:
            # A scorer has a docstring of its own; that of a text is the one of all texts.
            text = "The version of the package." if name == "__version__" else thing.__doc__
        found[name] = text.strip().split("\n")[0]
    return found


def parameters(estimator: type[Any]) -> dict[str, str]:
    """Constructor parameters with their defaults, and the one that is given by position."""
    found = inspect.signature(estimator).parameters.values()
    first = [p.name for p in found if p.kind is p.POSITIONAL_OR_KEYWORD]
    defaults = {p.name: f"`{p.default!r}`".replace("'", '"') for p in found}
    return {BY_POSITION: ", ".join(f"`{name}`" for name in first), **defaults}


@cache
def attributes(estimator: type[Any]) -> dict[str, str]:
    """Attributes after a fit: they end with one underscore and do not begin with one."""
    X = [[float(row)] for row in range(12)]
    sets = [{"a"}, {"a", "b"}, {"a", "c"}] * 2 + [{"b"}, {"b", "c"}, {"b"}] * 2
    intervals = [(row - 1.0, row + 1.0) for row in range(12)]
    y = {
        PartialMultilabelClassifier: [[0, 1], [None, 0], [1, None]] * 4,
        PartialRanker: ["a>b"] * 6 + ["b>a"] * 6,
        IntervalRegressor: intervals,
        DisambiguatedRegressor: intervals,
    }.get(estimator, sets)
    with warnings.catch_warnings():
        # So few rows are too few to select weights by.
        warnings.simplefilter("ignore")
        model = estimator().fit(X, y)
    names = vars(model)
    return {
        name: "yes"
        for name in names
        if name.endswith("_") and not name.endswith("__") and not name.startswith("_")
    }


def rows(columns: list[dict[str, str]]) -> dict[str, list[str]]:
    """Cells of the table by name: what all have comes first."""
    names = list(dict.fromkeys(name for column in columns for name in column))
    names.sort(key=lambda name: any(name not in column for column in columns))
    return {name: [column.get(name, MISSING) for column in columns] for name in names}


def differences(table: dict[str, list[str]]) -> list[str]:
    """Names that not all estimators have, or whose cells differ."""
    return [name for name, cells in table.items() if len(set(cells)) > 1]


def parameter_table() -> dict[str, list[str]]:
    """Parameters by estimators."""
    return rows([parameters(estimator) for estimator in ESTIMATORS])


def attribute_table() -> dict[str, list[str]]:
    """Fitted attributes by estimators."""
    return rows([attributes(estimator) for estimator in ESTIMATORS])


def _shown(name: str) -> str:
    return f"*{name}*" if name == BY_POSITION else f"`{name}`"


def _table_lines(table: dict[str, list[str]]) -> Iterator[str]:
    names = [estimator.__name__ for estimator in ESTIMATORS]
    yield "| | " + " | ".join(f"`{name}`" for name in names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    for name, cells in table.items():
        yield f"| {_shown(name)} | " + " | ".join(cells) + " |"
    yield ""
    for name in differences(table):
        yield f"- {_shown(name)}: {EXPLAINED.get(name, 'no explanation.')}"


def _name_lines(names: dict[str, str]) -> Iterator[str]:
    yield "| name | |"
    yield "|---|---|"
    for name, text in names.items():
        escaped = text.replace("|", r"\|")
        yield f"| `{name}` | {escaped} |"


def page() -> str:
    """The text of `docs/public_names.md`."""
    packages = {package: public_names(package) for package in PACKAGES}
    # Packages among the names of `disambig`, and its version, are no names to learn.
    short = {package.rpartition(".")[2] for package in PACKAGES} | {"__version__"}
    distinct = {name for names in packages.values() for name in names} - short
    lines = [
        "# Public names",
        "",
        "After this page you know every name that you can rely on, and which parameters and",
        "attributes the estimators share.",
        "",
        "`python -m benchmarks.trees.public_face --write` writes this page from the code; a test",
        "fails if it is stale. What is not listed is private: it is imported from its module and",
        "may change without a line in the changelog.",
        "",
        f"There are {len(distinct)} names in {len(packages)} modules; `disambig` also has the most",
        "used names of the others. Below them are the parameters and the attributes of the",
        "estimators, with the reason for every difference.",
        "",
    ]
    for package, names in packages.items():
        lines += [f"## `{package}`: {len(names)}", "", *_name_lines(names), ""]
    lines += ["## Parameters of the estimators", ""]
    lines += ["Defaults of the constructors; a dash where there is no such parameter.", ""]
    lines += [*_table_lines(parameter_table()), "", "## Attributes after fit", ""]
    lines += [*_table_lines(attribute_table()), ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write docs/public_names.md")
    text = page()
    if parser.parse_args().write:
        write_text_atomically(PAGE, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
