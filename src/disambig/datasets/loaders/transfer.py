"""Bytes over the network into a stream, no more than expected and no fewer than promised."""

from collections.abc import Callable
from http.client import HTTPException
from typing import Any, BinaryIO
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from disambig.exceptions import DatasetError

__all__ = ["Progress", "receive"]

Progress = Callable[[int, int | None], object]
"""Called with the bytes received so far and their total, None where the server does not say."""

_CHUNK = 1 << 16
_SCHEMES = ("https://", "http://")


def receive(
    url: str,
    into: BinaryIO,
    *,
    max_bytes: int,
    timeout: float = 30.0,
    progress: Progress | None = None,
) -> int:
    """Copy what `url` serves to the stream `into`; return how many bytes came.

    Parameters
    ----------
    url : str
        Of a web server; other schemes, ``file:`` among them, are refused, also after redirects.
    into : binary stream
        Open for writing. After an error its content is worthless.
    max_bytes : int
        More than that is refused, as soon as it is announced or sent.
    timeout : float
        Seconds of silence after which the server is given up.
    progress : callable, optional
        ``progress(done, total)`` after every piece; what it raises ends the transfer.

    Raises
    ------
    DatasetError
        With the reason, as a clause without a full stop.
    """
    with _answer(url, timeout) as response:
        total: int | None = getattr(response, "length", None)
        if total is not None and total > max_bytes:
            raise DatasetError(f"{url} announced {total} bytes, more than the {max_bytes} allowed")
        done = 0
        while chunk := _piece(response, url, done):
            done += len(chunk)
            if done > max_bytes:
                raise DatasetError(f"{url} sent more than the {max_bytes} bytes allowed")
            into.write(chunk)
            if progress is not None:
                progress(done, total)
    if total is not None and done < total:
        raise DatasetError(f"{url} broke off after {done} of {total} bytes")
    return done


def _answer(url: str, timeout: float) -> Any:
    if not url.startswith(_SCHEMES):
        raise DatasetError(f"{url} is not the address of a web server")
    request = Request(url, headers={"User-Agent": "disambig"})
    try:
        response = urlopen(request, timeout=timeout)
    except HTTPError as error:
        # It is an open connection, too.
        error.close()
        raise DatasetError(f"{url} answered {error.code} {error.reason}") from error
    except (OSError, HTTPException) as error:
        raise DatasetError(f"{url} could not be reached ({error})") from error
    if not response.geturl().startswith(_SCHEMES):
        response.close()
        raise DatasetError(f"{url} redirects to {response.geturl()}, which is no web server")
    return response


def _piece(response: Any, url: str, done: int) -> bytes:
    try:
        piece: bytes = response.read(_CHUNK)
    except (OSError, HTTPException) as error:
        raise DatasetError(f"{url} broke off after {done} bytes ({error})") from error
    return piece
