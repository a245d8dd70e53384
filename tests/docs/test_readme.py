"""What the README shows runs, in the order in which it is shown."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Pages whose examples take seconds.
LONG = ("numbers", "paper_and_code")


def test_python_blocks_run_and_say_what_the_text_says(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    birds = names["birds"]
    truth = birds.table.frame["truth"].to_numpy()
    is_right = birds.labels["label"].to_numpy() == truth
    said = {
        "right": is_right.mean(),
        "say so (mean confidence": birds.confidence.mean(),
        "resolved": birds.resolved.mean(),
        "of the resolved": is_right[birds.resolved].mean(),
    }
    figures = re.search(
        r"labels are right in ([\d.]+) %, and say so \(mean confidence ([\d.]+) %\); of the "
        r"([\d.]+) %\s+that are resolved, ([\d.]+) % are right",
        README,
    )
    assert figures is not None
    for text, value in zip(figures.groups(), said.values(), strict=True):
        # Another processor may decide one of 480 rows differently.
        assert abs(float(text) / 100 - value) < 0.01
    recovered = next(line for line in printed if re.fullmatch(r"[01]\.\d+", line))
    assert float(recovered) > 0.9, "recovered labels of the iris example"
    assert names["boosted"].score(names["X"], names["species"]) > 0.9
    assert names["ranker"].predict_order([[21], [65]]).tolist() == [
        ["rock", "jazz", "folk"],
        ["folk", "jazz", "rock"],
    ]
    assert np.isfinite(names["search"].best_score_)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=pytest.mark.slow if page.stem in LONG else [])
        for page in sorted((ROOT / "docs").rglob("*.md"))
    ],
)
def test_examples_of_the_docs_run(page):
    failures, _ = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert failures == 0


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()
