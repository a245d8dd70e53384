"""`DaskExecutor`: functions of blocks on the workers of a Dask cluster.

Blocks are futures with the tasks that made them, so that the cluster makes a block again if its
worker dies. Nothing is pinned to a worker. Arrays travel between the client and the workers
directly, not through the scheduler. What the client sent is lost with the worker that had it; the
step is then sent and run again, a bounded number of times.
"""

import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
from distributed import Client, Future, KilledWorker, wait
from distributed.comm import CommClosedError

from disambig.exceptions import ClusterError
from disambig.notation import AnyArray
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
    patience : float, default 60
        Seconds for which the cluster may be without workers before the step ends with an error.

    Attributes
    ----------
    counts : dict
        What travelled so far: calls, tasks, messages (scattered arrays and tasks), bytes_sent and
        bytes_received, repeated attempts.
    """

    def __init__(self, client: Client, *, max_attempts: int = 10, patience: float = 60.0) -> None:
        self.client = client
        self.max_attempts = max_attempts
        self.patience = patience
        self.counts = dict.fromkeys(
            ("calls", "tasks", "messages", "bytes_sent", "bytes_received", "repeated"), 0
        )
        # By identity of the array: the array, which keeps the identity, its futures, the last call.
        self._sent: dict[Any, tuple[AnyArray, Any, int]] = {}

    def map(
        self, function: Callable[..., Any], blocks: Sequence[Any], *arguments: Any
    ) -> list[Any]:
        """See `disambig.votes.executor.Executor`."""
        found = self.run(lambda: self._submitted(function, blocks, arguments), blocks)
        self.counts["bytes_received"] += sum(_bytes_of(part) for part in found)
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
            except _LOST as error:
                self._sent.clear()
                self.counts["repeated"] += 1
                check_client(self.client)
                if attempt == self.max_attempts or not self._revived(kept):
                    raise ClusterError(
                        f"A step on the Dask cluster failed {attempt} times, because workers died "
                        f"or what they had is lost: {type(error).__name__}: {error}. Look into the "
                        "logs of the workers (memory is the usual reason), and fit again."
                    ) from error
        raise AssertionError("the loop returns or raises")

    def sent(self, value: AnyArray) -> Future:
        """An array on some worker; the same future for the same array."""
        return self._once(id(value), value, lambda: self._scatter([value])[0])

    def _revived(self, kept: Sequence[Future]) -> bool:
        """Whether the blocks are there, or can be made again; failed ones are."""
        failed = [future for future in kept if future.status == "error"]
        if failed:
            self.client.retry(failed)
        return not any(future.status in ("cancelled", "lost") for future in kept)

    def _submitted(
        self, function: Callable[..., Any], blocks: Sequence[Any], arguments: Any
    ) -> list[Future]:
        self.counts["calls"] += 1
        self.counts["tasks"] += len(blocks)
        self.counts["messages"] += len(blocks)
        number = self.counts["calls"]
        self._sent = {k: v for k, v in self._sent.items() if v[2] >= number - _CALLS_KEPT}
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
        if isinstance(argument, RowSlices):
            whole, bounds = argument.array, argument.bounds
            if whole.nbytes < _SMALL_BYTES:
                return [argument[b] for b in range(n_blocks)]
            return list(
                self._once(
                    (id(whole), bounds.tobytes()),
                    whole,
                    lambda: self._scatter([argument[b] for b in range(n_blocks)]),
                )
            )
        if isinstance(argument, np.ndarray) and argument.nbytes >= _SMALL_BYTES:
            return [self.sent(argument)] * n_blocks
        return [argument] * n_blocks

    def _once(self, key: Any, array: AnyArray, send: Callable[[], Any]) -> Any:
        known = self._sent.get(key)
        futures = send() if known is None else known[1]
        self._sent[key] = (array, futures, self.counts["calls"])
        return futures

    def _scatter(self, arrays: list[AnyArray]) -> list[Future]:
        self._require_workers()
        self.counts["messages"] += len(arrays)
        self.counts["bytes_sent"] += sum(array.nbytes for array in arrays)
        found: list[Future] = self.client.scatter(arrays, direct=True, hash=False)
        return found

    def _wait(self, futures: list[Future]) -> None:
        """Until all are done; raises if the cluster is gone, or has no workers for too long."""
        while True:
            try:
                wait(futures, timeout=_LOOK_SECONDS)
                return
            except TimeoutError:
                check_client(self.client)
                self._require_workers()

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


def _bytes_of(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(_bytes_of(part) for part in value)
    return int(getattr(value, "nbytes", 0))
