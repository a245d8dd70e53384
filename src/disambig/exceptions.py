"""The few errors and warnings of our own.

Each derives from the built-in that a caller would expect, so that ``except ValueError`` keeps
working.
"""

from sklearn.exceptions import ConvergenceWarning

__all__ = [
    "CandidateError",
    "ConvergenceWarning",
    "DatasetError",
    "IllBehavedWarning",
    "MemoryBudgetError",
    "MissingOracleError",
    "NoInformationError",
    "UnusedClassWarning",
    "VotesError",
]


class CandidateError(ValueError):
    """A set of candidates that cannot be: empty, unknown label, contradictory, ill-shaped."""


class NoInformationError(CandidateError):
    """Every row allows everything: there is nothing to learn from."""


class VotesError(ValueError):
    """A weighting that cannot be used: wrong shape, not finite, not of this training set."""


class DatasetError(RuntimeError):
    """A data set that cannot be had or read: not found, not the known one, broken, ill-formed."""


class MissingOracleError(TypeError):
    """A piece was asked for something exact that it does not offer."""


class MemoryBudgetError(MemoryError):
    """An array would not fit in the memory that is free; the message names an alternative."""


class UnusedClassWarning(UserWarning):
    """A class is never a candidate; it stays in ``classes_`` with probability zero."""


class IllBehavedWarning(UserWarning):
    """Candidate sets that no signed measure asks for: the problem is not well-behaved."""
