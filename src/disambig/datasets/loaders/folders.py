"""Where a data file may lie on this machine, in the order in which it is looked for."""

import os
import sys
from pathlib import Path

from disambig.datasets.loaders.remote_file import RemoteFile
from disambig.exceptions import DatasetError

__all__ = ["cache_folder", "local_places"]


def local_places(file: RemoteFile, folder: str | os.PathLike[str] | None) -> list[Path]:
    """Paths of the user's own copies: `folder`, then DISAMBIG_DATA, then ``./data``.

    Below each, a file lies as in ``libsvm/dna.scale``; in `folder` it may lie directly. A folder
    that is named and does not exist is an error: a misspelt name would otherwise start a download.
    """
    places = []
    if folder is not None:
        named = _existing(Path(folder).expanduser(), "folder=")
        places += [named / file.path, named / file.name]
    variable = os.environ.get("DISAMBIG_DATA")
    if variable:
        places.append(_existing(Path(variable).expanduser(), "DISAMBIG_DATA=") / file.path)
    places.append(Path("data").absolute() / file.path)
    return places


def _existing(folder: Path, source: str) -> Path:
    if not folder.is_dir():
        raise DatasetError(
            f"{source}{str(folder)!r} is no folder. Name a folder of data sets that exists, or "
            "leave it out."
        )
    return folder


def cache_folder() -> Path:
    r"""Where downloads are kept: DISAMBIG_CACHE, else the cache of the user on this platform.

    ``~/.cache/disambig`` (or below XDG_CACHE_HOME) on Linux, ``~/Library/Caches/disambig`` on
    macOS, ``%LOCALAPPDATA%\disambig\cache`` on Windows.
    """
    named = os.environ.get("DISAMBIG_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData" / "Local") / "disambig" / "cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "disambig"
    # The XDG rules have relative paths ignored.
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(shared) if Path(shared).is_absolute() else _home() / ".cache") / "disambig"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise DatasetError(
            "The user has no home folder to keep downloads in. Name a folder by the environment "
            "variable DISAMBIG_CACHE."
        ) from error
