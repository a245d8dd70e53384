"""A file of the registry by the name of its set and of its part."""

from collections.abc import Mapping

from disambig.datasets.loaders.registry import Part
from disambig.datasets.loaders.remote_file import RemoteFile

__all__ = ["chosen", "parts_of"]


def parts_of(
    caller: str, sets: Mapping[str, Mapping[Part, RemoteFile]], name: str
) -> Mapping[Part, RemoteFile]:
    """The files of the set `name`, or a ValueError that lists the names there are."""
    if name not in sets:
        raise ValueError(f"{caller}: unknown data set {name!r}. Choose one of {sorted(sets)}.")
    return sets[name]


def chosen(
    caller: str, sets: Mapping[str, Mapping[Part, RemoteFile]], name: str, part: Part
) -> RemoteFile:
    """One part of the set `name`, or a ValueError that lists the parts there are."""
    parts = parts_of(caller, sets, name)
    if part not in parts:
        raise ValueError(
            f"{caller}: part={part!r} of {name!r} is not known. Choose one of {sorted(parts)}."
        )
    return parts[part]
