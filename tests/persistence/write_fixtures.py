"""Write a small saved model of each estimator, and what it predicts, for the present schema.

Run ``python -m tests.persistence.write_fixtures`` once when the schema changes, with the oldest
versions of the libraries that are supported (``make test-floor`` installs them): newer ones must
read what older ones wrote. Fixtures of earlier schemas stay.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    Mixture,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.estimators.interval_models import IntervalForest, IntervalLasso
from disambig.persistence import save_model
from disambig.persistence.description import SCHEMA_VERSION
from disambig.weights import ForestWeights
from tests.persistence import cases

FOLDER = Path(__file__).parent / "fixtures"


def models() -> Iterator[tuple[str, Any]]:
    """Fitted models, small ones."""
    X, w = cases.X, "neighbors"
    yield "labels", PartialLabelClassifier("laplacian").fit(X, cases.SETS)
    forest = ForestWeights(n_estimators=3)
    yield "labels_forest", PartialLabelClassifier(forest).fit(X, cases.SETS)
    scaled = make_pipeline(StandardScaler(), PartialLabelClassifier(w, solver="annealed"))
    yield "labels_pipeline", scaled.fit(X, cases.SETS)
    mixture = Mixture([IntervalForest(n_trees=3), IntervalLasso(), IntervalRegressor(w)])
    yield "numbers", IntervalRegressor(mixture).fit(X, cases.INTERVALS)
    yield "orders", PartialRanker(w).fit(X, cases.RANKS)
    yield "bits", PartialMultilabelClassifier(weights=w).fit(X, cases.BITS)
    yield "classifier", DisambiguatedClassifier(LogisticRegression(), weights=w).fit(X, cases.SETS)
    yield "regressor", DisambiguatedRegressor(Ridge(), weights=w).fit(X, cases.INTERVALS)


def predictions(model: Any) -> dict[str, Any]:
    """What must stay: predictions at new inputs, and labels."""
    found = {"predict": model.predict(cases.QUERIES)}
    if hasattr(model, "predict_proba"):
        found["predict_proba"] = model.predict_proba(cases.QUERIES)
    learner = model[-1] if hasattr(model, "steps") else model
    return {**found, "labels_": learner.labels_, "confidence_": learner.confidence_}


def main() -> None:
    """Write the fixtures of the present schema."""
    FOLDER.mkdir(exist_ok=True)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    expected = {}
    for name, model in models():
        path = FOLDER / f"schema{SCHEMA_VERSION}_{name}.skops"
        save_model(model, path, created=moment, metadata={"name": name}, overwrite=True)
        found = predictions(model)
        expected[name] = {key: np.asarray(value).tolist() for key, value in found.items()}
    text = json.dumps(expected, indent=None, separators=(",", ":"))
    (FOLDER / f"schema{SCHEMA_VERSION}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
