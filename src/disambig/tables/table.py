"""`Table`: a file or a frame as inputs and candidate sets, and the plan to read the next one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from disambig.parameters import check_list
from disambig.tables.bag_means import with_means
from disambig.tables.bags import counted, in_known_bags, kept_bounds
from disambig.tables.features.plan import FeaturePlan
from disambig.tables.features.planning import planned_features
from disambig.tables.reading import RawTable, raw_table
from disambig.tables.source import Source, plain_data, shown
from disambig.tables.targets.columns import has_target_name, is_name, missing_columns
from disambig.tables.targets.reading import read_formatted, read_target
from disambig.tables.targets.target import Target, TargetFormat
from disambig.tables.values import missing_words

_SCHEMA = 1


@dataclass(frozen=True)
class TablePlan:
    """How a table is read: features, target and identifier. Plain data, for JSON and pickle.

    Attributes
    ----------
    features : FeaturePlan
    target : TargetFormat or None
    id : str or None
        The column that names the rows.
    bags : str or None
        The column that names the bag of each row.
    bounds : list or None
        What is known of the bags of the table, in the order of their first rows: the smallest and
        the largest count of each class, or mean.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.0, 2.0, 4.0], "label": ["a|b", "a", "c"]})
    >>> plan = load_table(frame, "label").plan
    >>> new = plan.read(pd.DataFrame({"more": [0], "size": [3.5]}))
    >>> new.X["size"].tolist(), new.target
    ([3.5], None)
    >>> TablePlan.from_dict(plan.to_dict()) == plan
    True
    """

    features: FeaturePlan
    target: TargetFormat | None = None
    id: Any = None
    bags: Any = None
    bounds: Any = None

    def read(
        self,
        data: Any,
        *,
        with_target: bool | None = None,
        sep: str | None = None,
        encoding: str | None = None,
        header: bool = True,
    ) -> "Table":
        """Read a new table in the same way.

        Columns may be in another order, and there may be more. Missing feature columns raise.

        Parameters
        ----------
        data : RawTable, frame or file
        with_target : bool, optional
            Whether the target is read; by default if all its columns are there.
        sep, encoding, header
            As of `read_table`, for files.
        """
        table = _raw(data, sep, encoding, header)
        X = self.features.read(table)
        columns = set(table.frame.columns)
        known = self.target is not None and columns.issuperset(self.target.columns)
        # Of bags alone there are no columns to read sets from.
        known = known and bool(self.target and self.target.columns)
        target = None
        if self.target is not None and (known if with_target is None else with_target):
            target = read_formatted(table, self.target, self.target.decimal)
        ids, notes = _ids(table, self.id if self.id in columns else None)
        return Table(table, X, self, target, ids, (*table.notes, *self.features.unseen(X), *notes))

    def in_bags(self, table: "Table") -> "Table":
        """The table that the plan was made from, read again, with what is known of its bags.

        Parameters
        ----------
        table : Table
            Read with this plan; as it is if the plan knows no bags.
        """
        if self.bounds is None or self.target is None:
            return table
        target = table.target
        sets = None if target is None else target.candidates
        candidates = in_known_bags(table.raw, sets, self.bags, self.bounds, self.target.names)
        if target is None:
            texts = np.empty((len(table.frame), 0), dtype=object)
            target = Target(candidates, self.target, texts)
        return replace(table, target=replace(target, candidates=candidates))

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data."""
        return {
            "schema": _SCHEMA,
            "features": self.features.to_dict(),
            "target": None if self.target is None else self.target.to_dict(),
            "id": plain_data(self.id),
            "bags": plain_data(self.bags),
            "bounds": self.bounds,
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "TablePlan":
        """The plan of such plain data.

        Parameters
        ----------
        fields : mapping
            As `to_dict` returns it.
        """
        if fields.get("schema") != _SCHEMA:
            raise ValueError(
                f"TablePlan: schema {fields.get('schema')!r} is not {_SCHEMA}; it was written by "
                f"another version."
            )
        target = fields["target"]
        return cls(
            FeaturePlan.from_dict(fields["features"]),
            None if target is None else TargetFormat.from_dict(target),
            fields["id"],
            fields.get("bags"),
            fields.get("bounds"),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Inputs and candidate sets of a table, and what was guessed, merged and dropped.

    Attributes
    ----------
    raw : RawTable
        The cells as they were, and the source for errors.
    X : pandas.DataFrame (n, ...)
        The typed features, for `make_preprocessor`.
    plan : TablePlan
        Reads the next table in the same way.
    target : Target or None
        None if the table has no target columns.
    ids : pandas.Series (n,) or None
        The column that the user named as identifier, as it was.
    notes : tuple of str
        One sentence for all that was guessed, merged or dropped.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.0, 2.0, 4.0], "label": ["a|b", "a", "c"]})
    >>> load_table(frame, "label")
    Table(3 rows from a frame; labels in 'label'; FeaturePlan(1 columns: 1 number; 0 dropped))
    """

    raw: RawTable
    X: Any
    plan: TablePlan
    target: Target | None = None
    ids: Any = None
    notes: tuple[str, ...] = ()

    @property
    def frame(self) -> Any:
        """The cells as they were, a pandas frame."""
        return self.raw.frame

    @property
    def source(self) -> Source:
        """The file and the lines of the rows."""
        return self.raw.source

    @property
    def candidates(self) -> Any:
        """The candidate sets of all rows; raises if the table has no target."""
        if self.target is None:
            raise self.source.error("the table has no target columns.")
        return self.target.candidates

    @property
    def features(self) -> FeaturePlan:
        """How the feature columns are read."""
        return self.plan.features

    def make_preprocessor(self) -> Any:
        """A new ColumnTransformer of scikit-learn parts for `X`; not fitted."""
        return self.plan.features.make_preprocessor()

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        origin = "a frame" if self.source.name is None else self.source.name
        target = "no target"
        if self.target is not None:
            names = ", ".join(map(repr, self.target.columns[:3]))
            target = (
                f"{self.target.kind} in {names}{', ...' if len(self.target.columns) > 3 else ''}"
            )
        return f"Table({len(self)} rows from {origin}; {target}; {self.features})"


def load_table(
    data: Any,
    target: Any = None,
    *,
    id: Any = None,
    features: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    types: Mapping[str, str] | None = None,
    missing: Iterable[str] | None = None,
    sep: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    bags: Any = None,
    proportions: Any = None,
    means: Any = None,
    **target_options: Any,
) -> Table:
    """Read a file or a frame: inputs, candidate sets, and the plan to read the next one.

    Parameters
    ----------
    data : path, "-", open file, RawTable or frame
    target : str or list of str, optional
        The columns of the target, as of `read_target`.
    id : str, optional
        The column that names the rows; it is no feature.
    features, drop, keep, types
        Which columns are features, as of `plan_features`.
    missing : list of str, optional
        More words that say nothing, in all columns; an empty list: blanks only.
    sep, encoding, header
        How a text file is read, as of `read_table`.
    bags : str, optional
        The column that names the bag of each row: a group whose class shares or mean are known.
        It is no feature. The target may then be left out.
    proportions : path, frame or mapping, optional
        The class shares of the bags, as of `read_proportions`; without `bags`, of all rows.
    means : path, frame or mapping, optional
        The means of the numbers of the bags, as of `read_means`.
    **target_options
        ``kind``, ``separator``, ``path``, ``parents``, ``classes``, ``decimal``, ``blank``,
        ``zero``, ``ranks`` and ``case_sensitive`` of `read_target`.

    Returns
    -------
    Table

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"key": ["x1", "x2", "x3"], "size": ["1", "2", "?"], "label": ["a|b", "A", "a"]}
    ... )
    >>> table = load_table(frame, "label", id="key")
    >>> table.ids.tolist(), table.candidates.sizes.tolist()
    (['x1', 'x2', 'x3'], [2, 1, 1])
    >>> for note in table.notes:
    ...     print(note)
    Column 'label' holds sets of labels, because '|' separates labels in it.
    Spellings that differ in case or blanks are one label: 'A' as 'a'.
    1 of 3 rows say nothing about the target.
    """
    table = _raw(data, sep, encoding, header)
    if id is not None and not is_name(id, list(table.frame.columns)):
        raise table.source.error(missing_columns([id], list(table.frame.columns)))
    # It is used twice.
    words = missing_words("load_table", missing)
    given = _Bags(bags, proportions, means)
    found = _target(table, target, words, given, target_options)
    if id in found.columns:
        raise table.source.error("is the identifier, and cannot be the target.", None, id)
    left_out = [drop] if isinstance(drop, str) else check_list("load_table", "drop", drop)
    left_out += [name for name in (id, bags) if name is not None]
    plan, X = planned_features(table, (features, left_out, keep, types, words), found)
    ids, notes = _ids(table, id)
    dropped = [f"Column {shown(name)} is dropped: {why}." for name, why in plan.dropped.items()]
    return Table(
        table,
        X,
        TablePlan(
            plan,
            found.format,
            id,
            bags,
            kept_bounds(found.candidates),
        ),
        found,
        ids,
        (*table.notes, *found.notes, *dropped, *notes),
    )


class _Bags(NamedTuple):
    """The column of the bags, and what is known of each: class shares or means."""

    column: Any
    proportions: Any
    means: Any


def _target(
    table: RawTable, target: Any, words: Any, bags: _Bags, options: Mapping[str, Any]
) -> Target:
    """The target of a table, with what is known of its bags."""
    if all(part is None for part in bags):
        return read_target(table, target, missing=words, **options)
    if bags.proportions is not None and bags.means is not None:
        raise table.source.error(
            "bags have class shares (proportions) or means of numbers; give one of them."
        )
    names = list(table.frame.columns)
    if bags.column is not None and not is_name(bags.column, names):
        raise table.source.error(missing_columns([bags.column], names))
    kind = "labels" if bags.means is None else "numbers"
    if target is None and not has_target_name(names):
        if set(options) - {"classes", "kind"} or options.get("kind", kind) != kind:
            raise table.source.error(
                f"there is no target column, so that {sorted(options)} say nothing about it. Name "
                "it by target, or leave them out."
            )
        return _of_bags_alone(table, bags, kind, options.get("classes"))
    if bags.means is not None:
        # Plain numbers may be read as codes of classes.
        options = {"kind": "numbers", **options}
    found = read_target(table, target, missing=words, **options)
    if bags.column in found.columns:
        raise table.source.error("names the bags, and cannot be the target.", None, bags.column)
    if found.kind != kind:
        what = (
            "class shares of bags are of labels"
            if kind == "labels"
            else "means of bags are of numbers"
        )
        raise table.source.error(
            f"{what}, and the target holds {found.kind}.", None, found.columns[0]
        )
    if bags.means is None:
        candidates: Any = counted(table, found.candidates, bags.column, bags.proportions)
        where = "all rows"
        if bags.column is not None:
            where = f"{len(candidates.bag_bounds)} bags in {shown(bags.column)}"
        note = f"The class shares of {where} are kept by the recovered labels."
    else:
        candidates = with_means(table, found.candidates, bags.column, bags.means)
        where = f"{len(candidates.bounds)} bags in {shown(bags.column)}"
        note = f"The means of {where} are kept by the recovered numbers."
    return replace(found, candidates=candidates, notes=(*found.notes, note))


def _of_bags_alone(table: RawTable, bags: _Bags, kind: str, classes: Any) -> Target:
    """The target of a table without a target column."""
    candidates: Any
    if kind == "labels":
        candidates = counted(table, None, bags.column, bags.proportions, classes)
        names: Any = tuple(candidates.classes.tolist())
        sentence = "There is no target column: labels follow from the class shares of the bags."
    else:
        if classes is not None:
            raise table.source.error("classes are of labels, and means are of numbers.")
        candidates = with_means(table, None, bags.column, bags.means)
        names = None
        sentence = "There is no target column: numbers follow from the means of the bags."
    form = TargetFormat(kind, (), "bags", names=names, sentence=sentence)
    texts = np.empty((len(table.frame), 0), dtype=object)
    return Target(candidates, form, texts, notes=(sentence,))


def _raw(data: Any, sep: str | None, encoding: str | None, header: bool) -> RawTable:
    return raw_table(data, sep=sep, encoding=encoding, header=header)


def _ids(table: RawTable, name: Any) -> tuple[Any, list[str]]:
    """The identifiers of the rows, and sentences about them."""
    if name is None:
        return None, []
    ids = table.frame[name]
    repeated = int(np.count_nonzero(ids.duplicated()))
    if not repeated:
        return ids, []
    row = int(np.argmax(ids.duplicated()))
    first = table.source.where(row)
    return ids, [f"Identifiers in {shown(name)} repeat in {repeated} rows, first at {first}."]
