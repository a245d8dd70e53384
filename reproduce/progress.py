"""Progress of the jobs on standard error: a bar in a terminal that has `rich`, else lines."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from disambig.cli.commands import is_installed
from reproduce.cache import Job, JobResult

Done: TypeAlias = Callable[[Job, JobResult, bool], None]
"""Called as ``done(job, result, was_stored)`` after each job; see `ResultCache.results`."""

_SECONDS_BETWEEN_LINES = 2.0


@contextmanager
def progress(total: int) -> Iterator[Done]:
    """The function to call after each of `total` jobs."""
    if sys.stderr.isatty() and is_installed("rich"):
        with _bar(total) as done:
            yield done
    else:
        yield _lines(total)


@contextmanager
def _bar(total: int) -> Iterator[Done]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description:<40.40}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("starting", total=total)

        def done(job: Job, result: JobResult, was_stored: bool) -> None:
            bar.update(task, advance=1, description=f"{job.figure}: {job.name}")

        yield done


def _lines(total: int) -> Done:
    begun, count, last = time.monotonic(), 0, 0.0

    def done(job: Job, result: JobResult, was_stored: bool) -> None:
        nonlocal count, last
        count += 1
        now = time.monotonic() - begun
        # One line for each of hundreds of short jobs would hide other messages.
        if count == total or now - last >= _SECONDS_BETWEEN_LINES:
            last = now
            print(
                f"{count} of {total} jobs, {now:.0f} s: {job.figure}, {job.name}",
                file=sys.stderr,
                flush=True,
            )

    return done
