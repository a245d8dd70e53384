"""What ``disambig demo`` leaves behind: a figure and two tables."""

import io
from pathlib import Path

from disambig.cli.demo_words import METHOD_NAMES, headline, kind_titles
from disambig.cli.refusal import Refusal
from disambig.experiments import Demo, Outcome, Recovered, summarize
from disambig.experiments.demo import CEILING
from disambig.io import write_bytes_atomically, write_csv_atomically
from disambig.plots import error_curves_figure

__all__ = ["FIGURE", "LABELS", "RESULTS", "write_all"]

FIGURE = "error-curves.png"
RESULTS = "results.csv"
LABELS = "recovered-labels.csv"


def write_all(folder: Path, demo: Demo, outcomes: list[Outcome], recovered: Recovered) -> None:
    """Write the three files, each whole or not at all; refuse with the system's reason."""
    figure = error_curves_figure(
        summarize(outcomes),
        ceiling=CEILING,
        names=METHOD_NAMES,
        kinds=kind_titles(demo),
        title=headline(demo, outcomes),
        note=f"means over {demo.n_splits} random splits; bars and band: standard errors",
    )
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=150)
    try:
        write_bytes_atomically(folder / FIGURE, picture.getvalue())
        _write_results(folder / RESULTS, outcomes)
        _write_labels(folder / LABELS, recovered)
    except OSError as error:
        raise Refusal(f"cannot write into {folder}: {error.strerror or error}.", code=1) from error


def _write_results(path: Path, outcomes: list[Outcome]) -> None:
    header = (
        "kind", "level", "split", "method", "mean_set_size", "n_neighbors", "test_error",
        "share_recovered",
    )  # fmt: skip
    rows = [
        (
            o.kind, o.level, o.split, o.method, f"{o.set_size:.4f}", o.choice,
            f"{o.error:.6f}", f"{o.recovered:.6f}",
        )
        for o in outcomes
    ]  # fmt: skip
    write_csv_atomically(path, header, rows)


def _write_labels(path: Path, recovered: Recovered) -> None:
    """One line a training row; a row that the data leave undecided has no label."""
    header = ("row", "candidates", "label", "resolved", "confidence", "truth")
    rows = zip(
        recovered.rows.tolist(),
        ("|".join(str(name) for name in names) for names in recovered.candidates()),
        (
            label if sure else None
            for label, sure in zip(recovered.labels.tolist(), recovered.resolved, strict=True)
        ),
        ("true" if sure else "false" for sure in recovered.resolved),
        (f"{share:.4f}" for share in recovered.confidence),
        recovered.truth.tolist(),
        strict=True,
    )
    write_csv_atomically(path, header, rows)
