"""What the README and `llms.txt` say is true; that their examples run is in `test_pages.py`."""

import re
from pathlib import Path

import pytest

import disambig.cli.demo
from disambig import fit_table
from tests.docs.pages import ROOT, blocks, links

README = (ROOT / "README.md").read_text(encoding="utf-8")
INDEX = ROOT / "llms.txt"
SIGHTINGS = Path(disambig.cli.demo.__file__).with_name("sightings.csv")


def test_it_fits_two_screens():
    assert len(README.splitlines()) <= 170


@pytest.mark.slow
def test_figures_of_the_demonstration():
    birds = fit_table(SIGHTINGS, "species", id="sighting", drop=["truth"])
    is_right = birds.labels["label"].to_numpy() == birds.table.frame["truth"].to_numpy()
    said = re.search(
        r"labels\s+are right in ([\d.]+) %, and say so \(mean confidence ([\d.]+) %\); of the "
        r"([\d.]+) % that are resolved, ([\d.]+) % are right",
        README,
    )
    assert said is not None
    found = (
        is_right.mean(),
        birds.confidence.mean(),
        birds.resolved.mean(),
        is_right[birds.resolved].mean(),
    )
    for text, value in zip(said.groups(), found, strict=True):
        # Another processor may decide one of 480 rows differently.
        assert abs(float(text) / 100 - value) < 0.01


def table_below(text: str, heading: str) -> dict[str, list[str]]:
    """The rows of the first table below a heading, by their first cells."""
    _, _, below = text.partition(f"\n## {heading}\n")
    lines = re.findall(r"^\|(.*)\|$", below.partition("\n## ")[0], flags=re.MULTILINE)
    rows = [[cell.strip(" `") for cell in line.split("|")] for line in lines]
    return {row[0]: row[1:] for row in rows}


def test_the_benchmark_is_that_of_the_results():
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    measured = table_below(results, "Accuracy from candidate sets, at most 500 rows")
    shown = table_below(README, "How good is it?")
    names = {
        "PartialLabelClassifier()": "disambig",
        "disambiguation as in the paper, kernel ridge": "DF, kernel ridge",
        "average of candidates, kernel ridge": "AC, kernel ridge",
    }
    columns = ("mean rank", "first on", "test accuracy", "CPU seconds")
    for name, cells in list(shown.items())[2:]:
        row = dict(zip(measured["method"], measured[names.get(name, name)], strict=True))
        expected = [float(row[column]) for column in columns]
        assert [float(cell) for cell in cells] == expected, name


def test_the_index_for_language_models_leads_somewhere():
    # As long as a context that is read at once.
    assert len(INDEX.read_text(encoding="utf-8").splitlines()) < 120
    found = links(INDEX)
    assert len(found) > 20
    built = {"docs/api/index.rst"}
    missing = [link for link in found if link not in built and not (ROOT / link).exists()]
    assert not missing


def test_the_example_of_the_index_runs():
    (block,) = blocks(INDEX.read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    exec(block.code, names)
    model, species = names["model"], names["species"]
    assert (model.labels_ == species).mean() > 0.9
