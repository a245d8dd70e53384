"""Colours and markers of the methods, the same in every figure of the paper."""

from typing import NamedTuple

INK = "#4D4D4D"
FAINT = "#D9D9D9"


class MethodStyle(NamedTuple):
    """How a method is drawn."""

    color: str
    marker: str
    dashes: str


# The colours of Okabe and Ito, which colour-blind readers can distinguish; markers differ too.
_STYLES = {
    "DF": MethodStyle("#0072B2", "o", "-"),
    "IL, as coded": MethodStyle("#D55E00", "s", "-"),
    "IL": MethodStyle("#D55E00", "s", "-"),
    "IL, exact": MethodStyle("#E69F00", "v", "--"),
    "AC": MethodStyle("#009E73", "^", "-"),
    "AC, as coded": MethodStyle("#009E73", "^", "-"),
    "AC, exact": MethodStyle("#56B4E9", "P", "--"),
}
_DEFAULT = MethodStyle("#7B3294", "D", "-.")


def style_of(method: str) -> MethodStyle:
    """The style of a method, found by the longest known beginning of its name.

    Examples
    --------
    >>> style_of("DF, exact, intercept").marker
    'o'
    """
    known = [name for name in _STYLES if method.startswith(name)]
    return _STYLES[max(known, key=len)] if known else _DEFAULT
