"""What all checks share: comparisons that raise a `ContractError` in words."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.exceptions import ContractError
from disambig.notation import AnyArray


@dataclass(frozen=True)
class Contract:
    """The component that is checked, and how its errors begin.

    Parameters
    ----------
    check : str
        The public function, such as ``"check_loss"``.
    owner : str
        The component, such as ``"MyLoss"``.
    """

    check: str
    owner: str

    @classmethod
    def of(cls, check: str, component: Any) -> "Contract":
        """The contract of a component, which must be an object and not its class."""
        if isinstance(component, type):
            raise TypeError(
                f"{check}: got the class {component.__name__}; pass an object, "
                f"{component.__name__}(...)."
            )
        return cls(check, type(component).__name__)

    def fail(self, message: str) -> None:
        """Raise a `ContractError`."""
        raise ContractError(f"{self.check}: {self.owner}: {message}")

    def holds(self, condition: Any, message: str) -> None:
        """Raise a `ContractError` unless the condition is true."""
        if not condition:
            self.fail(message)

    def has(self, component: Any, names: tuple[str, ...], protocol: str) -> None:
        """The component has these methods and properties."""
        missing = [name for name in names if not hasattr(component, name)]
        self.holds(not missing, f"lacks {', '.join(missing)}, which {protocol} asks for.")

    def close(
        self, found: Any, expected: Any, what: str, *, reason: str, atol: float = 0.0
    ) -> None:
        """Two arrays are equal, up to `atol`; the error names the first entry that differs.

        Parameters
        ----------
        found, expected : array-like
        what : str
            What was found, as the subject of the sentence.
        reason : str
            What was expected, and why.
        atol : float
        """
        left, right = np.asarray(found), np.asarray(expected)
        self.holds(
            left.shape == right.shape,
            f"{what} has shape {left.shape}; expected {right.shape}: {reason}.",
        )
        wrong = _differ(left, right, atol)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            where = f" at {list(place)}" if place else ""
            self.fail(
                f"{what} is {left[place]!s}{where}; expected {right[place]!s}: {reason} "
                f"({int(wrong.sum())} of {wrong.size} entries differ)."
            )

    def finite(self, array: Any, what: str) -> None:
        """All entries are finite numbers."""
        bad = np.argwhere(~np.isfinite(np.asarray(array, dtype=np.float64)))
        if bad.size:
            self.fail(f"{what} has NaN or infinity, first at {bad[0].tolist()}.")

    @contextmanager
    def during(self, what: str) -> Iterator[None]:
        """An error of the component itself gets a note about what was checked."""
        try:
            yield
        except ContractError:
            raise
        except Exception as error:
            error.add_note(f"{self.check}: raised while it was checked that {what}.")
            raise

    def refuses(
        self, call: Callable[[], Any], kinds: tuple[type[Exception], ...], what: str
    ) -> None:
        """A call raises one of these errors."""
        names = " or ".join(kind.__name__ for kind in kinds)
        try:
            call()
        except kinds:
            return
        self.fail(f"{what} raises no error; expected {names}.")


def _differ(left: AnyArray, right: AnyArray, atol: float) -> AnyArray:
    numeric = left.dtype.kind in "fiub" and right.dtype.kind in "fiub"
    if not numeric:
        return np.asarray(left != right)
    left, right = left.astype(np.float64), right.astype(np.float64)
    with np.errstate(invalid="ignore"):
        equal = (np.abs(left - right) <= atol) | (left == right)
    return np.asarray(~(equal | (np.isnan(left) & np.isnan(right))))
