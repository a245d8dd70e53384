"""The scikit-learn parts that turn typed columns into numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from disambig.tables.features.column_types import MAX_CATEGORIES, ColumnPlan
from disambig.tables.features.dates import date_parts

# Words or groups of letters that a text column keeps, the most frequent ones.
_MAX_TERMS = 10_000


def typed_names(column: ColumnPlan) -> list[str]:
    """The names of the typed columns that a column becomes before it is encoded.

    Examples
    --------
    >>> typed_names(ColumnPlan("when", "date"))[:2]
    ['when: days', 'when: season cos']
    """
    if column.type != "date":
        return [str(column.name)]
    return [f"{column.name}: {part}" for part in date_parts(np.zeros(1), column.has_times)]


def make_preprocessor(columns: Sequence[ColumnPlan]) -> Any:
    """A ColumnTransformer for the frames that `FeaturePlan.read` returns; not fitted.

    Missing numbers become the median, with an indicator; numbers are scaled. Categories are
    one-hot; unseen ones count as rare ones, or as none. Texts are TF-IDF, then a low-rank step.

    Examples
    --------
    >>> make_preprocessor([ColumnPlan("size", "number")]).transformers[0][0]
    'numbers'
    """
    parts: list[tuple[str, Any, Any]] = []
    numbers = [
        name
        for column in columns
        if column.type in ("number", "boolean", "date")
        for name in typed_names(column)
    ]
    if numbers:
        # A fold may lack all numbers of a column: it stays, as zeros.
        imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
        steps = [("missing", imputer), ("scale", StandardScaler())]
        parts.append(("numbers", Pipeline(steps), numbers))
    categories = [str(column.name) for column in columns if column.type == "category"]
    if categories:
        encoder = OneHotEncoder(
            handle_unknown="infrequent_if_exist", max_categories=MAX_CATEGORIES, sparse_output=False
        )
        parts.append(("categories", encoder, categories))
    texts = [column for column in columns if column.type == "text"]
    for number, column in enumerate(texts):
        # The name of a part must not have two underscores, and a column may.
        parts.append((f"text{number}", _text_pipeline(column), str(column.name)))
    return ColumnTransformer(parts, sparse_threshold=0.0)


def _text_pipeline(column: ColumnPlan) -> Any:
    terms = TfidfVectorizer(
        analyzer="word" if column.words else "char_wb",
        ngram_range=(1, 2) if column.words else (2, 4),
        token_pattern=r"(?u)\b\w+\b" if column.words else None,
        max_features=_MAX_TERMS,
        sublinear_tf=True,
    )
    low_rank = TruncatedSVD(n_components=column.components, random_state=0)
    return Pipeline([("terms", terms), ("low_rank", low_rank), ("scale", StandardScaler())])
