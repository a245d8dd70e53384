"""Checks of your own components against the contracts that estimators and solvers rely on.

Each check calls the component on small problems and compares with what holds by definition, or with
an enumeration. It returns None if all is well, and raises a `ContractError` that says what differs.
"""

from disambig.checks.candidates import check_candidates
from disambig.checks.losses import check_loss
from disambig.checks.solvers import check_solver
from disambig.checks.structured_tasks import check_structured_task
from disambig.checks.votes import check_votes
from disambig.checks.weightings import check_weighting

__all__ = [
    "check_candidates",
    "check_loss",
    "check_solver",
    "check_structured_task",
    "check_votes",
    "check_weighting",
]
