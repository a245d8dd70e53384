"""A default fit can be read: it passes through few files."""

from pathlib import Path

from benchmarks.trees.layout import traced_fits

SOURCE = Path(__file__).resolve().parents[2] / "src"
MAX_FILES = 45


def test_a_default_fit_passes_through_few_files():
    fits = traced_fits(SOURCE)
    assert set(fits) == {"PartialLabelClassifier", "IntervalRegressor", "PartialRanker"}
    for name, (files, _, _) in fits.items():
        assert "estimators/base.py" in files
        assert len(files) <= MAX_FILES, f"{name}: {len(files)} files: {files}"
