"""A default fit can be read: it passes through few files."""

from pathlib import Path

import pytest

from benchmarks.trees.layout import traced_fits

SOURCE = Path(__file__).resolve().parents[2] / "src"
# Three of them are the steps of the selection that all kinds share, three judge by hidden sets, two
# keep what new inputs are compared with (one says whether it is wanted), two report progress. One
# checks parameters, one reads class counts and bags, two say which labels may leave their sets.
# Four complete missing cells, three hold class shares, one would keep the states of a solver for a
# run that is resumed, and constructors of sets have their own. Eight are passed since rows may be
# in parts: which rows take part, what can be built for them, whether X is divided, kept states of
# solves over blocks, the tree of boxes that is searched; a fit that is whole or nothing is one.
MAX_FILES = 82
# A mixture runs several models: kernels, neighbours, a linear function, trees and boosting. Four of
# the files of numbers judge by hidden sets. Members predict rows as if they were new.
MAX_FILES_OF = {"IntervalRegressor": 92, "PartialRanker": 97}


@pytest.mark.slow
def test_a_default_fit_passes_through_few_files():
    fits = traced_fits(SOURCE)
    assert set(fits) == {"PartialLabelClassifier", "IntervalRegressor", "PartialRanker"}
    for name, (files, _, _) in fits.items():
        assert "estimators/base.py" in files
        most = MAX_FILES_OF.get(name, MAX_FILES)
        assert len(files) <= most, f"{name}: {len(files)} files: {files}"
