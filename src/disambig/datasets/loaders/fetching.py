"""From a known file to a path on this machine whose content is the one we know."""

import hashlib
import os
import tempfile
from pathlib import Path

from disambig.datasets.loaders.folders import cache_folder, local_places
from disambig.datasets.loaders.remote_file import RemoteFile
from disambig.datasets.loaders.transfer import Progress, receive
from disambig.datasets.loaders.unpacking import unpacked
from disambig.exceptions import DatasetError
from disambig.files import written_whole

__all__ = ["fetched"]

# Archives hold more than the file that is wanted; none of those we know comes near this.
_LARGEST_ARCHIVE = 1 << 26


def fetched(
    file: RemoteFile,
    *,
    folder: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: Progress | None = None,
) -> Path:
    """Find `file`, or download it to the cache; its checksum is verified either way.

    Looked for, in this order: in `folder`, in the folder that DISAMBIG_DATA names, in ``./data``,
    in the cache (`cache_folder`). A copy of the user's with another content is an error; one in
    the cache is fetched again.

    Raises
    ------
    DatasetError
        The file is not there and may not be downloaded; the download failed; the content is
        another. Nothing that is incomplete or unverified is left in the cache.
    """
    places = local_places(file, folder)
    for place in places:
        if place.is_file():
            _require_known(place, file)
            return place
    cached = cache_folder() / file.path
    if cached.is_file() and _digest(cached) == file.sha256:
        return cached
    if not download:
        looked = "\n  ".join(str(place) for place in [*places, cached])
        raise DatasetError(
            f"{file.path} is not on this machine, and download=False. Looked at\n  {looked}\n"
            f"Allow the download, or put the file at one of these places. {_by_hand(file)}"
        )
    _download(file, cached, progress)
    return cached


def _download(file: RemoteFile, target: Path, progress: Progress | None) -> None:
    largest = file.size if file.compression is None else _LARGEST_ARCHIVE
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # The packed file has no name to leave behind where the system allows files without one.
        with tempfile.TemporaryFile(dir=target.parent) as packed:
            receive(file.url, packed, max_bytes=largest, progress=progress)
            packed.seek(0)
            with written_whole(target) as stream:
                digest = hashlib.sha256()
                for piece in unpacked(
                    packed, file.compression, member=file.name, max_bytes=file.size
                ):
                    digest.update(piece)
                    stream.write(piece)
                if digest.hexdigest() != file.sha256:
                    raise DatasetError(
                        f"{file.url} holds another content: its SHA-256 is {digest.hexdigest()}, "
                        f"expected {file.sha256}"
                    )
    except DatasetError as error:
        raise DatasetError(
            f"{file.path} could not be downloaded: {error}. Nothing was kept. Try again later, or "
            "put the file into ./data or a folder that DISAMBIG_DATA names, as "
            f"{file.path}. {_by_hand(file)}"
        ) from error
    except OSError as error:
        raise DatasetError(
            f"{file.path} could not be kept at {target}: {error}. Name a folder that can be "
            "written by the environment variable DISAMBIG_CACHE."
        ) from error


def _by_hand(file: RemoteFile) -> str:
    packed = "" if file.compression is None else f", packed ({file.compression})"
    return f"It is published at {file.url}{packed}; unpacked, its SHA-256 is {file.sha256}."


def _require_known(path: Path, file: RemoteFile) -> None:
    digest = _digest(path)
    if digest != file.sha256:
        raise DatasetError(
            f"{path} is another file than the {file.name} we know: its SHA-256 is {digest}, "
            f"expected {file.sha256}. Move it away, or read it as it is with the function for its "
            "format (load_libsvm, load_mulan)."
        )


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
