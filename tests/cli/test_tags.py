"""Options for tags: columns, numbers of tags, implications, frequencies."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from disambig.cli import main
from disambig.table_models import fit_table


@pytest.fixture
def table(tmp_path):
    """Positives only: a poodle is a dog, and half of what is there is recorded."""
    rng = np.random.default_rng(0)
    size, place = rng.random((2, 80))
    there = {"poodle": size < 0.3, "dog": size < 0.6, "outdoors": place > 0.5}
    frame = pd.DataFrame({"size": size, "place": place})
    for name, is_on in there.items():
        frame[name] = np.where(is_on & (rng.random(80) < 0.5), "yes", "")
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path, there


def arguments(path, out, *more):
    names = ["--tags", "poodle", "dog", "outdoors", "--blank", "unknown"]
    return ["fit", str(path), *names, "--weights", "neighbors", "--out", str(out), *more]


def test_tags_are_fitted_with_rules(table, tmp_path, capsys):
    path, there = table
    options = ["--implies", "poodle=dog", "--tag-counts", "0..3"]
    options += ["--tag-frequencies", "poodle=0.3", "dog=0.6", "outdoors=0.5", "--json"]
    assert main(arguments(path, tmp_path / "out", *options)) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["settings"]["tag_frequencies"] == {"poodle": 0.3, "dog": 0.6, "outdoors": 0.5}
    labels = pd.read_csv(tmp_path / "out" / "labels.csv")["label"]
    sets = [set(text.split("|")) for text in labels]
    assert all("dog" in one for one in sets if "poodle" in one)
    right = np.mean(
        [("dog" in one) == is_on for one, is_on in zip(sets, there["dog"], strict=True)]
    )
    assert right > 0.8


def test_what_is_printed_speaks_of_tags_and_rows(table, tmp_path, capsys):
    options = ["--tag-frequencies", "estimate", "--quiet"]
    assert main(arguments(table[0], tmp_path / "out", *options)) == 0
    first, second, *rest = capsys.readouterr().out.splitlines()
    assert first == "80 rows, tags in poodle, dog, outdoors"
    assert " of 80 rows are resolved (confidence of at least 0.9)" in second
    (chosen,) = [line for line in rest if line.startswith("chosen: ")]
    assert not re.search(r"\d\.\d{4}", chosen)


def test_positives_alone_are_refused_in_words(table, tmp_path, capsys):
    assert main(arguments(table[0], tmp_path / "out")) != 0
    assert "--tag-frequencies estimate" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tag-counts", "some"], "'some' is not a number"),
        (["--implies", "poodle"], "'poodle' is not an implication"),
        (["--tag-frequencies", "dog"], "'dog' is neither 'estimate' nor"),
        (["--tag-frequencies", "estimate", "dog=0.1"], "'estimate' stands alone"),
        (["--target", "size"], "--tags names the target"),
    ],
    ids=range(5),
)
def test_options_that_cannot_be(options, message, table, tmp_path, capsys):
    try:
        code = main(arguments(table[0], tmp_path / "out", *options))
    except SystemExit as stopped:
        code = stopped.code
    assert code != 0
    assert message in capsys.readouterr().err


def test_rules_are_for_tags():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0], "label": ["a", "b", "a|b"]})
    with pytest.raises(ValueError, match="tag_counts= is for tags"):
        fit_table(frame, "label", tag_counts=1)
