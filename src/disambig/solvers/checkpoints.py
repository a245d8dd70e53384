"""Checkpoints of a solver: the states of its runs in a folder, so that a killed solve can go on.

A solve is a sequence of runs of `iterate` (starts, rounds of decoding), and each run a sequence of
steps. Both are deterministic. So a solve that is repeated takes the kept states where it has them,
and goes on from the last one: the result is that of a solve that was never interrupted.
"""

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from disambig.atomic import atomic_write
from disambig.exceptions import CheckpointError
from disambig.notation import AnyArray

_HEADER = "header.json"
_LAYOUT = 1


@runtime_checkable
class StoresStates(Protocol):
    """A `Process` whose states can be written to a file and read back, bit for bit."""

    def packed(self, state: Any) -> dict[str, AnyArray]:
        """A state as arrays without objects."""
        ...

    def unpacked(self, arrays: dict[str, AnyArray]) -> Any:
        """The state of these arrays."""
        ...


class KeptRun(NamedTuple):
    """What is kept of a run: its last state, its trace, and how it ended (None: it did not)."""

    arrays: dict[str, AnyArray]
    trace: Sequence[Sequence[Any]]
    status: str | None


class Checkpoints:
    """The kept states of one solve, a file for each of its runs.

    Parameters
    ----------
    folder : Path
        Made if there is none. It holds nothing else.
    key : str
        Of the problem and the solver; a folder of another key is refused.
    interval : float
        Seconds between two writes in a run; its last state is always written.
    """

    def __init__(self, folder: Path, key: str, interval: float) -> None:
        self.folder, self.interval = folder, interval
        self._number = -1
        self._is_closed = False
        self._last = time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        header = folder / _HEADER
        mine = {"layout": _LAYOUT, "key": key}
        if header.exists() and json.loads(header.read_text(encoding="utf-8")) != mine:
            raise CheckpointError(
                f"{folder} holds checkpoints of other data, weights or another solver. Name "
                "another folder, or delete this one."
            )
        if not header.exists():
            # A kill in the first write leaves a hidden file, which the next write removes.
            if any(not path.name.startswith(".") for path in folder.iterdir()):
                raise CheckpointError(
                    f"{folder} has files that are no checkpoints. Name an empty or a new folder."
                )
            with atomic_write(header) as stream:
                stream.write(json.dumps(mine).encode())

    def next_run(self) -> KeptRun | None:
        """What is kept of the run that now begins; None if nothing is."""
        self._number += 1
        if not self._path.exists():
            return None
        with np.load(self._path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        about = json.loads(str(arrays.pop("about")))
        return KeptRun(arrays, about["trace"], about["status"])

    def keep(self, run: KeptRun) -> None:
        """Write the state of the current run, if it has ended or the last write is long ago."""
        if self._is_closed:
            return
        if run.status is None and time.monotonic() - self._last < self.interval:
            return
        about = json.dumps({"trace": run.trace, "status": run.status})
        contents: Any = {"about": np.array(about), **run.arrays}
        with atomic_write(self._path) as stream:
            np.savez(stream, **contents)
        self._last = time.monotonic()

    def close(self) -> None:
        """Keep no further states."""
        self._is_closed = True

    def remove(self) -> None:
        """Delete the files of a solve that is finished."""
        for path in (*self.folder.glob("run-*.npz"), self.folder / _HEADER):
            path.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        return self.folder / f"run-{self._number:04d}.npz"


_CURRENT: ContextVar[Checkpoints | None] = ContextVar("_CURRENT", default=None)


def current_checkpoints() -> Checkpoints | None:
    """Where the runs of this solve keep their states; None: nowhere."""
    return _CURRENT.get()


@contextmanager
def checkpoints(folder: Any, key: str, interval: float = 60.0) -> Iterator[Checkpoints]:
    """Keep the states of the solve in the block; take those that are kept already.

    Parameters
    ----------
    folder : path
    key : str
        See `checkpoint_key`.
    interval : float
        Seconds between two writes.

    Examples
    --------
    >>> import tempfile
    >>> from disambig.candidates import LabelSets
    >>> from disambig.losses import ZeroOneLoss
    >>> from disambig.problem import Problem
    >>> from disambig.solvers import AlternatingMinimization
    >>> from disambig.votes import as_votes
    >>> sets = LabelSets.from_sets([{"a"}, {"a", "b"}])
    >>> problem = Problem(as_votes(np.ones((2, 2))), ZeroOneLoss().bind(sets.classes), sets)
    >>> with tempfile.TemporaryDirectory() as folder, checkpoints(folder, "an example") as kept:
    ...     solution = AlternatingMinimization().solve(problem)
    ...     kept.remove()
    >>> solution.objective
    0.0
    """
    kept = Checkpoints(Path(folder), key, interval)
    token = _CURRENT.set(kept)
    try:
        yield kept
    finally:
        _CURRENT.reset(token)


def checkpoint_key(parts: Sequence[Any]) -> str:
    """One text for a problem and a solver, from arrays and from anything with a ``repr``.

    Examples
    --------
    >>> checkpoint_key([np.arange(3), "a"]) == checkpoint_key([np.arange(3), "b"])
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).view(np.uint8).data)
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()
