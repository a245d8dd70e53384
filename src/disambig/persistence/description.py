"""What a saved model says about itself: plain JSON, read without loading anything."""

import json
import platform
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from disambig.exceptions import ModelFileError

DESCRIPTION_MEMBER = "disambig.json"
MAX_DESCRIPTION_BYTES = 1 << 24
# Raised when files change so that earlier versions cannot read them. Every earlier schema is read.
SCHEMA_VERSION = 1
_LIBRARIES = ("disambig", "scikit-learn", "numpy", "scipy", "numba", "skops")
# Characters of a parameter, and trials, that are kept: the description is for reading.
_MAX_TEXT = 500
_MAX_TRIALS = 100
_OUTPUTS = ("classes_", "items_")


@dataclass(frozen=True)
class ModelDescription:
    """What a saved model says about itself.

    Attributes
    ----------
    schema_version : int
        Of the file.
    created : str
        When it was saved, in UTC, by ISO 8601.
    versions : dict of str to str
        Of Python and the libraries that wrote it.
    estimator : str
        The class of the model.
    parameters : dict of str to str
        Its parameters as texts.
    n_rows : int or None
        Training rows.
    n_features : int or None
    feature_names : list of str or None
        The columns of the inputs, if they had names.
    outputs : list or None
        Classes, items or tags.
    trials : list of dict
        How it was chosen: what was tried, with its score (lower is better).
    table_hash : str or None
        Of the table that it was trained on, as the caller gave it.
    metadata : dict
        What the caller added.

    Examples
    --------
    >>> about = ModelDescription(1, "2026-01-01T00:00:00+00:00", {"numpy": "2.4"}, "x.Model")
    >>> description_from_json(about.to_json()) == about
    True
    """

    schema_version: int
    created: str
    versions: dict[str, str]
    estimator: str
    parameters: dict[str, str] = field(default_factory=dict)
    n_rows: int | None = None
    n_features: int | None = None
    feature_names: list[str] | None = None
    outputs: list[Any] | None = None
    trials: list[dict[str, Any]] = field(default_factory=list)
    table_hash: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """As the member of the file."""
        text = json.dumps({"format": "disambig model", **asdict(self)}, indent=1, allow_nan=False)
        return text.encode("utf-8")


def description_from_json(content: bytes) -> ModelDescription:
    """Read a description; a newer one is refused."""
    try:
        table = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"its {DESCRIPTION_MEMBER} cannot be read ({error})") from error
    number = table.get("schema_version") if isinstance(table, dict) else None
    if type(number) is not int or number < 1:
        raise ModelFileError(f"its {DESCRIPTION_MEMBER} does not describe a model of disambig")
    if number > SCHEMA_VERSION:
        raise ModelFileError(
            f"it was written by a newer version of disambig (schema {number}; this version reads "
            f"up to {SCHEMA_VERSION}). Update disambig"
        )
    table.pop("format", None)
    try:
        described = ModelDescription(**table)
    except TypeError as error:
        raise ModelFileError(f"its {DESCRIPTION_MEMBER} has other fields ({error})") from error
    for name, kinds in _FIELD_TYPES.items():
        if not isinstance(getattr(described, name), kinds):
            raise ModelFileError(f"its {DESCRIPTION_MEMBER} has an odd value of {name}")
    return described


_NONE = type(None)
_FIELD_TYPES: dict[str, Any] = {
    "created": str,
    "versions": dict,
    "estimator": str,
    "parameters": dict,
    "n_rows": (int, _NONE),
    "n_features": (int, _NONE),
    "feature_names": (list, _NONE),
    "outputs": (list, _NONE),
    "trials": list,
    "table_hash": (str, _NONE),
    "metadata": dict,
}
assert {"schema_version", *_FIELD_TYPES} == {entry.name for entry in fields(ModelDescription)}


def described(
    model: Any, metadata: Any, table_hash: str | None, created: datetime | None
) -> ModelDescription:
    """The description of a fitted model.

    Parameters
    ----------
    model : fitted estimator, or pipeline that ends with one
    metadata : dict or None
        JSON.
    table_hash : str or None
    created : datetime or None
        Now, if None.
    """
    if not isinstance(created, datetime | None):
        raise ModelFileError(f"created must be a datetime or None; got {created!r:.80}.")
    if not isinstance(table_hash, str | None):
        raise ModelFileError(f"table_hash must be a text or None; got {table_hash!r:.80}.")
    learner = _learner(model)
    names = getattr(model, "feature_names_in_", None)
    rows = getattr(learner, "labels_", None)
    moment = datetime.now(UTC) if created is None else created
    return ModelDescription(
        schema_version=SCHEMA_VERSION,
        created=moment.isoformat(timespec="seconds"),
        versions={"python": platform.python_version(), **library_versions()},
        estimator=f"{type(model).__module__}.{type(model).__qualname__}",
        parameters={
            name: repr(value)[:_MAX_TEXT] for name, value in model.get_params(deep=False).items()
        },
        n_rows=None if rows is None else len(rows),
        n_features=_integer(getattr(model, "n_features_in_", None)),
        feature_names=None if names is None else [str(name) for name in names],
        outputs=_outputs(learner),
        trials=_trials(learner),
        table_hash=table_hash,
        metadata=_checked_metadata(metadata),
    )


def library_versions() -> dict[str, str]:
    """The installed versions of the libraries that a saved model depends on."""
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _learner(model: Any) -> Any:
    """The estimator at the end of a pipeline."""
    while not hasattr(model, "labels_") and getattr(model, "steps", None):
        model = model.steps[-1][1]
    return model


def _outputs(learner: Any) -> list[Any] | None:
    # The loss on bits knows the tags.
    tags = getattr(getattr(learner, "loss_", None), "tags", None)
    for names in (*(getattr(learner, name, None) for name in _OUTPUTS), tags):
        if names is not None:
            listed = np.asarray(names).ravel().tolist()
            # Numbers and bools as they are; dates and others as texts.
            return [
                value if isinstance(value, (str, int, bool)) else str(value) for value in listed
            ]
    return None


def _trials(learner: Any) -> list[dict[str, Any]]:
    return [
        {
            "weights": repr(trial.weights)[:_MAX_TEXT],
            "solver": None if trial.solver is None else repr(trial.solver)[:_MAX_TEXT],
            "held_out_loss": _finite(trial.held_out_loss),
            "score": _finite(trial.score),
            **({"completion": trial.completion} if trial.completion else {}),
        }
        for trial in getattr(learner, "trials_", ())[:_MAX_TRIALS]
    ]


def _integer(value: Any) -> int | None:
    return None if value is None else int(value)


def _finite(value: Any) -> float | None:
    """JSON has no infinity."""
    return float(value) if np.isfinite(value) else None


def _checked_metadata(metadata: Any) -> dict[str, Any]:
    given = {} if metadata is None else metadata
    try:
        copied = json.loads(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(
            f"metadata must be JSON: a dict of texts, finite numbers, bools, None, lists and dicts "
            f"({error})."
        ) from error
    if not isinstance(given, dict) or copied != given:
        raise ModelFileError(
            "metadata must be a dict with texts as keys, and lists instead of tuples: it would not "
            "come back as it is."
        )
    return given
