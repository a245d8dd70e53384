"""Checkpoints: the fitted model of a run is kept until all its files are written."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from disambig.exceptions import ModelFileError
from disambig.persistence import describe_model, load_model, save_model
from disambig.persistence.description import library_versions
from disambig.table_models.folder import read_summary, refuse_existing
from disambig.table_models.settings import FitSettings
from disambig.table_models.summary import table_hash
from disambig.tables import Table

CHECKPOINT_FILE = "checkpoint.skops"


class Checkpoint:
    """The fitted model of an unfinished run, in the folder of its output.

    Parameters
    ----------
    folder : Path
    table : Table
    settings : FitSettings
        Together they are the run: a checkpoint of another one is not used.
    """

    def __init__(self, folder: Path, table: Table, settings: FitSettings) -> None:
        self.path = folder / CHECKPOINT_FILE
        self.folder = folder
        self.table_hash = table_hash(table.raw)
        parts = [self.table_hash, table.plan.to_dict(), settings.to_dict(), library_versions()]
        self.key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def exists(self) -> bool:
        """Whether there is a checkpoint of this run."""
        if not self.path.exists():
            return False
        try:
            return bool(describe_model(self.path).metadata.get("run") == self.key)
        except ModelFileError:
            return False

    def finished_summary(self) -> dict[str, Any] | None:
        """The summary in the folder if this run is finished, else None."""
        try:
            summary = read_summary(self.folder)
        except ModelFileError:
            return None
        return summary if summary.get("run") == self.key else None

    def refuse_other_run(self) -> None:
        """Raise if the folder has files of another run."""
        if not self.exists():
            refuse_existing(self.folder)

    def load(self) -> Any:
        """The fitted pipeline, or None if there is no checkpoint of this run."""
        return load_model(self.path) if self.exists() else None

    def warnings(self) -> tuple[str, ...]:
        """What the kept fit warned of."""
        known = describe_model(self.path).metadata.get("warnings") if self.exists() else None
        return tuple(map(str, known)) if isinstance(known, list) else ()

    def save(self, pipeline: Any, warnings: Sequence[str] = ()) -> None:
        """Keep a fitted pipeline, and what its fit warned of."""
        metadata = {"run": self.key, "warnings": list(warnings)}
        save_model(pipeline, self.path, metadata=metadata, overwrite=True)

    def remove(self) -> None:
        """Remove the checkpoint of a finished run."""
        self.path.unlink(missing_ok=True)
