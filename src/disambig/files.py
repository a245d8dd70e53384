"""A file is there whole, or it is not there: writing that cannot leave half a file behind."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["written_whole"]


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream to fill; it becomes the file at `path` when the block ends without an error.

    What is written goes to a new file with a name of its own in the same folder. At the end it
    takes the place of `path` in one step, so that readers see the old file or the new one, and of
    two writers at once the later one wins. After an error, an interruption included, `path` is as
    it was and the new file is gone. A link stays a link, and a file that is replaced hands its
    permissions on.

    Parameters
    ----------
    path : str or path-like
        The file to write, in a folder that exists.

    Yields
    ------
    binary stream

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from disambig.files import written_whole
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "answer.txt"
    ...     with written_whole(path) as stream:
    ...         _ = stream.write(b"42")
    ...     path.read_text()
    '42'
    """
    target = Path(os.path.realpath(path))
    partial = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    # Not `tempfile`, whose files only their owner may read: a new file follows the umask.
    stream = partial.open("xb")
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, partial)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
