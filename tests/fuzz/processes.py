"""Processes that run cases: one that dies or hangs beyond rescue costs a case, not the run."""

import multiprocessing
import multiprocessing.connection
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from tests.fuzz.running import Outcome, group_of, run_all


def _work(seed: int, numbers: list[int], folder: str, pipe: Connection) -> None:
    for outcome in run_all(seed, numbers, Path(folder)):
        pipe.send(outcome)
    pipe.send(None)


class _Worker:
    """A process that runs cases one after another; if it dies, another takes the rest."""

    def __init__(self, seed: int, numbers: list[int], folder: Path) -> None:
        folder.mkdir()
        self._seed, self._rest, self._folder = seed, numbers, folder
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, ours = context.Pipe(duplex=False)
        args = (self._seed, self._rest, str(self._folder), ours)
        self._process = context.Process(target=_work, args=args, daemon=True)
        self._process.start()
        ours.close()

    def receive(self) -> Outcome | None:
        """The next outcome; None at the end."""
        try:
            outcome: Outcome | None = self.pipe.recv()
        except EOFError:
            self._process.join()
            if not self._rest:
                return None
            number = self._rest.pop(0)
            place = f"the process ended with {self._process.exitcode}"
            outcome = Outcome(number, group_of(number), "failed", place, "see above")
            self._start()
            return outcome
        if outcome is not None:
            self._rest.remove(outcome.number)
        return outcome


def outcomes(seed: int, numbers: list[int], jobs: int, folder: Path) -> Iterator[Outcome]:
    """The outcomes of cases, as they come."""
    workers = [_Worker(seed, numbers[k::jobs], folder / str(k)) for k in range(jobs)]
    while workers:
        ready = multiprocessing.connection.wait([worker.pipe for worker in workers])
        for worker in [one for one in workers if one.pipe in ready]:
            outcome = worker.receive()
            if outcome is None:
                workers.remove(worker)
            else:
                yield outcome
