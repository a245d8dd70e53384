"""The library of the tables: DataTables, from the package itables, as one script and one style."""

import base64
import hashlib
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

_EXPORT = re.compile(r"export\s*\{([^}]*)\};?")
_DEFAULT = re.compile(r"([\w$]+) as default")


class TableLibrary(NamedTuple):
    """What a page needs for tables that sort, search and export.

    Attributes
    ----------
    script : str
        A module that defines ``DataTable``.
    style : str
    """

    script: str
    style: str


@cache
def table_library() -> TableLibrary:
    """The library as it is installed; nothing of it is loaded from elsewhere."""
    folder = _package_folder() / "html"
    script = (folder / "dt_bundle.js").read_text("utf-8").replace("\r\n", "\n")
    style = (folder / "dt_bundle.css").read_text("utf-8").replace("\r\n", "\n")
    exported = list(_EXPORT.finditer(script))
    name = _DEFAULT.search(exported[-1][1]) if exported else None
    if name is None or "</script" in script.lower() or "</style" in style.lower():
        raise ImportError(
            "The tables of a report need a version of itables whose bundle can stand inside of a "
            'page. Run `pip install --upgrade "disambig[report]"`.'
        )
    last = exported[-1]
    script = f"{script[: last.start()]}const DataTable={name[1]};{script[last.end() :]}"
    return TableLibrary(script, style)


def _package_folder() -> Path:
    """Where itables is; nothing of it is imported."""
    found = find_spec("itables")
    assert found is not None
    assert found.submodule_search_locations is not None
    return Path(next(iter(found.submodule_search_locations)))


def script_hash(script: str) -> str:
    """What the content policy of a page allows this script by.

    Examples
    --------
    >>> script_hash("1")
    "'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='"
    """
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
