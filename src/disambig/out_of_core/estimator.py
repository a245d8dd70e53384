"""`OutOfCoreEstimator`: an estimator of this package on rows in files, within a stated memory."""

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from disambig.estimators.partial_label_classifier import PartialLabelClassifier
from disambig.estimators.rows.parts_estimator import PartsEstimator
from disambig.notation import AnyArray, FloatArray
from disambig.out_of_core.inputs import new_rows, training_rows
from disambig.parameters import check_jobs, check_number
from disambig.solvers.kept_solves import keeping_solves
from disambig.storage.sizes import memory_size
from disambig.threads import thread_count
from disambig.weights.divided.stored import RowFolder

_NAME = "OutOfCoreEstimator"
_STATES = "states"
# New rows that are predicted together take this share of the memory; each takes so many bytes.
_QUERY_SHARE = 1 / 8
_QUERY_BYTES, _QUERY_BYTES_PER_FEATURE = 2048, 64


class _OwnFolder:
    """A temporary folder that is removed with this object."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="disambig-")
        # Not `TemporaryDirectory`, which warns if nobody has closed it.
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class OutOfCoreEstimator(PartsEstimator):
    """Fits an estimator on inputs that are larger than memory, on one machine.

    Inputs stay in a file and are read a few rows at a time. The graph of neighbours and its
    transpose are written to a folder in blocks, which solvers read one after the other; low-rank
    weights compute their features anew from the file in each product. What is fitted is what the
    estimator fits in memory: ``weights="auto"`` is chosen on the same sample, missing cells (NaN)
    are completed in the same way, and with neighbours the labels are the same bit for bit. Only
    what is chosen for all rows must be built in parts: neighbours (exact, uniform, by distance or
    Gaussian), Nyström and random features, forests, cut-off kernels, and mixtures of them.

    Parameters
    ----------
    estimator : estimator
        A `disambig.PartialLabelClassifier`, `disambig.IntervalRegressor`,
        `disambig.PartialMultilabelClassifier` or `disambig.PartialRanker`. It stays as it is.
    folder : path, default=None
        For copies of inputs, graphs, and states of the solver. A fit that was killed resumes by the
        same call with the same folder; a later fit uses graphs that are there again. None: a
        temporary one, which goes with this object.
    memory : str or int, default="4GiB"
        What the process holds at most while graphs are built and searched, whatever the number of
        rows. Targets, labels and what predicts have an entry for each row and come in addition.
    n_threads : int, default=None
        Of the search and of the solver; results do not depend on it. None: as many as the linear
        algebra library may use.
    checkpoint_seconds : float, default=60.0
        Between two writes of the state of the solver.

    Attributes
    ----------
    estimator_ : estimator
        The fitted one. Its attributes (`labels_`, `confidence_`, `solution_`, ...) are also those
        of this object; methods that are not below are called on it, with arrays.
    folder_ : str
        Where graphs and copies of inputs are; predictions by neighbours read them.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.out_of_core import OutOfCoreEstimator
    >>> from disambig.weights import NeighborWeights
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/X.npy", X)
    ...     model = OutOfCoreEstimator(
    ...         PartialLabelClassifier(NeighborWeights(3)), folder=folder, memory="8GiB"
    ...     ).fit(folder + "/X.npy", y)
    ...     model.predict(folder + "/X.npy").tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """

    def __init__(
        self,
        estimator: Any,
        *,
        folder: Any = None,
        memory: Any = "4GiB",
        n_threads: int | None = None,
        checkpoint_seconds: float = 60.0,
    ) -> None:
        self.estimator = estimator
        self.folder = folder
        self.memory = memory
        self.n_threads = n_threads
        self.checkpoint_seconds = checkpoint_seconds

    def fit(self, X: Any, y: Any, **options: Any) -> Self:
        """Fit the estimator on rows in files.

        Parameters
        ----------
        X : path, array, or sequence of paths (n, d)
            A ``.npy`` file, which is read where it is, as is an array that `numpy.load` maps; a
            folder or a list of Parquet files, which are copied to the folder as one ``.npy`` file;
            or an array in memory, which is copied, too. NaN is a missing cell.
        y : targets of n rows, or str, or list of str
            What the estimator reads, in memory; or the names of their columns in the Parquet files.
            All other columns are inputs.
        **options
            Of ``fit`` of the estimator, such as ``groups``.
        """
        estimator = self._checked_estimator()
        n_bytes = memory_size(self.memory)
        check_jobs(_NAME, self.n_threads)
        check_number(_NAME, "checkpoint_seconds", self.checkpoint_seconds, least=0.0)
        temporary = None
        if self.folder is None:
            temporary = _OwnFolder()
        root = Path(self.folder if temporary is None else temporary.path)
        root.mkdir(parents=True, exist_ok=True)
        rows = training_rows(X, y, root)
        stored = RowFolder(
            root.resolve(),
            n_bytes,
            thread_count(self.n_threads),
            # These ask for the votes of the others as well.
            with_others=not isinstance(estimator, PartialLabelClassifier),
        )
        fitted: Any = clone(estimator)
        with keeping_solves(root / _STATES, self.checkpoint_seconds):
            fitted.fit(stored.rows_of(rows.X, rows.names), rows.y, **options)
        shutil.rmtree(root / _STATES, ignore_errors=True)
        self.estimator_ = fitted
        self.folder_ = str(root.resolve())
        # A former one is removed with its last reference.
        self._temporary_ = temporary
        self._n_query_rows_ = max(
            1,
            int(_QUERY_SHARE * n_bytes)
            // (_QUERY_BYTES + _QUERY_BYTES_PER_FEATURE * rows.X.shape[1]),
        )
        return self

    def predict(self, X: Any) -> AnyArray:
        """The predictions of the estimator, in memory.

        Parameters
        ----------
        X : path, array, or sequence of paths (q, d)
            Files and arrays as in `fit` are read in chunks; of Parquet files the columns of the
            inputs. What `predict` of the estimator takes besides is passed on as it is.
        """
        return self._in_chunks("predict", X)

    def predict_proba(self, X: Any) -> FloatArray:
        """The probabilities of the estimator, if it has some, in memory.

        Parameters
        ----------
        X : path, array, or sequence of paths (q, d)
        """
        return self._in_chunks("predict_proba", X)

    def score(self, X: Any, y: Any) -> float:
        """The score of the estimator on rows in memory.

        Parameters
        ----------
        X : array-like (q, d)
        y : targets of q rows
        """
        self._require("score")
        model: Any = self.estimator_
        found: float = model.score(X, y)
        return found

    def _in_chunks(self, method: str, X: Any) -> AnyArray:
        self._require(method)
        predict = getattr(self.estimator_, method)
        names = getattr(self.estimator_, "feature_names_in_", None)
        chunks = new_rows(X, None if names is None else tuple(names), self._n_query_rows_)
        if chunks is None:
            found: AnyArray = predict(X)
            return found
        return np.concatenate([predict(chunk) for chunk in chunks])

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        if state.get("_temporary_") is not None:
            raise ValueError(
                f"{_NAME}: its graphs are in a temporary folder, which goes with this object, so "
                "that it cannot be pickled. Fit with folder=."
            )
        return state
