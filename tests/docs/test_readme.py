"""What the README shows runs, in the order in which it is shown."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_blocks_run_and_say_what_the_text_says(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    assert float(printed[0]) > 0.9, "recovered labels of the first example"
    assert names["found"].labels.tolist() == ["cat", "cat", "cat", "fox", "fox", "fox"]
    assert float(printed[-1]) > 0.9, "boosting on recovered labels"
    assert np.isfinite(names["search"].best_score_)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()
