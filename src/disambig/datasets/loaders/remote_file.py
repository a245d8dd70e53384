"""One file of a public data set: where it is published, and how it is recognised."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Compression", "RemoteFile"]

Compression = Literal["bz2", "xz", "zip"]


@dataclass(frozen=True)
class RemoteFile:
    """What is needed to find, fetch and recognise one file.

    Parameters
    ----------
    path : str
        Its place below a data folder, with forward slashes: ``libsvm/dna.scale``.
    url : str
        Where it is published.
    sha256 : str
        Of the file as it is used, that is, unpacked.
    size : int
        Bytes of the file as it is used. Nothing larger is ever unpacked.
    compression : {"bz2", "xz", "zip"} or None
        How the published file is packed.
    """

    path: str
    url: str
    sha256: str
    size: int
    compression: Compression | None = None

    @property
    def name(self) -> str:
        """The last part of `path`; also the member that is taken out of a zip archive."""
        return self.path.rpartition("/")[2]
