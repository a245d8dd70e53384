"""Where files are looked for, in which order, and what is said if they are not there."""

import hashlib
import os
import sys
from pathlib import Path

import pytest

from disambig.datasets.loaders.fetching import cache_folder, fetched
from disambig.datasets.loaders.registry import RemoteFile
from disambig.exceptions import DatasetError

CONTENT = b"1 1:0.5\n"
# Nothing listens there, and nothing may ask.
FILE = RemoteFile(
    "libsvm/toy", "http://127.0.0.1:9/toy", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT)
)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The four folders, in the order of the search; all but the first are set up."""
    folders = {name: tmp_path / name for name in ("folder", "variable", "work/data", "cache")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    monkeypatch.setenv("DISAMBIG_DATA", str(folders["variable"]))
    monkeypatch.setenv("DISAMBIG_CACHE", str(folders["cache"]))
    monkeypatch.chdir(tmp_path / "work")
    return folders


def put(folder: Path, content: bytes = CONTENT, name: str = "libsvm/toy") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def test_the_order(places: dict[str, Path]) -> None:
    for folder in reversed(places.values()):
        path = put(folder)
        assert fetched(FILE, folder=places["folder"], download=False) == path


def test_a_named_folder_may_hold_the_file_itself(places: dict[str, Path]) -> None:
    path = put(places["folder"], name="toy")
    assert fetched(FILE, folder=str(places["folder"]), download=False) == path


def test_without_the_variable(places: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    put(places["variable"])
    monkeypatch.delenv("DISAMBIG_DATA")
    with pytest.raises(DatasetError):
        fetched(FILE, download=False)
    path = put(places["work/data"])
    assert fetched(FILE, download=False) == path


def test_not_found_says_where_and_what_to_do(places: dict[str, Path]) -> None:
    with pytest.raises(DatasetError) as caught:
        fetched(FILE, folder=places["folder"], download=False)
    message = str(caught.value)
    for folder in places.values():
        assert str(folder / "libsvm" / "toy") in message
    assert "download=False" in message
    assert FILE.url in message
    assert FILE.sha256 in message


@pytest.mark.parametrize("place", ["folder", "variable", "work/data"])
def test_a_copy_with_another_content_is_refused(places: dict[str, Path], place: str) -> None:
    path = put(places[place], b"something else")
    put(places["cache"])
    with pytest.raises(DatasetError) as caught:
        fetched(FILE, folder=places["folder"])
    assert str(path) in str(caught.value)
    assert FILE.sha256 in str(caught.value)


def test_a_broken_cache_is_not_used(places: dict[str, Path]) -> None:
    put(places["cache"], CONTENT[:-1])
    with pytest.raises(DatasetError, match="not on this machine"):
        fetched(FILE, download=False)


def test_a_folder_that_is_not_there(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(places["cache"])
    with pytest.raises(DatasetError, match=r"folder=.*mispelt.* is no folder"):
        fetched(FILE, folder=places["folder"] / "mispelt")
    monkeypatch.setenv("DISAMBIG_DATA", str(places["variable"] / "mispelt"))
    with pytest.raises(DatasetError, match=r"DISAMBIG_DATA=.*mispelt.* is no folder"):
        fetched(FILE)


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, "HOME/.cache/disambig"),
        ("linux", {"XDG_CACHE_HOME": "ROOT/xdg"}, "ROOT/xdg/disambig"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "HOME/.cache/disambig"),
        ("linux", {"DISAMBIG_CACHE": "ROOT/own"}, "ROOT/own"),
        ("linux", {"DISAMBIG_CACHE": "~/own"}, "HOME/own"),
        ("darwin", {}, "HOME/Library/Caches/disambig"),
        ("win32", {}, "HOME/AppData/Local/disambig/cache"),
        ("win32", {"LOCALAPPDATA": "ROOT/local"}, "ROOT/local/disambig/cache"),
    ],
)
def test_the_cache_of_a_platform(
    platform: str,
    variables: dict[str, str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = tmp_path / "home"
    for name in ("DISAMBIG_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name, value in variables.items():
        monkeypatch.setenv(name, value.replace("ROOT", str(tmp_path)))
    monkeypatch.setattr(sys, "platform", platform)
    named = expected.replace("HOME", str(home)).replace("ROOT", str(tmp_path))
    assert cache_folder() == Path(named)


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISAMBIG_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    if os.name == "posix":
        with pytest.raises(DatasetError, match="DISAMBIG_CACHE"):
            cache_folder()
