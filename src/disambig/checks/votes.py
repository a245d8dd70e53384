"""`check_votes`: products, sums and declared facts of votes are those of one matrix."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.checks.contract import Contract
from disambig.exceptions import MissingOracleError
from disambig.notation import FloatArray
from disambig.votes import Votes
from disambig.votes.protocol import is_votes


def check_votes(votes: Votes) -> None:
    """Check that an operator is one matrix, and that what it declares about it is true.

    The matrix is read by products with unit vectors, so the check is for votes of few rows.

    Parameters
    ----------
    votes : Votes (q, n)

    Raises
    ------
    ContractError
        A sum, the transpose or another product is not that of the matrix; or `is_nonnegative`,
        `is_symmetric` or `absolute_sums_are_bounds` is declared and not true.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.checks import check_votes
    >>> from disambig.votes import as_votes
    >>> check_votes(as_votes([[0.5, 0.5], [0.0, 1.0]]))

    An operator that declares what does not hold:

    >>> class Signed:
    ...     shape, is_nonnegative = (2, 2), True
    ...     table = np.array([[1.0, -1.0], [0.0, 1.0]])
    ...     T = property(lambda self: as_votes(self.table.T))
    ...
    ...     def __matmul__(self, values):
    ...         return self.table @ values
    >>> check_votes(as_votes(Signed()))
    Traceback (most recent call last):
    disambig.exceptions.ContractError: check_votes: ... entry [0, 1], -1, is negative.
    """
    contract = Contract.of("check_votes", votes)
    contract.holds(is_votes(votes), "does not have all members of disambig.votes.Votes.")
    with contract.during("products and facts are those of one matrix"):
        array = entries(votes)
        _products(contract, votes, array)
        facts(contract, votes, array)
        with suppress(MissingOracleError):
            facts(contract, votes.T, array.T)


def entries(votes: Votes) -> FloatArray:
    """The matrix of votes, ``(q, n)``, from products alone."""
    return votes @ np.eye(votes.shape[1])


def _products(contract: Contract, votes: Votes, array: FloatArray) -> None:
    contract.holds(
        array.shape == tuple(votes.shape),
        f"shape is {tuple(votes.shape)}, but a product with unit vectors has {array.shape}.",
    )
    contract.finite(array, "alpha @ I")
    unit = max(float(np.abs(array).sum(axis=1).max(initial=0.0)), 1.0)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(votes.shape[1], 3))
    n_diagonal = min(array.shape)
    for what, found, expected in (
        ("alpha @ values", lambda: votes @ values, array @ values),
        ("alpha @ vector", lambda: votes @ values[:, 0], array @ values[:, 0]),
        ("alpha.T @ I", lambda: entries(votes.T), array.T),
        ("row_sums()", votes.row_sums, array.sum(axis=1)),
        ("diagonal()", votes.diagonal, array.diagonal()[:n_diagonal]),
    ):
        ask: Callable[[], Any] = found
        with suppress(MissingOracleError):
            contract.close(
                ask(),
                expected,
                what,
                reason="as products with unit vectors say",
                # Estimates of own votes and iterative solutions have errors of this size.
                atol=1e-7 * unit,
            )


def facts(contract: Contract, votes: Votes, array: FloatArray) -> None:
    """What votes declare is true of their matrix; what they store is the matrix."""
    size = np.abs(array).sum(axis=1, keepdims=True)
    unit = max(float(size.max(initial=0.0)), 1.0)
    if votes.is_nonnegative:
        # Rounding of products: some units in the last place of the sums behind an entry.
        wrong = np.argwhere(array < -1e-11 * np.maximum(size, 1.0))
        contract.holds(
            not wrong.size,
            f"is_nonnegative is declared, but {_entry(array, wrong)} is negative.",
        )
    if votes.is_symmetric:
        contract.close(
            array, array.T, "alpha", reason="is_symmetric is declared", atol=1e-10 * unit
        )
    if votes.absolute_sums_are_bounds:
        short = votes.absolute_row_sums() < size[:, 0] * (1 - 1e-9) - 1e-9
        contract.holds(
            not short.any(),
            "absolute_sums_are_bounds is declared, but absolute_row_sums() of row "
            f"{int(short.argmax())} is smaller than its sum of absolute votes.",
        )
    _stored(contract, votes, array, size)


def _stored(contract: Contract, votes: Votes, array: FloatArray, size: FloatArray) -> None:
    if votes.entries is not None:
        stored: Any = votes.entries
        if sp.issparse(stored):
            stored = sp.csr_array(stored).toarray()
        contract.close(stored, array, "entries", reason="as products with unit vectors say")
        # Where the entries are stored, the facts are decided by them, in both directions.
        for name, truth in (
            ("is_symmetric", np.array_equal(stored, stored.T)),
            ("is_nonnegative", bool((stored >= -1e-12 * size).all())),
        ):
            declared = getattr(votes, name)
            contract.holds(declared == truth, f"{name} is {declared}, but its entries say {truth}.")
    rows = votes.compressed
    if rows is not None:
        contract.holds(
            rows.indptr[-1] == len(rows.indices) and votes.T.compressed is not None,
            "compressed rows must end where indptr does, and the transpose must have them, too.",
        )


def _entry(array: FloatArray, places: Any) -> str:
    return f"entry {places[0].tolist()}, {array[tuple(places[0])]:.3g}," if len(places) else ""
