"""``disambig fit`` of Parquet files that are larger than memory: labels and a summary out."""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from disambig.cli.commands import Refusal, output_folder, require_packages, writing_into
from disambig.cli.console import Output
from disambig.cli.fit import EXTRAS, PACKAGES, fit_settings, show_fit
from disambig.cli.progress import progress_bar
from disambig.cli.reading import bag_options, table_options

# Options of one text file, or of one file in memory, and the values that they have if not given.
_NOT_LARGE = {"sep": None, "encoding": None, "header": True, "rows": True}
_OPTION = {"header": "--no-header", "rows": "--no-rows"}


def run_large(arguments: argparse.Namespace) -> int:
    """Run ``fit`` with --memory, --workers or --scheduler."""
    require_packages(PACKAGES, EXTRAS)
    on_cluster = arguments.memory is None
    if on_cluster:
        require_packages(("dask", "distributed"), "dask")
    _refuse_others(arguments)
    from disambig.storage.sizes import memory_size
    from disambig.table_models.folder import (
        SUMMARY_FILE,
        read_summary,
        refuse_existing,
        save_folder,
    )
    from disambig.table_models.large import WORK_FOLDER, LargeTable, WorkFolder, fit_large
    from disambig.tables.parquet_files import ParquetFiles

    output = Output("disambig fit", as_json=arguments.json, quiet=arguments.quiet)
    if not on_cluster:
        memory_size(arguments.memory)
    if not (arguments.force or arguments.resume):
        refuse_existing(arguments.out)
    settings = fit_settings(arguments)
    start = time.perf_counter()
    files = ParquetFiles.open(arguments.file[0] if len(arguments.file) == 1 else arguments.file)
    options = {
        name: value for name, value in table_options(arguments).items() if name not in _NOT_LARGE
    }
    large = LargeTable.read(files, settings, options)
    seconds = {"read": time.perf_counter() - start}
    for note in large.table.notes:
        output.note(note)
    key = large.key(settings)
    with output_folder(arguments.out) as folder:
        work = WorkFolder(folder / WORK_FOLDER, key)
        if arguments.resume and (folder / SUMMARY_FILE).exists():
            summary = read_summary(folder)
            if summary.get("run") == key:
                work.remove()
                output.note(f"this run is finished; its files are in {folder}.")
                output.document(summary)
                return 0
        if arguments.resume and not arguments.force:
            refuse_existing(folder)
        work.begin(arguments.resume, arguments.force)
        try:
            with output.shown_warnings(), progress_bar(arguments.quiet) as callback:
                model = fit_large(
                    large,
                    settings,
                    work.path,
                    memory=arguments.memory,
                    cluster=_cluster(arguments) if on_cluster else None,
                    callback=callback,
                    seconds=seconds,
                )
        except KeyboardInterrupt:
            output.note(f"what is done is kept in {work.path}; go on with --resume.")
            raise
        for note in model.notes[len(large.table.notes) :]:
            output.note(note)
        with writing_into(folder):
            summary = save_folder(
                model,
                folder,
                overwrite=True,
                excel_safe=arguments.excel_safe,
                run=key,
                command=arguments.command_line,
                origin={"file": None, "files": list(files.paths)},
            )
        work.remove()
    output.document(summary)
    show_fit(output, model, summary, arguments.out)
    return 0


def _refuse_others(arguments: argparse.Namespace) -> None:
    """Raise if an option does not go together with files larger than memory."""
    if not arguments.file:
        raise Refusal("FILE is missing. It comes first: disambig fit FILE ... --memory 4GiB")
    for name, usual in _NOT_LARGE.items():
        if getattr(arguments, name) != usual:
            why = "no report is written" if name == "rows" else "the files are Parquet"
            raise Refusal(f"{_OPTION.get(name, f'--{name}')}: {why}. Leave it out.")
    if bag_options(arguments):
        raise Refusal(
            "--bags, --proportions and --means are kept by fits in memory only. Leave --memory, "
            "--workers and --scheduler out."
        )
    if "-" in arguments.file:
        raise Refusal(
            "the standard input is read once, and files larger than memory several times. Write "
            "it to a Parquet file."
        )


def _cluster(arguments: argparse.Namespace) -> Callable[[], Any]:
    """What makes the client: workers on this machine, or those of a scheduler."""

    @contextmanager
    def client() -> Iterator[Any]:
        from disambig.dask import local_client
        from disambig.dask.tables import client_at

        if arguments.workers is not None:
            found = local_client(arguments.workers)
        else:
            try:
                found = client_at(arguments.scheduler)
            except (OSError, ValueError) as error:
                raise Refusal(
                    f"--scheduler {arguments.scheduler}: there is no scheduler at this address "
                    f"({' '.join(str(error).split())[:120].rstrip('.')})."
                ) from error
        with found:
            yield found

    return client
