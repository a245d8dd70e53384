"""Jobs, the parts of a figure that are computed one by one, and a cache of their results on disk.

A `Job` is a function with settings. `ResultCache` writes the result of each job to a JSON file as
soon as it is computed. The file name contains a hash of what the result depends on: figure, name,
settings and versions. A run that was interrupted therefore continues with the missing jobs.
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
from reproduce.processes import follow_main_process

Payload: TypeAlias = dict[str, Any]
"""What a job computes: numbers, strings, None, and lists and dicts of these, as in JSON."""


@dataclass(frozen=True, eq=False)
class Job:
    """A part of a figure: ``function(**settings)``, or ``function(data, **settings)``.

    The settings must determine the result, so they include the seeds: `ResultCache` looks results
    up by them.

    Attributes
    ----------
    figure : str
    name : str
        What is computed; together with the settings it is unique within the figure.
    function : callable
        Returns a `Payload`. Defined at the top level of a module, so that it can be pickled.
    settings : mapping
        Values that JSON can store.
    data : object, optional
        Data that are too large for a setting. A setting must identify them.

    Examples
    --------
    >>> job = Job("sums", "two and three", lambda a, b: {"sum": a + b}, {"a": 2, "b": 3})
    >>> job.compute()
    {'sum': 5}
    """

    figure: str
    name: str
    function: Callable[..., Payload]
    settings: Mapping[str, Any]
    data: Any = None

    def compute(self) -> Payload:
        """Call the function."""
        if self.data is None:
            return self.function(**self.settings)
        return self.function(self.data, **self.settings)


@dataclass(frozen=True)
class JobResult:
    """What a job computed, its CPU seconds, and how often it gave each warning."""

    payload: Payload
    seconds: float
    warnings: dict[str, int]


class ResultCache:
    """Results of jobs in files, one file for each job.

    Parameters
    ----------
    folder : path
        Created when the first result is stored.
    versions : dict
        Versions of the program and of its dependencies. Results of other versions are not used.
    """

    def __init__(self, folder: Path, versions: dict[str, str]) -> None:
        self.folder = folder
        self.versions = versions

    def path(self, job: Job) -> Path:
        """The file of the result of a job."""
        identity = json.dumps(self._identity(job), sort_keys=True)
        digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
        slug = re.sub(r"[^a-z0-9]+", "-", job.name.lower()).strip("-")
        return self.folder / job.figure / f"{slug}-{digest}.json"

    def load(self, job: Job) -> JobResult | None:
        """The stored result of a job, or None if there is none that can be read."""
        try:
            stored = json.loads(self.path(job).read_text(encoding="utf-8"))
            if stored["identity"] != self._identity(job):
                return None
            return JobResult(**stored["result"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def store(self, job: Job, result: JobResult) -> JobResult:
        """Store a result, and return it as `load` will."""
        path = self.path(job)
        text = json.dumps({"identity": self._identity(job), "result": asdict(result)})
        with writing_into(self.folder):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomically(path, text)
        return JobResult(**json.loads(text)["result"])

    def results(
        self,
        jobs: Sequence[Job],
        *,
        n_processes: int = 1,
        fresh: bool = False,
        done: Callable[[Job, JobResult, bool], None] = lambda *_: None,
    ) -> list[JobResult]:
        """Results of all jobs, in their order; each is stored as soon as it is computed.

        Parameters
        ----------
        jobs : sequence of Job
        n_processes : int
            Processes that run in parallel. Results do not depend on it.
        fresh : bool
            Ignore stored results and compute all jobs again.
        done : callable
            Called as ``done(job, result, was_stored)`` after each job.

        Raises
        ------
        Refusal
            If one of several processes was killed, or if a result cannot be written. The results
            of jobs that finished before that are stored.
        """
        found: dict[int, JobResult] = {}
        for index, job in enumerate(jobs):
            stored = None if fresh else self.load(job)
            if stored is not None:
                found[index] = stored
                done(job, stored, True)
        missing = [index for index in range(len(jobs)) if index not in found]
        with _computed(jobs, missing, n_processes) as computed:
            for index, result in computed:
                found[index] = self.store(jobs[index], result)
                done(jobs[index], found[index], False)
        return [found[index] for index in range(len(jobs))]

    def _identity(self, job: Job) -> dict[str, Any]:
        """What the result depends on."""
        return {
            "figure": job.figure,
            "name": job.name,
            "settings": dict(job.settings),
            "versions": self.versions,
        }


@contextmanager
def _computed(
    jobs: Sequence[Job], indices: Sequence[int], n_processes: int
) -> Iterator[Iterator[tuple[int, JobResult]]]:
    """Results in the order in which they finish; leaving the block ends the other processes."""
    work = [(index, jobs[index]) for index in indices]
    if n_processes <= 1 or len(work) <= 1:
        yield map(_compute_job, work)
        return
    others = set(active_children())
    # "spawn" starts new interpreters. A fork would copy locks that threads of this one may hold.
    pool = ProcessPoolExecutor(
        min(n_processes, len(work)),
        mp_context=get_context("spawn"),
        initializer=follow_main_process,
    )
    try:
        yield _parallel_results(pool, work)
    except BaseException:
        # Shutting the pool down waits for running jobs, which can take minutes.
        for process in set(active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _parallel_results(
    pool: ProcessPoolExecutor, work: Sequence[tuple[int, Job]]
) -> Iterator[tuple[int, JobResult]]:
    """Results in the order in which they finish; a `Refusal` after them if a process was killed."""
    futures: list[Future[tuple[int, JobResult]]] = []
    lost: BrokenProcessPool | None = None
    try:
        for one in work:
            futures.append(pool.submit(_compute_job, one))
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
            "a process was killed, perhaps for want of memory. Run the command again with a "
            "smaller --jobs; finished results are stored.",
            code=1,
        ) from lost


def _compute_job(work: tuple[int, Job]) -> tuple[int, JobResult]:
    """The result of a job, with the index of the job."""
    from threadpoolctl import threadpool_limits

    index, job = work
    # With one thread, sums are added in one order, so results do not depend on the number of
    # cores. Several processes use the cores instead. Warnings are stored with the result.
    with threadpool_limits(limits=1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        begun = time.process_time()
        payload = job.compute()
        seconds = time.process_time() - begun
    texts = Counter(f"{warning.category.__name__}: {warning.message}" for warning in caught)
    return index, JobResult(payload, seconds, dict(texts))
