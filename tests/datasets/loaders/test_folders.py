"""The folders in which files are searched for, their order, and errors of missing files."""

import hashlib
import os
import sys
from pathlib import Path

import pytest

from disambig.datasets.loaders.fetching import cache_folder, fetched
from disambig.datasets.loaders.registry import RemoteFile
from disambig.exceptions import DatasetError

CONTENT = b"1 1:0.5\n"
# There is no server at this address, and no test may request it.
FILE = RemoteFile(
    "libsvm/toy", "http://127.0.0.1:9/toy", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT)
)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The four folders in the order of the search; all but the first are configured."""
    paths = {name: tmp_path / name for name in ("folder", "variable", "work/data", "cache")}
    for path in paths.values():
        path.mkdir(parents=True)
    monkeypatch.setenv("DISAMBIG_DATA", str(paths["variable"]))
    monkeypatch.setenv("DISAMBIG_CACHE", str(paths["cache"]))
    monkeypatch.chdir(tmp_path / "work")
    return paths


def put(folder: Path, content: bytes = CONTENT, name: str = "libsvm/toy") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def test_the_order_of_the_search(folders: dict[str, Path]) -> None:
    for folder in reversed(folders.values()):
        path = put(folder)
        assert fetched(FILE, folder=folders["folder"], download=False) == path


def test_a_named_folder_may_contain_the_file_directly(folders: dict[str, Path]) -> None:
    path = put(folders["folder"], name="toy")
    assert fetched(FILE, folder=str(folders["folder"]), download=False) == path


def test_without_the_variable(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    put(folders["variable"])
    monkeypatch.delenv("DISAMBIG_DATA")
    with pytest.raises(DatasetError):
        fetched(FILE, download=False)
    path = put(folders["work/data"])
    assert fetched(FILE, download=False) == path


def test_the_error_of_a_missing_file(folders: dict[str, Path]) -> None:
    with pytest.raises(DatasetError) as caught:
        fetched(FILE, folder=folders["folder"], download=False)
    message = str(caught.value)
    for folder in folders.values():
        assert str(folder / "libsvm" / "toy") in message
    assert "download=False" in message
    assert FILE.url in message
    assert FILE.sha256 in message


@pytest.mark.parametrize("place", ["folder", "variable", "work/data"])
def test_a_copy_with_another_content_is_an_error(folders: dict[str, Path], place: str) -> None:
    path = put(folders[place], b"something else")
    put(folders["cache"])
    with pytest.raises(DatasetError) as caught:
        fetched(FILE, folder=folders["folder"])
    assert str(path) in str(caught.value)
    assert FILE.sha256 in str(caught.value)


def test_a_broken_cache_is_not_used(folders: dict[str, Path]) -> None:
    put(folders["cache"], CONTENT[:-1])
    with pytest.raises(DatasetError, match="not on this machine"):
        fetched(FILE, download=False)


def test_a_folder_that_does_not_exist(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folders["cache"])
    with pytest.raises(DatasetError, match=r"folder=.*mispelt.* is not a folder"):
        fetched(FILE, folder=folders["folder"] / "mispelt")
    monkeypatch.setenv("DISAMBIG_DATA", str(folders["variable"] / "mispelt"))
    with pytest.raises(DatasetError, match=r"DISAMBIG_DATA=.*mispelt.* is not a folder"):
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


def test_no_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISAMBIG_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def raise_error() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", raise_error)
    if os.name == "posix":
        with pytest.raises(DatasetError, match="DISAMBIG_CACHE"):
            cache_folder()
