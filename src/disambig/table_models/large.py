"""Tables in Parquet files that are larger than memory: labels of all rows, in chunks.

The target columns are read whole, and how features are read and encoded is learned from a sample of
the rows. All other rows are encoded a few at a time, into a file or on the workers of a cluster.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from disambig.atomic import write_text_atomically
from disambig.estimators.progress.reporting import reporting
from disambig.exceptions import TableError
from disambig.notation import AnyArray
from disambig.out_of_core import OutOfCoreEstimator
from disambig.persistence.description import library_versions
from disambig.solvers.loop import Callback
from disambig.storage.rows import store_rows
from disambig.table_models.columns import refuse_reserved
from disambig.table_models.fitting import recorded_warnings
from disambig.table_models.model import TableModel
from disambig.table_models.settings import FitSettings
from disambig.table_models.summary import table_hash
from disambig.tables import RawTable, Table, read_target
from disambig.tables.features.planning import planned_features
from disambig.tables.parquet_files import FilePart, ParquetFiles, part_rows
from disambig.tables.source import pandas, shown
from disambig.tables.table import TablePlan
from disambig.tables.targets.columns import is_name, missing_columns, target_columns
from disambig.tables.targets.reading import read_formatted
from disambig.tables.values import missing_words

WORK_FOLDER = "work"
_RUN_FILE = "run.json"
_INPUTS_FILE = "inputs.npy"
_OWNER = "fit"
# Rows from which types, categories, medians and scales are learned.
_SAMPLE_ROWS = 100_000
# Partitions on a cluster: tasks grow with their square.
_PARTITIONS = 32
_OF_FEATURES = ("features", "drop", "keep", "types")


@dataclass(frozen=True, eq=False)
class LargeTable:
    """A table in files: its targets, and how its features become inputs.

    Attributes
    ----------
    files : ParquetFiles
    table : Table
        Targets and identifiers of all rows; its `X` has no columns.
    preprocessor : ColumnTransformer
        Fitted on a sample.
    """

    files: ParquetFiles
    table: Table
    preprocessor: Any

    @classmethod
    def read(
        cls, files: ParquetFiles, settings: FitSettings, options: Mapping[str, Any]
    ) -> "LargeTable":
        """Read the targets, and learn from a sample how features are read and encoded.

        Parameters
        ----------
        files : ParquetFiles
        settings : FitSettings
        options : mapping
            Of `disambig.tables.load_table`, without those of bags and of text files.
        """
        given = dict(options)
        id_, target = given.pop("id", None), given.pop("target", None)
        features, drop, keep, types = (given.pop(name, None) for name in _OF_FEATURES)
        words = missing_words(_OWNER, given.pop("missing", None))
        every, source = list(files.names), files.source
        if id_ is not None and not is_name(id_, every):
            raise source.error(missing_columns([id_], every))
        wanted = target_columns(every, target, source)[0]
        if id_ in wanted:
            raise source.error("is the identifier, and cannot be the target.", None, id_)
        raw = files.columns([*wanted, *([] if id_ is None else [id_])])
        found = read_target(raw, target, missing=words, **given)
        n = len(files)
        is_whole = n <= _SAMPLE_ROWS
        rows = np.arange(n)
        if not is_whole:
            rows = np.sort(np.random.default_rng(0).choice(n, _SAMPLE_ROWS, replace=False))
        sample = files.rows(rows)
        left_out = [*([drop] if isinstance(drop, str) else drop or ())]
        left_out += [] if id_ is None else [id_]
        plan, X = planned_features(
            sample,
            (features, left_out, keep or (), types, words),
            found if is_whole else read_formatted(sample, found.format, found.format.decimal),
        )
        notes = [f"Column {shown(name)} is dropped: {why}." for name, why in plan.dropped.items()]
        if not is_whole:
            notes.append(
                f"Types, categories, medians and scales of features are those of {_SAMPLE_ROWS} "
                f"of {n} rows, drawn at random."
            )
        preprocessor = plan.make_preprocessor()
        settings.seed_texts(preprocessor)
        table = Table(
            raw,
            pandas().DataFrame(index=np.arange(n)),
            TablePlan(plan, found.format, id_),
            found,
            None if id_ is None else raw.frame[id_],
            (*found.notes, *notes),
        )
        refuse_reserved(table)
        return cls(files, table, preprocessor.fit(X))

    @property
    def width(self) -> int:
        """The number of inputs."""
        return len(self.preprocessor.get_feature_names_out())

    def key(self, settings: FitSettings) -> str:
        """A text for files, targets, plan and settings: by it an interrupted run is recognised.

        Parameters
        ----------
        settings : FitSettings
        """
        parts = [
            self.files.fingerprint,
            table_hash(self.table.raw),
            self.table.plan.to_dict(),
            settings.to_dict(),
            library_versions(),
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def encoded(self, part: RawTable) -> AnyArray:
        """The inputs of some rows, ``(m, width)``."""
        return encoded_rows(part, self.table.plan.features, self.preprocessor)


@dataclass(frozen=True, eq=False)
class _EncodedRows:
    """The inputs of a table in files as a `RowSource`, a few rows at a time."""

    large: LargeTable

    dtype = np.dtype(np.float64)
    columns = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.large.files), self.large.width

    def chunks(self, n_rows: int) -> Iterator[AnyArray]:
        """All rows in order, in chunks of the files."""
        parts = self.large.files.chunks(self.large.table.features.names)
        done, total = 0, len(self.large.files)
        for part in parts:
            yield self.large.encoded(part)
            done += len(part.frame)
        if done != total:
            raise TableError(
                f"{done} of {total} rows were read. Do not change files that are read."
            )


def encoded_rows(part: RawTable, plan: Any, preprocessor: Any) -> AnyArray:
    """Rows as they were read as inputs.

    Parameters
    ----------
    part : RawTable
    plan : FeaturePlan
    preprocessor : fitted ColumnTransformer
    """
    return np.asarray(preprocessor.transform(plan.read(part)), dtype=np.float64)


def encoded_part(part: FilePart, plan: Any, preprocessor: Any) -> AnyArray:
    """The inputs of a part of a file, read where this runs.

    Parameters
    ----------
    part : FilePart
    plan : FeaturePlan
    preprocessor : fitted ColumnTransformer
    """
    return encoded_rows(part_rows(part, plan.names), plan, preprocessor)


@dataclass(frozen=True)
class WorkFolder:
    """What an unfinished run keeps: encoded inputs, graphs, and states of the solver.

    Parameters
    ----------
    path : Path
    key : str
    """

    path: Path
    key: str

    def begin(self, resume: bool, force: bool) -> None:
        """Make the folder, or go on with it; raises if it has another run, unless `force`.

        Parameters
        ----------
        resume : bool
            Whether what is there may be used.
        force : bool
            Whether what is there may be deleted.
        """
        kept = self.kept_run(self.path)
        if resume and kept == self.key:
            return
        if self.path.exists():
            if not force:
                what = "of other files or settings" if resume else ""
                raise FileExistsError(
                    f"{self.path} has an unfinished run{' ' if what else ''}{what}. Replace it by "
                    f"overwrite=True{'' if resume else ', or go on with --resume'}."
                )
            shutil.rmtree(self.path)
        self.path.mkdir(parents=True)
        write_text_atomically(self.path / _RUN_FILE, json.dumps({"run": self.key}) + "\n")

    @staticmethod
    def kept_run(path: Path) -> str | None:
        """The key of the run that a folder keeps; None if it keeps none.

        Parameters
        ----------
        path : Path
        """
        try:
            return str(json.loads((path / _RUN_FILE).read_text("utf-8"))["run"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def remove(self) -> None:
        """Delete it: the run is finished."""
        shutil.rmtree(self.path, ignore_errors=True)


def fit_large(
    large: LargeTable,
    settings: FitSettings,
    work: Path,
    *,
    memory: Any = "4GiB",
    cluster: Callable[[], AbstractContextManager[Any]] | None = None,
    callback: Callback | None = None,
    seconds: dict[str, float] | None = None,
) -> TableModel:
    """Recover the labels of a table in files.

    The model that returns has no examination: its confidence is that of the estimator.

    Parameters
    ----------
    large : LargeTable
    settings : FitSettings
    work : Path
        A folder for inputs and graphs; with what is there the fit goes on.
    memory : str or int
        As of `disambig.out_of_core.OutOfCoreEstimator`.
    cluster : callable, optional
        Returns a context with a client of Dask, on whose workers the fit then runs.
    callback : callable, optional
    seconds : dict, optional
        What was spent before.
    """
    start = time.perf_counter()
    estimator = settings.make_estimator(large.table.target.kind) if large.table.target else None
    with recorded_warnings() as texts, reporting(_OWNER, callback):
        if cluster is None:
            model = _fit_in_files(large, estimator, work, memory)
        else:
            model = _fit_on_workers(large, estimator, work, cluster)
    spent = {**(seconds or {}), "fit": time.perf_counter() - start}
    return TableModel(
        large.table,
        Pipeline([("features", large.preprocessor), ("model", model)]),
        None,
        settings,
        (*large.table.notes, *_what_is_missing()),
        spent,
        texts(),
    )


def _what_is_missing() -> Sequence[str]:
    return (
        "Rows larger than memory are not cross-examined: confidence is that of the estimator, and "
        "there is no report.",
    )


def _fit_in_files(large: LargeTable, estimator: Any, work: Path, memory: Any) -> Any:
    inputs = work / _INPUTS_FILE
    if not inputs.exists():
        store_rows(_EncodedRows(large), inputs, 1)
    wrapped = OutOfCoreEstimator(estimator, folder=work, memory=memory)
    return wrapped.fit(inputs, large.table.candidates).estimator_


def _fit_on_workers(
    large: LargeTable,
    estimator: Any,
    work: Path,
    cluster: Callable[[], AbstractContextManager[Any]],
) -> Any:
    from disambig.dask import DaskEstimator
    from disambig.dask.tables import array_of_parts

    parts = large.files.parts(_PARTITIONS)
    with cluster() as client:
        X = array_of_parts(
            encoded_part,
            parts,
            [part.n_rows for part in parts],
            large.width,
            large.table.features,
            large.preprocessor,
        )
        wrapped = DaskEstimator(estimator, checkpoint=work / "states")
        return wrapped.fit(X, large.table.candidates, client=client).estimator_
