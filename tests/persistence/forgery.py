"""Parts of saved models, taken apart and put together otherwise."""

import io
import json
import zipfile

import numpy as np


def members_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def schema_of(members):
    return json.loads(members["schema.json"])


def with_schema(members, root):
    return {**members, "schema.json": json.dumps(root).encode()}


def node(loader, name, number, **content):
    module, _, kind = name.rpartition(".")
    return {
        "__class__": kind,
        "__module__": module,
        "__loader__": loader,
        "__id__": number,
        **content,
    }


def text(value, number):
    content = {"content": json.dumps(value), "is_json": True}
    return node("JsonNode", "builtins.str", number, **content)


FIRST = 10**6


def with_attribute(members, value, name="unlabeled"):
    """The file with another value of an attribute of the model."""
    root = schema_of(members)
    attributes = root["content"]["content"]
    assert name in attributes
    attributes[name] = value
    return with_schema(members, root)


def array(value):
    stream = io.BytesIO()
    np.save(stream, value, allow_pickle=False)
    return stream.getvalue()


def stored(members):
    """An archive without compression."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()
