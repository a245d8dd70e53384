"""The `disambig` commands of a page run, one after the other, on small tables.

Those of the README run in `.ci/wheel.py`, in an environment that has nothing else.
"""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import disambig.cli
from tests.docs.test_pages import PAGES, commands

WITH_COMMANDS = [
    name
    for name in PAGES
    if name != "README.md"
    and any(words[0] == "disambig" and words[1] != "reproduce" for _, words in commands(name))
]


def write_tables(folder: Path) -> None:
    """Rows of two classes in four places, and shops in twelve cities."""
    rng = np.random.default_rng(0)
    answer = rng.choice(["ant", "bee"], 80)
    frame = pd.DataFrame(
        {
            "key": [f"k{row}" for row in range(80)],
            "size": np.where(answer == "ant", 1.0, 5.0) + rng.normal(size=80).round(2),
            "place": rng.choice(["hill", "lake", "town", "wood"], 80),
            "answer": answer,
        }
    )
    label = np.where(rng.random(80) < 0.4, "ant|bee", answer)
    frame.assign(label=label).to_csv(folder / "train.csv", index=False)
    (folder / "data").mkdir()
    for part in range(2):
        rows = frame.drop(columns="answer").assign(label=label)[40 * part : 40 * part + 40]
        rows.to_parquet(folder / "data" / f"{part}.parquet", index=False)
    frame.drop(columns="answer").assign(label=label).to_csv(folder / "people.csv", index=False)
    frame.to_csv(folder / "new.csv", index=False)
    shares = pd.crosstab(frame["place"], frame["answer"])
    for name in ("shares.csv", "new_shares.csv"):
        shares.to_csv(folder / name)
    sales = 10.0 * frame["size"] + 100.0
    # Weights are chosen from ten bags of known means on.
    city = [f"city {row % 12}" for row in range(80)]
    shops = frame[["size"]].assign(
        city=city, sales=[f"{value - 5:.0f}-{value + 5:.0f}" for value in sales]
    )
    shops.to_csv(folder / "shops.csv", index=False)
    sales.groupby(shops["city"]).mean().round(3).to_csv(folder / "means.csv")


def fill_in(questions: Path) -> None:
    """Answer every question by the label that was recovered."""
    asked = pd.read_csv(questions, dtype=str, keep_default_na=False)
    asked.assign(answer=asked["label"]).to_csv(questions, index=False)


def test_pages_with_commands_are_found():
    assert {"docs/start.md", "docs/files.md", "docs/guide/bags.md"} <= set(WITH_COMMANDS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_commands_run(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_tables(tmp_path)
    for line, words in commands(name):
        # A scheduler at an address is a cluster of the reader.
        if words[0] != "disambig" or words[1] == "reproduce" or "--scheduler" in words:
            continue
        words = [
            path
            for word in words
            for path in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
        ]
        if words[1] == "answer":
            fill_in(tmp_path / words[3])
        code = disambig.cli.main(words[1:])
        assert code == 0, (line, words, capsys.readouterr().err)
        if (tmp_path / "run").is_dir() and not (tmp_path / "other").exists():
            # The page about reports compares two runs.
            shutil.copytree(tmp_path / "run", tmp_path / "other")
