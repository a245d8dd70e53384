"""`plan_features`: the types of all columns, and which of them are dropped."""

from collections.abc import Iterable, Mapping
from typing import Any

from disambig.parameters import check_list, check_mapping
from disambig.tables.features.column_types import ColumnPlan, column_plan
from disambig.tables.features.dropping import leaking, row_numbers, text_id, useless
from disambig.tables.features.plan import FeaturePlan, read_column
from disambig.tables.features.preprocessing import typed_names
from disambig.tables.reading import RawTable, raw_table
from disambig.tables.source import Source, pandas, shown
from disambig.tables.targets.columns import missing_columns, target_columns
from disambig.tables.targets.target import Target
from disambig.tables.values import Values, column_values, missing_words

_OWNER = "plan_features"


def plan_features(
    data: Any,
    *,
    features: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    types: Mapping[str, str] | None = None,
    missing: Iterable[str] | None = None,
    target: Target | None = None,
) -> FeaturePlan:
    """Decide which columns are features and how they are read.

    Constant columns, columns that number the rows and columns that give the target away are
    dropped, with a reason in ``plan.dropped``; the last two as `disambig.diagnose` finds them.

    Parameters
    ----------
    data : RawTable, frame or file
    features : list of str, optional
        The columns to use; all that are left by default. Patterns such as "x_*" are allowed.
    drop : list of str
        Columns that are no features; patterns are allowed.
    keep : list of str
        Columns that are used though they look useless.
    types : mapping of str to str, optional
        Column to "number", "boolean", "category", "text" or "date"; "date:%d/%m/%Y" has a format,
        and "number:," a decimal mark.
    missing : list of str, optional
        More words that say nothing, as of `read_target`.
    target : Target, optional
        Its columns are no features.

    Returns
    -------
    FeaturePlan

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": ["1", "2"], "unit": ["cm", "cm"], "when": ["2024-01-31"] * 2})
    >>> plan = plan_features(frame, keep=["when"])
    >>> plan.dropped, [column.type for column in plan.columns]
    ({'unit': "all its cells are 'cm'"}, ['number', 'date'])
    """
    options = (features, drop, keep, types, missing)
    return planned_features(raw_table(data), options, target)[0]


Options = tuple[Iterable[str] | None, Iterable[str], Iterable[str], Mapping[str, str] | None, Any]


def planned_features(
    table: RawTable, options: Options, target: Target | None
) -> tuple[FeaturePlan, Any]:
    """The plan, and the typed features of the table, which it has to look at anyway."""
    features, drop, keep, types, missing = options
    source = table.source
    every = list(table.frame.columns)
    taken = set() if target is None else set(target.columns)
    chosen = _chosen(every, features, drop, taken, source)
    kept = set(_matching(every, keep, "keep", source))
    given = {} if types is None else check_mapping(_OWNER, "types", types)
    unknown = [name for name in given if name not in every]
    if unknown:
        raise source.error(missing_columns(unknown, every))
    words = missing_words(_OWNER, missing)
    plans: list[ColumnPlan] = []
    dropped: dict[Any, str] = {}
    typed: dict[str, Any] = {}
    owners: dict[str, Any] = {}
    for name in chosen:
        values = column_values(table.frame[name], source, words)
        plan, reason = _planned(table.frame[name], values, given.get(name), name in kept, source)
        if reason:
            dropped[name] = reason
        if plan is not None:
            _refuse_shared_names(plan, owners, source)
            plans.append(plan)
            typed |= read_column(table.frame[name], values, plan, source)
    frame = pandas().DataFrame(typed, index=table.frame.index)
    found = row_numbers(frame, plans)
    if target is not None:
        found |= leaking(frame, [plan for plan in plans if plan.name not in found], target)
    dropped |= {name: reason for name, reason in found.items() if name not in kept}
    plans = [plan for plan in plans if plan.name not in dropped]
    if not plans:
        raise source.error(_nothing_left(dropped))
    found_plan = FeaturePlan(tuple(plans), dropped, words)
    return found_plan, frame[[name for column in plans for name in typed_names(column)]]


def _planned(
    series: Any, values: Values, given: str | None, is_kept: bool, source: Source
) -> tuple[ColumnPlan | None, str]:
    """The plan of a column, or None and why it is dropped."""
    reason = useless(values)
    if reason and not (is_kept and values.values):
        return None, reason
    plan = column_plan(series, values, given, source)
    reason = "" if is_kept or given else text_id(values, plan)
    return (None, reason) if reason else (plan, "")


def _refuse_shared_names(plan: ColumnPlan, owners: dict[str, Any], source: Source) -> None:
    """Raise if a column becomes a feature that another one is already, as 1 and "1" do."""
    for feature in typed_names(plan):
        if feature in owners:
            raise source.error(
                f"and column {shown(owners[feature])} both become the feature {feature!r}. Rename "
                f"one of them, or leave it out by drop=.",
                column=plan.name,
            )
        owners[feature] = plan.name


def _chosen(
    every: list[Any],
    features: Iterable[str] | None,
    drop: Iterable[str],
    taken: set[Any],
    source: Source,
) -> list[Any]:
    """The columns that may be features, in the order of the table."""
    left_out = set(_matching(every, drop, "drop", source))
    if features is None:
        return [name for name in every if name not in left_out and name not in taken]
    named = set(_matching(every, features, "features", source))
    both = [name for name in every if name in named and name in taken]
    if both:
        raise source.error("is the target, and no feature. Take it out of features.", None, both[0])
    return [name for name in every if name in named and name not in left_out]


def _matching(every: list[Any], wanted: Iterable[str], name: str, source: Source) -> list[Any]:
    listed = [wanted] if isinstance(wanted, str) else check_list(_OWNER, name, wanted)
    return target_columns(every, listed, source)[0] if listed else []


def _nothing_left(dropped: Mapping[Any, str]) -> str:
    if not dropped:
        return "there is no feature column beside the target."
    name, reason = next(iter(dropped.items()))
    return (
        f"no feature column is left: {len(dropped)} were dropped, {name!r} because {reason}. Pass "
        f"keep= with the columns to use."
    )
