"""What a user may set about a target; what is not set is guessed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.parameters import check_choice, check_flag, check_list, check_mapping
from disambig.tables.source import shown
from disambig.tables.targets.target import KINDS
from disambig.tables.values import missing_words

_OWNER = "read_target"
# The parameters that each notation of a target uses, beside kind, missing and case_sensitive.
_USES: dict[str, set[str]] = {
    "sets": {"separator", "path", "parents", "classes"},
    "written": {"classes"},
    "columns": {"blank", "classes"},
    "annotators": {"classes"},
    "texts": {"decimal"},
    "ends": {"decimal"},
    "chains": {"separator", "classes"},
    "ranks": {"ranks", "classes"},
    "top": {"classes"},
    "tags": {"blank", "zero"},
}
_MEANINGS = {
    "sets": "labels of one column",
    "written": "sets in brackets",
    "columns": "one column a class",
    "annotators": "one column an annotator",
    "texts": "numbers of one column",
    "ends": "two columns of ends",
    "chains": "orders of one column",
    "ranks": "one column of ranks an item",
    "top": "one column a place",
    "tags": "one column a tag",
}


@dataclass(frozen=True)
class TargetOptions:
    """The parameters of `read_target`, checked; None is to be guessed.

    Examples
    --------
    >>> TargetOptions(kind="labels", separator="|").separator
    '|'
    """

    kind: str | None = None
    separator: str | None = None
    path: str | None = None
    parents: Mapping[Any, Any] | None = None
    classes: Any = None
    decimal: str | None = None
    blank: str | None = None
    zero: str | None = None
    ranks: str | None = None
    missing: Any = None
    case_sensitive: bool = False

    def __post_init__(self) -> None:
        choices = {
            "kind": KINDS,
            "decimal": (".", ","),
            "blank": ("no", "unknown"),
            "zero": ("absent", "unknown"),
            "ranks": ("order", "places"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) is not None:
                check_choice(_OWNER, name, getattr(self, name), allowed)
        for name in ("separator", "path"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value):
                raise ValueError(f"{_OWNER}: {name} must be a text; got {value!r}.")
        if self.path is not None and self.parents is not None:
            raise ValueError(f"{_OWNER}: pass path= or parents=, not both.")
        object.__setattr__(self, "missing", missing_words(_OWNER, self.missing))
        if self.classes is not None:
            object.__setattr__(self, "classes", _checked_classes(self.classes))
        if self.parents is not None:
            object.__setattr__(self, "parents", check_mapping(_OWNER, "parents", self.parents))
        check_flag(_OWNER, "case_sensitive", self.case_sensitive)
        self._refuse_other_kinds()

    def refuse_unused(self, notation: str) -> None:
        """Raise if a parameter is set that this notation does not use."""
        for name in _USES["sets"] | _USES["tags"] | _USES["texts"] | _USES["ranks"]:
            if getattr(self, name) is not None and name not in _USES[notation]:
                raise ValueError(
                    f"{_OWNER}: {name}= does not apply here: the target is read as "
                    f"{_MEANINGS[notation]}."
                )

    def _refuse_other_kinds(self) -> None:
        """No parameter is accepted and ignored."""
        kinds = {
            "path": ("labels",),
            "parents": ("labels",),
            "decimal": ("numbers",),
            "blank": ("labels", "bits"),
            "zero": ("bits",),
            "ranks": ("orders",),
            "separator": ("labels", "orders"),
            "classes": ("labels", "orders"),
        }
        for name, suited in kinds.items():
            is_set = self.kind is not None and getattr(self, name) is not None
            if is_set and self.kind not in suited:
                raise ValueError(
                    f"{_OWNER}: {name}= is for kind={' or '.join(map(repr, suited))}; got "
                    f"kind={self.kind!r}."
                )


def _checked_classes(classes: Any) -> tuple[Any, ...]:
    """The classes as a tuple; each is a single value."""
    found = check_list(_OWNER, "classes", classes)
    for one in found:
        if isinstance(one, list | set | dict | np.ndarray):
            raise ValueError(
                f"{_OWNER}: classes must be a list of single values; {shown(one)} is none."
            )
    return tuple(found)
