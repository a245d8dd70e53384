"""Time and size of the report of a fit, and how long Chromium takes to show it.

    python -m benchmarks.report [--rows 10000 100000] [--write]

A made-up table of numbers and ten classes (`benchmarks.table_models`), fitted with ten neighbours.
"made" is what the page takes beyond the fit, written to a file. "shown" is a whole run of headless
Chromium that loads the page, runs its script and prints the document, start of the browser
included; empty where there is no Chromium.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.results import provenance, write_section
from benchmarks.table_models import numeric
from disambig import fit_table

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def shown_seconds(page: Path) -> str:
    """How long a browser takes from its start to the document after its scripts."""
    browser = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if browser is None:
        return ""
    start = time.perf_counter()
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    done = subprocess.run([browser, *flags, page.as_uri()], capture_output=True, check=True)
    seconds = time.perf_counter() - start
    # The table library has run: it adds its controls.
    return f"{seconds:.1f}" if b"Save as CSV" in done.stdout else "no script ran"


def row_of(n: int, folder: Path) -> str:
    model = fit_table(numeric(n, folder), "label", drop=["truth"], weights="neighbors")
    page = folder / "report.html"
    wall, cpu = time.perf_counter(), time.process_time()
    model.report().to_html(page)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    size = page.stat().st_size / 1e6
    return f"| {n} | {size:.1f} | {wall:.1f} | {cpu:.1f} | {shown_seconds(page)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        lines = [row_of(n, Path(folder)) for n in options.rows]
    text = "\n".join(
        [
            "## The report of a fit",
            "",
            provenance(
                "python -m benchmarks.report",
                seeds="0",
                more={"Processes that ran or waited beside it": f"{os.getloadavg()[0]:.0f}"},
            ),
            "",
            "| rows | size (MB) | made (seconds) | made (processor seconds) | shown (seconds) |",
            "|---|---|---|---|---|",
            *lines,
        ]
    )
    print(text)
    if options.write:
        write_section("report", text)


if __name__ == "__main__":
    main()
