"""How far a long computation is: a bar where there is a terminal for it, lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from disambig.cli.commands import is_installed
from reproduce.cache import Piece, Result

Done: TypeAlias = Callable[[Piece, Result, bool], None]


@contextmanager
def progress(total: int) -> Iterator[Done]:
    """What to call after each of `total` pieces."""
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

        def done(piece: Piece, result: Result, was_kept: bool) -> None:
            bar.update(task, advance=1, description=f"{piece.figure}: {piece.name}")

        yield done


def _lines(total: int) -> Done:
    begun, count, last = time.monotonic(), 0, 0.0

    def done(piece: Piece, result: Result, was_kept: bool) -> None:
        nonlocal count, last
        count += 1
        now = time.monotonic() - begun
        # A line for each of hundreds of short pieces would hide what matters.
        if count == total or now - last >= 2.0:
            last = now
            print(
                f"{count} of {total} pieces, {now:.0f} s: {piece.figure}, {piece.name}",
                file=sys.stderr,
                flush=True,
            )

    return done
