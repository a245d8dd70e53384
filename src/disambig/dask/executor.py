"""`DaskExecutor`: functions of blocks on the workers of a Dask cluster.

Blocks are futures with the tasks that made them, so that the cluster makes a block again if its
worker dies. Nothing is pinned to a worker. Arrays travel between the client and the workers
directly, not through the scheduler. What the client sent is lost with the worker that had it; the
step is then sent and run again, a bounded number of times.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from itertools import islice
from typing import Any

import numpy as np
from distributed import Client, Future, KilledWorker, wait
from distributed.comm import CommClosedError

from disambig.exceptions import ClusterError
from disambig.votes.executor import RowSlices

# Arrays of fewer bytes travel with their task.
_SMALL_BYTES = 1024
# What was sent is kept on the workers for so many further calls: an alternating step has four.
_CALLS_KEPT = 6
# Seconds between two looks at the cluster while a step runs.
_LOOK_SECONDS = 2.0
_NUMBERS = itertools.count()
# What a lost worker, and a lost array, look like to the client.
_LOST = (CancelledError, KilledWorker, CommClosedError, OSError)


class DaskExecutor:
    """Runs functions of blocks on the workers of a cluster; see `disambig.votes.executor`.

    Parameters
    ----------
    client : distributed.Client
    max_attempts : int, default 10
        How often a step is run until no worker dies in it.
    patience : float, default 180
        Seconds for which the cluster may be without workers before the step ends with an error.

    Attributes
    ----------
    counts : dict
        What travelled so far: calls, tasks, messages (scattered arrays and tasks), bytes_sent and
        bytes_received, repeated attempts.
    """

    def __init__(self, client: Client, *, max_attempts: int = 10, patience: float = 180.0) -> None:
        self.client = client
        self.max_attempts = max_attempts
        self.patience = patience
        self.counts = dict.fromkeys(
            ("calls", "tasks", "messages", "bytes_sent", "bytes_received", "repeated"), 0
        )
        # By identity: the argument, which keeps the identity, its futures, the last call.
        self._sent: dict[Any, tuple[Any, Iterable[Future], int]] = {}

    def map(
        self, function: Callable[..., Any], blocks: Sequence[Any], *arguments: Any
    ) -> list[Any]:
        """See `disambig.votes.executor.Executor`."""
        found = self.run(lambda: self._submitted(function, blocks, arguments), blocks)
        self.counts["bytes_received"] += sum(_bytes_of(part) for part in found)
        return found

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """See `disambig.votes.executor.Executor`; a future with the task that made it."""
        found: Future = self.client.submit(function, *arguments, pure=False)
        return found

    def run(self, submit: Callable[[], list[Future]], kept: Sequence[Future] = ()) -> list[Any]:
        """The results of the futures that `submit` returns, in their order.

        Parameters
        ----------
        submit : callable
            Called again if what was sent is lost.
        kept : sequence of Future
            Earlier results that the tasks read; those that failed with their worker are retried.
        """
        check_client(self.client)
        for attempt in range(1, self.max_attempts + 1):
            try:
                futures = submit()
                self._wait(futures)
                found: list[Any] = self.client.gather(futures, direct=True)
                return found
            except (FileNotFoundError, PermissionError):
                # Of a task that reads a file: it would fail again.
                raise
            except _LOST as error:
                self.forget()
                self.counts["repeated"] += 1
                check_client(self.client)
                if attempt == self.max_attempts or not self._revived(kept):
                    raise ClusterError(
                        f"A step on the Dask cluster failed {attempt} times, because workers died "
                        f"or what they had is lost: {type(error).__name__}: {error}. Look into the "
                        "logs of the workers (memory is the usual reason), and fit again."
                    ) from error
        raise AssertionError("the loop returns or raises")

    def forget(self) -> None:
        """Free what was sent to the workers."""
        self._sent.clear()

    def _revived(self, kept: Sequence[Future]) -> bool:
        """Whether the blocks are there, or can be made again; failed ones are."""
        failed = [future for future in kept if future.status == "error"]
        if failed:
            self.client.retry(failed)
        # One that is lost has tasks that make it again; one that is cancelled has none.
        return not any(future.status == "cancelled" for future in kept)

    def _submitted(
        self, function: Callable[..., Any], blocks: Sequence[Any], arguments: Any
    ) -> list[Future]:
        self.counts["calls"] += 1
        self.counts["tasks"] += len(blocks)
        self.counts["messages"] += len(blocks)
        number = self.counts["calls"]
        self._sent = {k: v for k, v in self._sent.items() if v[2] >= number - _CALLS_KEPT}
        self._send(arguments)
        columns = [self._placed(argument, len(blocks)) for argument in arguments]
        futures: list[Future] = self.client.map(
            function,
            list(blocks),
            *columns,
            pure=False,
            key=[f"{function.__name__}-{next(_NUMBERS)}-{id(self)}" for _ in blocks],
        )
        return futures

    def _placed(self, argument: Any, n_blocks: int) -> list[Any]:
        """What each task is given for one argument."""
        known = self._sent.get(_identity(argument))
        if known is not None:
            return list(islice(known[1], n_blocks))
        if isinstance(argument, RowSlices):
            return [argument[b] for b in range(n_blocks)]
        return [argument] * n_blocks

    def _send(self, arguments: Any) -> None:
        """Bring large arrays to the workers, all at once, unless they are there."""
        number = self.counts["calls"]
        large = {_identity(a): a for a in arguments if _is_large(a)}
        for key in large.keys() & self._sent.keys():
            self._sent[key] = (*self._sent[key][:2], number)
        missing = {key: a for key, a in large.items() if key not in self._sent}
        if not missing:
            return
        parts = [
            [a[b] for b in range(len(a))] if isinstance(a, RowSlices) else [a]
            for a in missing.values()
        ]
        flat = [array for part in parts for array in part]
        self._require_workers()
        futures = iter(self.client.scatter(flat, direct=True, hash=False))
        for (key, argument), part in zip(missing.items(), parts, strict=True):
            own = list(islice(futures, len(part)))
            placed = own if isinstance(argument, RowSlices) else itertools.repeat(own[0])
            self._sent[key] = (argument, placed, number)
        self.counts["messages"] += len(flat)
        self.counts["bytes_sent"] += sum(array.nbytes for array in flat)

    def _wait(self, futures: list[Future]) -> None:
        """Until all are done; raises if the cluster is gone, or its workers die without end."""
        workers, n_done, losses = set(self.client.nthreads()), 0, 0
        while True:
            try:
                wait(futures, timeout=_LOOK_SECONDS)
                return
            except TimeoutError:
                check_client(self.client)
                self._require_workers()
            now, known = set(self.client.nthreads()), n_done
            n_done = sum(future.done() for future in futures)
            workers &= now
            if n_done > known:
                losses = 0
            elif not workers:
                # All that were there when this was last so are gone, and nothing is done.
                losses += 1
            workers = workers or now
            if losses >= self.max_attempts:
                raise ClusterError(
                    f"All workers of the Dask cluster were lost {losses} times while a step made "
                    "no progress. Look into their logs (memory is the usual reason: give workers "
                    "more, or make the partitions smaller), and fit again."
                )

    def _require_workers(self) -> None:
        end = time.monotonic() + self.patience
        while not self.client.nthreads():
            if time.monotonic() > end:
                raise ClusterError(
                    f"The Dask cluster has had no worker for {self.patience:g} seconds. Start "
                    "workers, and fit again."
                )
            time.sleep(0.1)


def check_client(client: Any) -> None:
    """Raise a `ClusterError` unless the client is connected."""
    if not isinstance(client, Client):
        raise TypeError(
            f"client must be a distributed.Client; got {type(client).__name__}. Use "
            "Client('tcp://host:port'), or None for workers on this machine."
        )
    if client.status != "running":
        raise ClusterError(
            f"The Dask client is {client.status}, so that nothing can run. Connect a new one, and "
            "fit again."
        )


def _is_large(argument: Any) -> bool:
    array = argument.array if isinstance(argument, RowSlices) else argument
    return isinstance(array, np.ndarray) and array.nbytes >= _SMALL_BYTES


def _identity(argument: Any) -> Any:
    """The same for the same array, divided in the same way."""
    if isinstance(argument, RowSlices):
        return id(argument.array), argument.bounds.tobytes()
    return id(argument)


def _bytes_of(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(_bytes_of(part) for part in value)
    return int(getattr(value, "nbytes", 0))
