"""Files made to run code, to write elsewhere, or that are no models, are refused."""

import io
import json
import os
import pickle
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import PartialLabelClassifier
from disambig.exceptions import ModelFileError
from disambig.persistence import load_model, save_model
from disambig.persistence.archive import packed
from tests.persistence import cases
from tests.persistence.forgery import (
    FIRST,
    members_of,
    node,
    schema_of,
    text,
    with_attribute,
    with_schema,
)

# ---------------------------------------------------------------- code


def calls():
    """Nodes of skops that would call something, or lead to something that can be called."""
    arguments = node("TupleNode", "builtins.tuple", FIRST + 1, content=[text("touch x", FIRST + 2)])
    nothing = node("DictNode", "builtins.dict", FIRST + 3, content={}, key_types=None)
    nothing["key_types"] = node("ListNode", "builtins.list", FIRST + 4, content=[])
    system = node("FunctionNode", "os.system", FIRST + 5)
    yield "function", system
    yield "ufunc", node("FunctionNode", "numpy.add", FIRST)
    partial = {"func": system, "args": arguments, "kwds": nothing, "namespace": nothing}
    yield "partial", node("PartialNode", "functools.partial", FIRST, content=partial)
    yield "methodcaller", node("OperatorFuncNode", "operator.methodcaller", FIRST, attrs=arguments)
    method = {"func": "fit", "obj": nothing}
    yield "method", node("MethodNode", "builtins.dict", FIRST, content=method)
    yield "popen", node("ConstructorFromReduceNode", "subprocess.Popen", FIRST, content=arguments)
    yield "object", node("ObjectNode", "subprocess.Popen", FIRST, content=nothing)
    # Types on the list, in nodes that would call them.
    name = "sklearn.feature_extraction.text.TfidfVectorizer"
    yield "constructor", node("ConstructorFromReduceNode", name, FIRST, content=arguments)
    yield "list", node("ListNode", name, FIRST, content=[])
    yield "tuple", node("TupleNode", name, FIRST, content=[])
    yield "dictionary", {**nothing, "__class__": "TfidfVectorizer", "__module__": name[:-16]}
    yield "type", node("TypeNode", name, FIRST)
    yield "eval", node("TypeNode", "builtins.eval", FIRST)
    yield "map", node("TypeNode", "builtins.map", FIRST)
    yield "set of objects", node("ListNode", "builtins.exec", FIRST, content=[])
    yield (
        "loss",
        node("LossNode", "os.system", FIRST, content=nothing, __reduce__={"args": nothing}),
    )
    generator = {"bit_generator": nothing, "seed_seq": nothing}
    kind = "numpy.random._generator.Generator"
    yield "generator", node("RandomGeneratorNode", kind, FIRST, content=generator)
    yield "bytes", node("BytesNode", "builtins.bytes", FIRST, file="1.bin")
    yield "private", node("ObjectNode", "disambig.atomic.Path", FIRST, content=nothing)
    yield "dotted", node("ObjectNode", "sklearn.pipeline.Pipeline.x", FIRST, content=nothing)
    yield "unknown loader", node("EvalNode", "builtins.str", FIRST, content="1")


@pytest.mark.parametrize("value", [v for _, v in calls()], ids=[name for name, _ in calls()])
def test_nothing_that_could_be_called(value, saved, refused):
    refused(with_attribute(saved, value), "not on the list of trusted types")


def test_keys_of_a_dictionary_are_made_by_no_other_type(saved, refused):
    keys = [node("TypeNode", "numpy.datetime64", FIRST + 2)]
    keys = node("ListNode", "builtins.list", FIRST + 1, content=keys)
    value = node(
        "DictNode", "builtins.dict", FIRST, content={"a": text(1, FIRST + 3)}, key_types=keys
    )
    refused(with_attribute(saved, value), "keys that are not text")


@pytest.mark.parametrize("protocol", [0, 1, 3, True, "2", None])
def test_another_protocol_cannot_choose_older_loaders(protocol, saved, refused):
    refused(with_schema(saved, {**schema_of(saved), "protocol": protocol}), "protocol")


def test_more_keys_than_skops_writes(saved, refused):
    refused(with_attribute(saved, {**text(1, FIRST), "file": "1.npy"}), "other keys")


def test_an_array_of_objects_cannot_hide_a_pickle(saved, refused):
    stream = io.BytesIO()
    np.save(stream, np.array([print], dtype=object), allow_pickle=True)
    name = next(name for name in saved if name.endswith(".npy"))
    refused({**saved, name: stream.getvalue()}, "not allowed")
    refused({**saved, name: pickle.dumps(print)}, "is not an array")


def test_a_memory_folder_would_load_pickles_at_the_next_fit(tmp_path, refused):
    model = make_pipeline(StandardScaler(), PartialLabelClassifier("tree"))
    model.fit(cases.X, cases.SETS)
    save_model(model, tmp_path / "honest")
    members = members_of((tmp_path / "honest").read_bytes())
    refused(with_attribute(members, text("/tmp/x", FIRST), "memory"), "memory is set")


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    "name",
    ["../evil.npy", "/etc/evil", "a/b.npy", "..\\evil", "C:evil", "a..b", "", "ü.npy", "a b", "x/"],
)
def test_unsafe_names(name, saved, refused):
    refused({**saved, name: b"1"}, "unsafe name")


def test_links_and_doubles(saved, refused):
    link = zipfile.ZipInfo("link.npy")
    link.external_attr = 0o120777 << 16
    for extra, match in ((link, "symbolic link"), ("schema.json", "two members")):
        buffer = io.BytesIO(packed(saved))
        with zipfile.ZipFile(buffer, "a") as archive, warnings.catch_warnings():
            # zipfile warns of a second member of the same name.
            warnings.simplefilter("ignore")
            archive.writestr(extra, b"/etc/passwd")
        refused(buffer.getvalue(), match)


def test_other_compressions(saved, refused):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        for name, content in saved.items():
            archive.writestr(name, content)
    refused(buffer.getvalue(), "packed in another way")


def test_many_members(refused, monkeypatch):
    monkeypatch.setattr("disambig.persistence.archive._MAX_MEMBERS", 50)
    refused({f"{number}.npy": b"" for number in range(51)}, "more than 50 members")


# ---------------------------------------------------------------- what is no model


def test_files_that_are_no_models(saved, refused, tmp_path):
    model = PartialLabelClassifier("tree").fit(cases.X, cases.SETS)
    refused(b"", "empty")
    refused(pickle.dumps(model), "pickle")
    refused(zlib.compress(pickle.dumps(model)), "not a zip archive")
    refused(b"a,b\n1,2\n", "not a zip archive")
    refused({"a.txt": b"1"}, r"without disambig\.json")
    refused({**saved, "disambig.json": b"{}"}, "does not describe a model")
    refused({**saved, "disambig.json": b"[1]"}, "does not describe a model")
    about = json.loads(saved["disambig.json"])
    for change, match in (
        ({"schema_version": 2}, "newer version of disambig"),
        ({"schema_version": 2, "more": 1}, "newer version of disambig"),
        ({"schema_version": 0}, "does not describe"),
        ({"more": 1}, "other fields"),
        ({"created": 3}, "odd value of created"),
    ):
        refused({**saved, "disambig.json": json.dumps({**about, **change}).encode()}, match)
    refused({"disambig.json": saved["disambig.json"]}, r"no schema\.json")
    refused({**saved, "schema.json": b"{}"}, "not a schema")
    with pytest.raises(ModelFileError, match="folder"):
        load_model(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "absent")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(ModelFileError, match="not a regular file"):
            load_model(tmp_path / "pipe")


def test_objects_that_cannot_be_built_say_which_versions_wrote_them(saved, refused):
    about = json.loads(saved["disambig.json"])
    about["versions"]["numpy"] = "1.0"
    members = {**saved, "disambig.json": json.dumps(about).encode()}
    odd = node("TupleNode", "disambig.solvers.loop.Progress", FIRST, content=[])
    refused(with_attribute(members, odd), r"cannot be built .*written with numpy 1\.0 \(here")


def test_a_list_of_tokens_that_is_a_type_runs_nothing(tmp_path):
    # A vectoriser calls its `tokenizer`: a file can name a type, and no function.
    texts = ["big cat", "cat", "old dog", "dog"]
    model = make_pipeline(TfidfVectorizer(), PartialLabelClassifier("tree"))
    model.fit(texts, [["x"], ["x", "y"], ["y"], ["y"]])
    save_model(model, tmp_path / "model.skops")
    assert load_model(tmp_path / "model.skops").predict(texts).tolist() == list(
        model.predict(texts)
    )
    model.set_params(tfidfvectorizer__tokenizer=str.split)
    with pytest.raises(ModelFileError, match=r"tokenizer"):
        save_model(model, tmp_path / "other.skops")
    assert not Path(tmp_path / "other.skops").exists()
