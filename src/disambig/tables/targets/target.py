"""How a target is written in its columns, and the target that was read."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from disambig.notation import AnyArray, BoolArray
from disambig.tables.source import plain_data

KINDS = ("labels", "numbers", "orders", "bits")


@dataclass(frozen=True)
class TargetFormat:
    """How the target is written: what was guessed or set. Plain data, for JSON.

    Attributes
    ----------
    kind : {"labels", "numbers", "orders", "bits"}
    columns : tuple of str
    notation : str
        Labels: "sets" (also single labels), "written" (sets in brackets), "columns" (one a class),
        "annotators" (one each).
        Numbers: "texts", "ends" (two columns). Orders: "chains", "ranks", "top". Bits: "tags".
    separator : str or None
        Between the labels of a set, or the items of an order.
    negatives : bool
        Whether "not a" excludes a, and is no label of its own.
    path : str or None
        Between the levels of a taxonomy, such as "/".
    parents : dict or None
        The taxonomy: the parent of each node.
    decimal : {".", ","}
        The decimal mark of numbers.
    unit, currency : str
        What stands at the numbers; empty if nothing does.
    blank : {"no", "unknown"} or None
        What a blank in a column of a class or of a tag means.
    zero : {"absent", "unknown"} or None
        What 0 and -1 mean in columns of tags, as in `PartialBits.from_any`.
    ranks : {"order", "places"}
        What rank columns mean, as in `PartialOrders.from_any`.
    missing : tuple of str or None
        Words that say nothing beside the usual ones; none at all if it is empty.
    case_sensitive : bool
        Whether "Cat" and "cat" are two labels.
    names : tuple or None
        The classes, items or tags, in order.
    sentence : str
        What was guessed and why, or what was set.

    Examples
    --------
    >>> TargetFormat("labels", ("label",), "sets", separator="|").kind
    'labels'
    """

    kind: str
    columns: tuple[str, ...]
    notation: str
    separator: str | None = None
    negatives: bool = False
    path: str | None = None
    parents: dict[Any, Any] | None = None
    decimal: str = "."
    blank: str | None = None
    zero: str | None = None
    ranks: str = "order"
    missing: tuple[str, ...] | None = None
    case_sensitive: bool = False
    names: tuple[Any, ...] | None = None
    sentence: str = ""
    unit: str = ""
    currency: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data."""
        fields: dict[str, Any] = plain_data(asdict(self))
        return fields

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "TargetFormat":
        """The format of such fields; lists of JSON become tuples again.

        Parameters
        ----------
        fields : dict
            As `to_dict` returns it.
        """
        tuples: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in fields.items()
        }
        return cls(**tuples)


@dataclass(frozen=True, eq=False, repr=False)
class Target:
    """Candidate sets that were read from columns, and how.

    Attributes
    ----------
    candidates : LabelSets, Intervals, IntervalUnions, PartialOrders or PartialBits, n rows
    format : TargetFormat
    texts : (n,) or (n, columns) array of objects
        The cells as they were.
    merged : dict of str to str
        Spellings that were read as another one.
    notes : tuple of str
        Sentences: what was guessed, merged, or says nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig.tables import read_target
    >>> target = read_target(pd.DataFrame({"label": ["cat|dog", "Cat", "cow", "?"]}), "label")
    >>> target
    Target(labels in 'label': 4 rows, 1 without information)
    >>> target.notes[0]
    "Column 'label' holds sets of labels, because '|' separates labels in it."
    >>> target.merged
    {'cat': 'Cat'}
    """

    candidates: Any
    format: TargetFormat
    texts: AnyArray
    merged: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of target."""
        return self.format.kind

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the target."""
        return self.format.columns

    @property
    def sentence(self) -> str:
        """What was guessed and why, or what was set."""
        return self.format.sentence

    @property
    def uninformative(self) -> BoolArray:
        """Rows whose set excludes nothing, ``(n,)``."""
        return ~np.asarray(self.candidates.informative)

    def __len__(self) -> int:
        return len(self.candidates)

    def __repr__(self) -> str:
        columns = ", ".join(map(repr, self.columns[:3]))
        more = f" and {len(self.columns) - 3} more" if len(self.columns) > 3 else ""
        return (
            f"Target({self.kind} in {columns}{more}: {len(self)} rows, "
            f"{np.count_nonzero(self.uninformative)} without information)"
        )
