"""What the README shows runs, in the order in which it is shown."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_blocks_run_and_say_what_the_text_says(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    assert float(printed[0]) > 0.9, "recovered labels of the first example"
    assert names["found"].labels_.tolist() == ["cat", "cat", "cat", "fox", "fox", "fox"]
    assert names["boosted"].score(names["X"], names["species"]) > 0.9
    assert names["ranker"].predict_order([[21], [65]]).tolist() == [
        ["rock", "jazz", "folk"],
        ["folk", "jazz", "rock"],
    ]
    assert np.isfinite(names["search"].best_score_)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda p: p.stem)
def test_examples_of_the_docs_run(page):
    failures, _ = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert failures == 0


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()
