"""Errors and warnings of the package.

Each error derives from the built-in error that a caller would expect, so that, for example,
``except ValueError`` catches a `CandidateError`.
"""

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

__all__ = [
    "CandidateError",
    "CheckpointError",
    "ClusterError",
    "ContractError",
    "ConvergenceWarning",
    "DatasetError",
    "IllBehavedWarning",
    "InputShiftWarning",
    "LookAlikeWarning",
    "MemoryBudgetError",
    "MissingColumnWarning",
    "MissingOracleError",
    "ModelFileError",
    "NoInformationError",
    "NoVotesWarning",
    "StoppedError",
    "TableError",
    "UnusedClassWarning",
    "VotesError",
]


class CandidateError(ValueError):
    """An invalid candidate set: empty, contradictory, with an unknown label or a wrong shape.

    Attributes
    ----------
    row : int or None
        The first invalid row, if the error is about rows.
    detail : str
        What is wrong with that row and what to do, without the row itself.

    Examples
    --------
    >>> from disambig.candidates import LabelSets
    >>> try:
    ...     LabelSets.from_sets([{"a"}, set()])
    ... except CandidateError as error:
    ...     print(error.row)
    1
    """

    row: int | None = None
    detail: str = ""


class ContractError(AssertionError):
    """A component does not do what its contract says; raised by `disambig.checks`.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.checks import check_votes
    >>> from disambig.votes.dense import DenseVotes
    >>> check_votes(DenseVotes(np.array([[0.0, 1.0], [2.0, 0.0]]), symmetric=True))
    Traceback (most recent call last):
    disambig.exceptions.ContractError: check_votes: DenseVotes: ...
    """


class CheckpointError(RuntimeError):
    """A folder whose checkpoints are those of another run, or which has other files.

    Examples
    --------
    >>> import tempfile
    >>> from disambig.solvers.checkpoints import checkpoints
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with checkpoints(folder, "one"):
    ...         pass
    ...     with checkpoints(folder, "another"):
    ...         pass
    Traceback (most recent call last):
    disambig.exceptions.CheckpointError: ... holds checkpoints of other data, ...
    """


class ClusterError(RuntimeError):
    """A cluster on which nothing can run: a closed client, no workers, or workers that die.

    Examples
    --------
    >>> raise ClusterError("The Dask client is closed, so that nothing can run.")
    Traceback (most recent call last):
    disambig.exceptions.ClusterError: The Dask client is closed, so that nothing can run.
    """


class NoInformationError(CandidateError):
    """No row is informative: every candidate set allows every target.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> PartialLabelClassifier().fit([[0.0], [1.0]], [{"a", "b"}, {"a", "b"}])
    Traceback (most recent call last):
    disambig.exceptions.NoInformationError: y: none of the 2 rows excludes a class, ...
    """


class VotesError(ValueError):
    """A weighting that cannot be used: wrong shape, not finite, or of another training set.

    Examples
    --------
    >>> from disambig.votes import as_votes
    >>> as_votes([[1.0, float("nan")]])
    Traceback (most recent call last):
    disambig.exceptions.VotesError: The votes hold NaN or infinity, first in row 0 ...
    """


class DatasetError(RuntimeError):
    """A data set that cannot be fetched or read: not found, incomplete, unexpected or malformed.

    Examples
    --------
    >>> from disambig.datasets import fetch_libsvm
    >>> fetch_libsvm("dna", folder="no such folder", download=False)
    Traceback (most recent call last):
    disambig.exceptions.DatasetError: folder='no such folder' is not a folder. ...
    """


class TableError(ValueError):
    """A file or a frame that cannot be read, or that may be read in several ways; one line.

    Attributes
    ----------
    file : str or None
        The name of the file; None for a frame.
    line : int or None
        The line of the file, from 1 on; in a frame, and in a file without lines, the row, from 0
        on.
    column : str or None
        The name of the column.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig.tables import load_table
    >>> load_table(pd.DataFrame({"size": [1.0, 2.0], "label": ["a", "b"]}), "species")
    Traceback (most recent call last):
    disambig.exceptions.TableError: the table: there is no column 'species'. ...
    """

    file: str | None = None
    line: int | None = None
    column: str | None = None


class MissingOracleError(TypeError):
    """An exact computation was requested of a component that does not offer it.

    Examples
    --------
    >>> from disambig.candidates import Intervals
    >>> from disambig.losses import SquaredLoss
    >>> from disambig.solvers import AlternatingMinimization, VotedProblem
    >>> from disambig.votes import as_votes
    >>> sets = Intervals([0.0], [1.0])
    >>> problem = VotedProblem(as_votes([[1.0]]), SquaredLoss(), sets, sets.span)
    >>> AlternatingMinimization().solve(problem)
    Traceback (most recent call last):
    disambig.exceptions.MissingOracleError: AlternatingMinimization solves problems whose ...
    """


class MemoryBudgetError(MemoryError):
    """An array does not fit in the free memory; the message names an alternative.

    Examples
    --------
    >>> from disambig.memory import require_bytes
    >>> require_bytes(1e18, "The kernel matrix of 350 million rows", "Use NystromWeights().")
    Traceback (most recent call last):
    disambig.exceptions.MemoryBudgetError: The kernel matrix of 350 million rows ...
    """


class ModelFileError(ValueError):
    """A model that cannot be saved, or a file that is not a model that can be loaded safely.

    Examples
    --------
    >>> from disambig.table_models import load_predictor
    >>> load_predictor("no such folder")
    Traceback (most recent call last):
    disambig.exceptions.ModelFileError: no such folder: there is no such file.
    """


class StoppedError(RuntimeError):
    """A callback ended a phase that has no result without its last step.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.trust.folds import mean_over
    >>> mean_over([np.array([0, 1])], lambda folds: None)
    Traceback (most recent call last):
    disambig.exceptions.StoppedError: cross_examine: a callback ended it when some rows had ...
    """


class UnusedClassWarning(UserWarning):
    """A class is never a candidate. It stays in ``classes_`` with probability zero.

    Examples
    --------
    >>> import warnings
    >>> from disambig import PartialLabelClassifier
    >>> model = PartialLabelClassifier("kernel_ridge", classes=["a", "b", "c"])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = model.fit([[0.0], [1.0]], [{"a"}, {"b"}])
    >>> print(caught[0].message)
    1 of 3 classes are never a candidate ('c'); they keep probability 0.
    """


class IllBehavedWarning(UserWarning):
    """The problem is not well-behaved: a candidate set has no signed measure.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from disambig.losses import OrdinalLoss
    >>> loss = OrdinalLoss(power=2).bind(np.arange(4))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = loss.is_well_behaved([{0, 2}, {0, 1}])
    >>> print(caught[0].message)
    not a well-behaved problem: no signed measure has exactly the members of {0, 2} as its ...
    """


class InputShiftWarning(UserWarning):
    """New inputs have drifted away from the training inputs; ``input_shift(X)`` says how.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from disambig import PartialLabelClassifier
    >>> X = np.arange(40.0)[:, None]
    >>> model = PartialLabelClassifier("kernel_ridge").fit(X, ["a"] * 20 + ["b"] * 20)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = model.predict(X + 100)
    >>> print(caught[0].message)
    100% of the new rows lie farther from the training rows than 99% of the training rows do; ...
    """


class MissingColumnWarning(UserWarning):
    """A column of X has no value in any training row; it is dropped, also at predict.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from disambig import PartialLabelClassifier
    >>> X = [[0.0, np.nan], [1.0, np.nan], [2.0, np.nan]]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = PartialLabelClassifier("kernel_ridge").fit(X, ["a", "a", "b"])
    >>> print(caught[0].message)
    X: column 1 has no value in any of the 3 rows that take part, and nothing is learned ...
    """


class NoVotesWarning(UserWarning):
    """No training row votes at some new inputs; ``is_reached(X)`` says at which ones it does.

    Examples
    --------
    >>> import warnings
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.weights import NadarayaWatsonWeights
    >>> weights = NadarayaWatsonWeights("box", bandwidth=1.0)
    >>> model = PartialLabelClassifier(weights).fit([[0.0], [1.0]], [{"a"}, {"b"}])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = model.predict([[50.0]])
    >>> print(caught[0].message)
    1 of 1 inputs get no vote from any training row; ...
    """


class LookAlikeWarning(UserWarning):
    """Classes, items or tags that may be a slip: two that look alike, a set or a missing mark.

    "Cat" beside "cat" and "1" beside 1 are different classes, "a|b" is one class, and so is
    "unknown". The warning names them and says what to do; it does not come if the user names the
    classes by ``classes=`` (items by ``items=``, tags by ``tags=``).

    Examples
    --------
    >>> import warnings
    >>> from disambig.candidates import LabelSets
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = LabelSets.from_sets([{"cat"}, {"Cat", "dog"}])
    >>> print(caught[0].message)
    LabelSets: some classes may be a slip. 'Cat' and 'cat' differ only in case, ...
    """


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside this package that called it, however deep the call was.

    Python shows a warning once a line. At a line of ours, the warning of one fit would hide that of
    the next.
    """
    inside = __name__.partition(".")[0] + "."
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(inside):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
