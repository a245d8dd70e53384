"""`check_candidates`: rows of candidate sets are selected, split and copied like any other y."""

import copy
import pickle
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, resample, shuffle

from disambig.candidates import Candidates
from disambig.checks.contract import Contract


def check_candidates(candidates: Any) -> None:
    """Check that candidate sets behave like any other y of scikit-learn.

    They have the members of `Candidates`. Lists, arrays, slices, masks and negative numbers select
    rows, and a row that is not there is an IndexError. ``train_test_split``, ``shuffle`` and
    ``resample`` of scikit-learn work. Copies and pickles are equal, other rows are not, and
    nothing can be changed.

    Parameters
    ----------
    candidates : Candidates
        At least 8 rows, which are not the same backwards.

    Raises
    ------
    ContractError
        In words.

    Examples
    --------
    >>> from disambig.candidates import LabelSets
    >>> from disambig.checks import check_candidates
    >>> check_candidates(LabelSets.from_sets([{"a"}, {"a", "b"}, {"b"}, {"c"}] * 2))
    """
    contract = Contract.of("check_candidates", candidates)
    contract.has(candidates, _MEMBERS, "disambig.candidates.Candidates")
    if len(candidates) < 8:
        raise ValueError(
            f"check_candidates: got {len(candidates)} rows; pass at least 8, which are not all "
            "equal, so that there is something to select."
        )
    for what, part in _PARTS:
        with contract.during(what):
            part(contract, candidates)


_MEMBERS = ("__len__", "__getitem__", "__array__", "shape", "informative", "couples_rows")


def _members(contract: Contract, candidates: Any) -> None:
    n = len(candidates)
    contract.holds(isinstance(candidates, Candidates), "is no disambig.candidates.Candidates.")
    contract.holds(
        candidates.shape[0] == n and len(np.asarray(candidates)) == n,
        f"has {n} rows, but its shape is {candidates.shape} and its array has "
        f"{len(np.asarray(candidates))}.",
    )
    informative = np.asarray(candidates.informative)
    contract.holds(
        informative.shape == (n,) and informative.dtype == np.bool_,
        f"informative has shape {informative.shape} of {informative.dtype}; expected ({n},) of "
        "bool.",
    )


def _selection(contract: Contract, candidates: Any) -> None:
    n, array = len(candidates), np.asarray(candidates)
    rows: Any
    for rows in (
        [3, 1],
        np.array([3, 1]),
        (3, 1),
        slice(2, 5),
        np.arange(n) % 2 == 0,
        [-1, 0, 0],
        np.array([], dtype=np.intp),
    ):
        chosen = _safe_indexing(candidates, rows)
        contract.holds(
            type(chosen) is type(candidates),
            f"rows {rows!r} are a {type(chosen).__name__}; expected the same type.",
        )
        contract.close(
            np.asarray(chosen),
            array[list(rows) if isinstance(rows, tuple) else rows],
            f"the array of rows {rows!r}",
            reason="the rows of the array",
        )
    contract.refuses(lambda: candidates[[n]], (IndexError,), f"row {n} of {n}")


def _splits(contract: Contract, candidates: Any) -> None:
    numbers = np.arange(len(candidates))
    train, test, kept, held = train_test_split(candidates, numbers, random_state=0)
    mixed, moved = shuffle(candidates, numbers, random_state=0)
    drawn, rows = resample(candidates, numbers, random_state=0)
    for name, found, chosen in (
        ("train_test_split", train, kept),
        ("train_test_split", test, held),
        ("shuffle", mixed, moved),
        ("resample", drawn, rows),
    ):
        contract.holds(found == candidates[chosen], f"{name} gives other rows than indexing.")


def _copies(contract: Contract, candidates: Any) -> None:
    for name, other in (
        ("copy", copy.copy(candidates)),
        ("deepcopy", copy.deepcopy(candidates)),
        ("pickle", pickle.loads(pickle.dumps(candidates))),
    ):
        contract.holds(other == candidates, f"is not equal to itself after {name}.")
    for other in (candidates[::-1], candidates[:-1]):
        contract.holds(candidates != other, "is equal to other rows.")
    try:
        candidates.shape = (1, 1)
    except AttributeError:
        pass
    else:
        contract.fail("its shape can be set; use a frozen dataclass.")
    for name, value in vars(candidates).items():
        if isinstance(value, np.ndarray):
            contract.holds(
                not value.flags.writeable,
                f"the array {name} can be written to; set its flag writeable to False.",
            )


_PARTS = (
    ("it has rows, a shape and an array", _members),
    ("rows are selected", _selection),
    ("scikit-learn splits it", _splits),
    ("copies are equal and nothing can be changed", _copies),
)
