"""Long computations in pieces that can be kept, and need not be computed twice.

Segments of long computations in a folder: what is there is not computed again.
"""

import hashlib
import json
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any, TypeAlias

from disambig.atomic import write_text_atomically
from disambig.cli.commands import Refusal, writing_into

Payload: TypeAlias = dict[str, Any]
"""What a piece computes: numbers, texts, None, and lists and dicts of these, as JSON has them."""


@dataclass(frozen=True, eq=False)
class Piece:
    """``function(**settings)``, or ``function(data, **settings)``: a part of a figure.

    The settings say all that the numbers depend on, seeds included, so that what was computed once
    can be kept under them.

    Attributes
    ----------
    figure : str
    name : str
        What is being computed; unique within the figure for given settings.
    function : callable
        Of a module, so that another process finds it. Returns a `Payload`.
    settings : mapping
        Of the kinds that JSON has.
    data : object, optional
        What is too large for a setting; a setting must name it.

    Examples
    --------
    >>> piece = Piece("sums", "two and three", lambda a, b: {"sum": a + b}, {"a": 2, "b": 3})
    >>> piece.compute()
    {'sum': 5}
    """

    figure: str
    name: str
    function: Callable[..., Payload]
    settings: Mapping[str, Any]
    data: Any = None

    def compute(self) -> Payload:
        """Run it."""
        if self.data is None:
            return self.function(**self.settings)
        return self.function(self.data, **self.settings)


@dataclass(frozen=True)
class Result:
    """What a piece computed, in how many CPU seconds, and what it warned of how often."""

    payload: Payload
    seconds: float
    warnings: dict[str, int]


class ResultCache:
    """Results in files, under what they depend on.

    Parameters
    ----------
    folder : path
        Made when the first result is kept.
    versions : dict
        Of the program and of what it computes with; another version is another result.
    """

    def __init__(self, folder: Path, versions: dict[str, str]) -> None:
        self.folder = folder
        self.versions = versions

    def path(self, piece: Piece) -> Path:
        """Where the result of a piece belongs."""
        identity = json.dumps(self._identity(piece), sort_keys=True)
        digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
        words = re.sub(r"[^a-z0-9]+", "-", piece.name.lower()).strip("-")
        return self.folder / piece.figure / f"{words}-{digest}.json"

    def load(self, piece: Piece) -> Result | None:
        """The result that is kept, None if there is none that can be read."""
        try:
            kept = json.loads(self.path(piece).read_text(encoding="utf-8"))
            if kept["identity"] != self._identity(piece):
                return None
            return Result(**kept["result"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, piece: Piece, result: Result) -> Result:
        """Write a result, and return it as it will be read."""
        path = self.path(piece)
        text = json.dumps({"identity": self._identity(piece), "result": asdict(result)})
        with writing_into(self.folder):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomically(path, text)
        return Result(**json.loads(text)["result"])

    def results(
        self,
        pieces: Sequence[Piece],
        *,
        jobs: int = 1,
        fresh: bool = False,
        done: Callable[[Piece, Result, bool], None] = lambda *_: None,
    ) -> list[Result]:
        """Results of all pieces, in their order; each is kept as soon as it is there.

        Parameters
        ----------
        pieces : sequence of Piece
        jobs : int
            Processes side by side. Results do not depend on it.
        fresh : bool
            Compute also what is kept.
        done : callable
            ``done(piece, result, was_kept)`` after each.

        Raises
        ------
        Refusal
            If one of several processes was ended from outside, or a result cannot be written.
            What was finished before is kept.
        """
        found: dict[int, Result] = {}
        for place, piece in enumerate(pieces):
            kept = None if fresh else self.load(piece)
            if kept is not None:
                found[place] = kept
                done(piece, kept, True)
        missing = [place for place in range(len(pieces)) if place not in found]
        with _computed(pieces, missing, jobs) as computed:
            for place, result in computed:
                found[place] = self.keep(pieces[place], result)
                done(pieces[place], found[place], False)
        return [found[place] for place in range(len(pieces))]

    def _identity(self, piece: Piece) -> dict[str, Any]:
        return {
            "figure": piece.figure,
            "name": piece.name,
            "settings": dict(piece.settings),
            "versions": self.versions,
        }


@contextmanager
def _computed(
    pieces: Sequence[Piece], places: Sequence[int], jobs: int
) -> Iterator[Iterator[tuple[int, Result]]]:
    """Results as they come; leaving the block ends the other processes."""
    work = [(place, pieces[place]) for place in places]
    if jobs <= 1 or len(work) <= 1:
        yield map(_numbered, work)
        return
    others = set(active_children())
    # A new interpreter each: a fork would copy locks that threads of this one may hold.
    pool = ProcessPoolExecutor(
        min(jobs, len(work)), mp_context=get_context("spawn"), initializer=_deaf
    )
    try:
        yield _side_by_side(pool, work)
    except BaseException:
        # Shutting down waits for pieces that are being computed, which can take minutes.
        for process in set(active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _side_by_side(
    pool: ProcessPoolExecutor, work: Sequence[tuple[int, Piece]]
) -> Iterator[tuple[int, Result]]:
    """Results as they come; all that were finished before a process was lost, then a refusal."""
    futures: list[Future[tuple[int, Result]]] = []
    lost: BrokenProcessPool | None = None
    try:
        for one in work:
            futures.append(pool.submit(_numbered, one))
    except BrokenProcessPool as error:
        lost = error
    for future in as_completed(futures):
        try:
            result = future.result()
        except BrokenProcessPool as error:
            lost = error
        else:
            yield result
    if lost is not None:
        raise Refusal(
            "a process was ended from outside (memory?). Use fewer --jobs and try again; "
            "what is finished is kept.",
            code=1,
        ) from lost


def _deaf() -> None:
    """An interruption is for the first process, which ends the others."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _numbered(work: tuple[int, Piece]) -> tuple[int, Result]:
    from threadpoolctl import threadpool_limits

    place, piece = work
    # One thread, so that sums are added in one order and results do not depend on the machine's
    # cores; processes side by side make up for it. Warnings are told with the result.
    with threadpool_limits(limits=1), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        begun = time.process_time()
        payload = piece.compute()
        seconds = time.process_time() - begun
    texts = Counter(f"{warning.category.__name__}: {warning.message}" for warning in heard)
    return place, Result(payload, seconds, dict(texts))
