"""What can be saved, what is refused with a word, and what a file says about itself."""

import functools
import inspect
import json
import re
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    StandardScaler,
)

from disambig import DisambiguatedClassifier, LabelSets, PartialLabelClassifier
from disambig.estimators.selection.protocol import Trial
from disambig.exceptions import ModelFileError
from disambig.persistence import describe_model, load_model, save_model, trusted_types
from disambig.persistence.archive import Archive, packed
from disambig.persistence.models import _dumped, _members
from disambig.weights import KernelRidgeWeights, NeighborWeights
from tests.persistence import cases

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def fitted(**parameters):
    return PartialLabelClassifier("tree", **parameters).fit(cases.X, cases.SETS)


def frame():
    rng = np.random.default_rng(0)
    words = np.array(["red", "blue", "big", "small"])
    return pd.DataFrame(
        {
            "size": cases.X[:, 0],
            "gap": np.where(cases.X[:, 1] > 1, np.nan, cases.X[:, 1]),
            "kind": np.array(["u", "v", "w"], dtype=object)[cases.CODES],
            "text": [" ".join(words[rng.integers(0, 4, 3)]) for _ in range(cases.N)],
            "flag": cases.X[:, 2] > 0,
        }
    )


def columns():
    numbers = make_pipeline(
        SimpleImputer(add_indicator=True), QuantileTransformer(n_quantiles=9), StandardScaler()
    )
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=2)
    words = make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0))
    return ColumnTransformer(
        [
            ("numbers", numbers, ["size", "gap"]),
            ("kinds", encoder, ["kind"]),
            ("codes", OrdinalEncoder(), ["flag"]),
            ("words", words, "text"),
        ],
        remainder="passthrough",
    )


def test_mixed_columns_with_preprocessing(tmp_path):
    table = frame()
    model = make_pipeline(columns(), PartialLabelClassifier("neighbors")).fit(table, cases.SETS)
    save_model(model, tmp_path / "model.skops", table_hash="abc", metadata={"note": ["x", 1.5]})
    again = load_model(tmp_path / "model.skops")
    table.loc[0, "kind"] = "never seen"
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    about = describe_model(tmp_path / "model.skops")
    assert about.feature_names == ["size", "gap", "kind", "text", "flag"]
    assert (about.n_features, about.n_rows) == (5, cases.N)
    assert (about.outputs, about.table_hash) == (["a", "b", "c"], "abc")
    assert about.metadata == {"note": ["x", 1.5]}
    assert about.estimator == "sklearn.pipeline.Pipeline"


def test_description(tmp_path):
    model = fitted(resolve_at=0.5)
    loss = float("inf")
    model.trials_ = (Trial(NeighborWeights(7), None, 0.25, loss),)
    save_model(model, tmp_path / "model.skops", created=MOMENT)
    about = describe_model(tmp_path / "model.skops")
    assert about.created == "2026-01-02T03:04:05+00:00"
    assert about.parameters["resolve_at"] == "0.5"
    assert about.estimator.endswith("PartialLabelClassifier")
    assert (about.n_features, about.feature_names) == (3, None)
    assert set(about.versions) == {
        *("python", "disambig", "scikit-learn", "numpy", "scipy", "numba", "skops")
    }
    assert about.versions["numpy"] == np.__version__
    assert about.trials == [
        {"weights": "NeighborWeights(n_neighbors=7)", "solver": None, "held_out_loss": 0.25}
        | {"score": None}
    ]
    assert about.metadata == {}


def test_names_of_orders_and_tags(tmp_path):
    for number, (_, fit) in enumerate(
        case for case in cases.by_weights() if case[0] in ("orders, tree", "bits, tree")
    ):
        save_model(fit(), tmp_path / str(number))
        assert describe_model(tmp_path / str(number)).outputs == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda: fitted(callback=lambda progress: False), "model.callback"),
        (lambda: fitted(callback=print), "model.callback"),
        (lambda: fitted(callback=functools.partial(print)), "model.callback"),
        (
            lambda: PartialLabelClassifier(KernelRidgeWeights(kernel=rbf)).fit(cases.X, cases.SETS),
            "kernel",
        ),
        (lambda: PartialLabelClassifier(all_alike).fit(cases.X, cases.SETS), "model"),
        (
            lambda: make_pipeline(FunctionTransformer(np.exp), fitted()).fit(cases.X, cases.SETS),
            r"model\.steps\[0\]\[1\]\.func",
        ),
    ],
)
def test_functions_of_the_user(change, place, tmp_path):
    model = change()
    with pytest.raises(ModelFileError, match=rf"{place}.* is the function .*no code"):
        save_model(model, tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


def rbf(a, b=None, **parameters):
    from sklearn.metrics.pairwise import rbf_kernel

    return rbf_kernel(a, b)


def all_alike(queries, rows):
    return np.full((len(queries), len(rows)), 1 / len(rows))


class Subclass(PartialLabelClassifier):
    pass


def other_models():
    yield Subclass("tree").fit(cases.X, cases.SETS), "Subclass"
    yield (
        DisambiguatedClassifier(KNeighborsClassifier(), weights="tree").fit(cases.X, cases.SETS),
        "KNeighborsClassifier",
    )
    model = fitted()
    model.note = frozenset([1])
    yield model, r"model\.note is a builtins\.frozenset"
    model = fitted()
    model.note = b"bytes"
    yield model, r"model\.note is a builtins\.bytes"
    model = fitted()
    model.note = {(1, 2): 3}
    yield model, r"has the key \(1, 2\)"
    model = fitted()
    model.note = {True: 3}
    yield model, "has the key True"
    model = fitted()
    model.note = {1: 2, "1": 3}
    yield model, "differ in their types only"
    model = fitted()
    model.note = [1]
    model.note.append(model.note)
    yield model, r"model\.note\[1\] contains itself"
    model = make_pipeline(StandardScaler(), fitted()).fit(cases.X, cases.SETS)
    model.memory = "folder"
    yield model, "memory is set"


@pytest.mark.filterwarnings("ignore:.*are not decided by the votes:UserWarning")
def test_what_a_file_cannot_hold(tmp_path):
    for model, match in other_models():
        with pytest.raises(ModelFileError, match=match):
            save_model(model, tmp_path / "model.skops")
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "metadata",
    [{"a": np.arange(3)}, {"a": float("nan")}, {1: "a"}, {"a": (1, 2)}, [1], "a", {"a": {1, 2}}],
)
def test_metadata_is_json(metadata, tmp_path):
    with pytest.raises(ModelFileError, match="metadata must be"):
        save_model(fitted(), tmp_path / "model.skops", metadata=metadata)


def test_only_fitted_estimators(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(PartialLabelClassifier(), tmp_path / "model.skops")
    for odd in (PartialLabelClassifier, {"a": 1}, None):
        with pytest.raises(ModelFileError, match="must be a fitted estimator"):
            save_model(odd, tmp_path / "model.skops")


def test_no_file_is_overwritten_by_default(tmp_path):
    path = tmp_path / "model.skops"
    path.write_text("precious")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        save_model(fitted(), path)
    assert path.read_text() == "precious"
    with pytest.raises(ModelFileError):
        save_model(fitted(callback=print), path, overwrite=True)
    assert path.read_text() == "precious"
    save_model(fitted(), path, overwrite=True)
    load_model(path)
    with pytest.raises(IsADirectoryError, match="folder"):
        save_model(fitted(), tmp_path)
    with pytest.raises(FileNotFoundError):
        save_model(fitted(), tmp_path / "absent" / "model.skops")
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.skops"]


def test_without_skops(tmp_path, monkeypatch):
    save_model(fitted(), tmp_path / "model.skops")
    monkeypatch.setitem(sys.modules, "skops.io", None)
    for read in (load_model, lambda path: save_model(fitted(), path, overwrite=True)):
        with pytest.raises(ImportError, match=r"disambig\[persist\]"):
            read(tmp_path / "model.skops")
    assert describe_model(tmp_path / "model.skops").n_rows == cases.N


def test_skops_is_imported_only_where_it_is_used():
    folder = Path(inspect.getfile(save_model)).parent
    lines = [line for path in folder.glob("*.py") for line in path.read_text().splitlines()]
    imports = [line for line in lines if re.match(r"\s*(import|from) skops", line)]
    # Inside of functions: `import disambig` does not need it.
    assert imports == [
        "        import skops.io",
        "        from skops.io._utils import SaveContext, get_state",
    ]


def test_classes_that_json_has_no_word_for(tmp_path):
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")
    sets = LabelSets(cases.SETS.mask[:, :2] | cases.SETS.mask[:, 2:], dates)
    save_model(PartialLabelClassifier("tree").fit(cases.X, sets), tmp_path / "model.skops")
    assert describe_model(tmp_path / "model.skops").outputs == ["2020-01-01", "2021-01-01"]
    json.dumps(trusted_types())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"created": "2024-01-01"}, "created must be a datetime or None; got '2024-01-01'"),
        ({"created": 3}, "created must be a datetime or None; got 3"),
        ({"table_hash": np.int64(3)}, "table_hash must be a text or None"),
        ({"overwrite": "yes"}, "overwrite must be True or False; got 'yes'"),
    ],
)
def test_options_of_a_wrong_type(options, message, tmp_path):
    model = PartialLabelClassifier("neighbors").fit(cases.X, cases.SETS)
    with pytest.raises(ValueError, match=message):
        save_model(model, tmp_path / "model.skops", **options)
    assert not list(tmp_path.iterdir())


def test_a_cut_vocabulary_takes_one_member(tmp_path):
    """scikit-learn leaves numbers of numpy in it, each of which would be a member."""
    texts = [f"word{k} word{k + 1} other{k % 3}" for k in range(60)]
    y = [["a"], ["b"], ["a", "b"]] * 20
    words = TfidfVectorizer(max_features=40)
    model = make_pipeline(words, PartialLabelClassifier("nadaraya_watson")).fit(texts, y)
    before = dict(words.vocabulary_)
    assert any(isinstance(place, np.integer) for place in before.values())
    save_model(model, tmp_path / "model.skops")
    assert words.vocabulary_ == before
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        assert len(archive.namelist()) < 40
    again = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_large_members_are_packed_where_it_is_worth_it(share):
    rng = np.random.default_rng(0)
    values = rng.normal(size=300_000)
    values[: int(share * values.size)] = np.arange(int(share * values.size)) % 50
    content = values.tobytes()
    data = packed({"a.npy": content})
    assert Archive(data, max_bytes=len(content)).read("a.npy") == content
    assert (len(data) < 0.8 * len(content)) == (share > 0)


def test_the_schema_is_that_of_skops():
    """It is written here because skops would indent it."""
    model = fitted(unlabeled="?")
    assert _members(_dumped(skops.io, model)) == _members(skops.io.dumps(model))
