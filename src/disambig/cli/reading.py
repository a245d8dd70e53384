"""Arguments that say how a table is read, which several commands share."""

import argparse
from typing import Any

from disambig.cli.commands import Refusal

_TYPES = "number, boolean, category, text, date, 'date:%%d/%%m/%%Y' or 'number:,'"


def add_file_arguments(parser: argparse.ArgumentParser) -> None:
    """How a text file is read."""
    group = parser.add_argument_group("the file")
    group.add_argument(
        "--sep", metavar="CHAR", help="what separates the columns of a text file, or 'tab'; guessed"
    )
    group.add_argument("--encoding", metavar="NAME", help="the encoding of a text file; guessed")
    group.add_argument(
        "--no-header", dest="header", action="store_false", help="the first line has no names"
    )


def file_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `read_table`."""
    return {name: getattr(arguments, name) for name in ("sep", "encoding", "header")}


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """Which columns are what, and how the target is written."""
    columns = parser.add_argument_group("the columns")
    columns.add_argument(
        "--target",
        nargs="+",
        action="extend",
        metavar="COL",
        help="the column with the candidates, or several ('tag_*'); by default label, target, y "
        "or class",
    )
    columns.add_argument(
        "--tags",
        nargs="+",
        action="extend",
        metavar="COL",
        help="columns of tags, each yes, no or not known; instead of --target and --kind bits",
    )
    columns.add_argument("--id", metavar="COL", help="the column that names the rows")
    for name, text in (
        ("features", "columns to learn from; by default all others"),
        ("drop", "columns to leave out"),
        ("keep", "columns to learn from though they look useless"),
    ):
        columns.add_argument(f"--{name}", nargs="+", action="extend", metavar="COL", help=text)
    columns.add_argument(
        "--type",
        nargs="+",
        action="extend",
        metavar="COL=TYPE",
        help=f"the type of a feature: {_TYPES}",
    )
    target = parser.add_argument_group("the target (what is not set is guessed, and said)")
    target.add_argument("--kind", choices=("labels", "numbers", "orders", "bits"))
    target.add_argument("--separator", metavar="TEXT", help="between the labels of a set")
    target.add_argument("--path", metavar="TEXT", help="between the levels of a taxonomy")
    target.add_argument(
        "--classes", nargs="+", action="extend", metavar="NAME", help="the classes, in order"
    )
    target.add_argument("--decimal", choices=(".", ","), help="the decimal mark")
    target.add_argument("--blank", choices=("no", "unknown"), help="what a blank tag means")
    target.add_argument("--zero", choices=("absent", "unknown"), help="what 0 and -1 mean in tags")
    target.add_argument("--ranks", choices=("order", "places"), help="what rank columns mean")
    target.add_argument(
        "--missing",
        nargs="*",
        action="extend",
        metavar="WORD",
        help="more words that say nothing; none: blanks",
    )
    target.add_argument(
        "--case-sensitive", action="store_true", help="'Cat' and 'cat' are two labels"
    )
    bags = add_bag_arguments(parser)
    bags.add_argument(
        "--means",
        metavar="FILE",
        help="the mean of the numbers of each bag: CSV with bag and mean in each row, or JSON",
    )
    add_file_arguments(parser)


def add_bag_arguments(parser: argparse.ArgumentParser) -> Any:
    """Groups of rows whose class shares are known; the group of arguments."""
    bags = parser.add_argument_group("bags of rows whose class shares, or means, are known")
    bags.add_argument("--bags", metavar="COL", help="the column that names the bag of each row")
    bags.add_argument(
        "--proportions",
        metavar="FILE",
        help="the class shares of each bag: CSV with one row a bag and one column a class, or JSON",
    )
    return bags


def bag_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """``bags``, ``proportions`` and ``means``, as far as given; raises if one is missing."""
    names = ("bags", "proportions", "means")
    given = {name: getattr(arguments, name, None) for name in names}
    if given["proportions"] is not None and given["means"] is not None:
        raise Refusal("--proportions are of labels, --means of numbers; give one of them.")
    if given["bags"] is not None and given["proportions"] is None and given["means"] is None:
        means = ", or their means: --means FILE" if hasattr(arguments, "means") else ""
        raise Refusal(f"--bags needs the class shares of the bags: --proportions FILE{means}.")
    if given["means"] is not None and given["bags"] is None:
        raise Refusal("--means needs the column that names the bags: --bags COL.")
    return {name: value for name, value in given.items() if value is not None}


def table_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `load_table`, without those that are not set."""
    options = file_options(arguments) | bag_options(arguments)
    names = (
        "target", "id", "features", "drop", "keep", "kind", "separator", "path", "classes",
        "decimal", "blank", "zero", "ranks", "missing",
    )  # fmt: skip
    for name in names:
        value = getattr(arguments, name)
        if value is not None:
            options[name] = value
    if arguments.case_sensitive:
        options["case_sensitive"] = True
    if arguments.type is not None:
        options["types"] = dict(map(_column_type, arguments.type))
    if arguments.tags is not None:
        if options.get("target") is not None or options.get("kind", "bits") != "bits":
            raise Refusal("--tags names the target; leave --target and --kind out.")
        options |= {"target": arguments.tags, "kind": "bits"}
    target = options.get("target")
    if target is not None and len(target) == 1:
        options["target"] = target[0]
    return options


def _column_type(text: str) -> tuple[str, str]:
    name, mark, kind = text.rpartition("=")
    if not mark or not name:
        raise Refusal(f"--type {text}: expected COLUMN=TYPE, such as --type zip=category.")
    return name, kind
