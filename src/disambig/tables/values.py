"""The distinct values of a column: parsers look at each of them once, not at every row."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.look_alikes import missing_marks, spelling
from disambig.candidates.reading import is_missing
from disambig.notation import IntArray
from disambig.parameters import check_list
from disambig.tables.source import Source, pandas, shown

# Dashes say nothing, unless "+" is a value too.
_DASHES = frozenset({"-", "--", "–", "—"})
_PLUS = "+"
# The words that say nothing are short; longer texts are not compared with them.
_MAX_MARK = 20


@dataclass(frozen=True, eq=False)
class Values:
    """Which of its distinct values each row of a column has.

    Attributes
    ----------
    column : str
    values : list
        Distinct values in the order of their first row; texts without blanks around them, lists
        as tuples.
    codes : (n,)
        Positions in `values`; -1 where a cell is blank, missing, or a word that says nothing.
    first, counts : (d,)
        The first row of each value, and in how many rows it is.
    silent, silent_rows : dict of str to int
        The words that say nothing, with the number of their rows, and with the first of them;
        blanks are not among them.
    """

    column: Any
    values: list[Any]
    codes: IntArray
    first: IntArray
    counts: IntArray
    silent: dict[str, int]
    silent_rows: dict[str, int]

    @property
    def texts(self) -> list[str]:
        """The values that are texts."""
        return [value for value in self.values if isinstance(value, str)]

    def row_of(self, text: str) -> int:
        """The first row of a text."""
        places = (i for i, value in enumerate(self.values) if isinstance(value, str))
        return int(self.first[next(i for i in places if self.values[i] == text)])

    @property
    def are_texts(self) -> bool:
        """Whether all values are texts."""
        return all(isinstance(value, str) for value in self.values)


def column_values(
    series: Any, source: Source, missing: Iterable[str] | None = None, names: Iterable[Any] = ()
) -> Values:
    """The distinct values of a column of a frame.

    Parameters
    ----------
    series : pandas.Series (n,)
    source : Source
    missing : list of str, optional
        Words that say nothing, beside blanks and the usual ones; an empty list: blanks only.
    names : list
        Words that say something, such as classes that a user named.

    Examples
    --------
    >>> import pandas as pd
    >>> found = column_values(pd.Series(["a", " a", "?", None, "b"], name="x"), Source())
    >>> found.values, found.codes.tolist(), found.silent
    (['a', 'b'], [0, 0, -1, -1, 1], {'?': 1})
    """
    codes, raw = _factorized(series, source)
    texts: list[str] = []
    # Columns of numbers may have as many values as rows.
    if any(issubclass(one, str) for one in set(map(type, raw))):
        raw = [value.strip() if isinstance(value, str) else value for value in raw]
        texts = [value for value in raw if isinstance(value, str)]
    counts = np.bincount(codes[codes >= 0], minlength=len(raw))
    says_nothing = silent_words(texts, missing, names)
    silent: dict[str, int] = {}
    silent_rows: dict[str, int] = {}
    for code, value in enumerate(raw) if says_nothing else ():
        if isinstance(value, str) and value in says_nothing:
            silent[value] = silent.get(value, 0) + int(counts[code])
            silent_rows.setdefault(value, int(np.argmax(codes == code)))
    values, merged = _merged(raw, says_nothing)
    codes = merged[codes]
    kept = np.flatnonzero(codes >= 0)
    # Assigned from the last row to the first, so that the first one stays.
    first = np.zeros(len(values), dtype=np.intp)
    first[codes[kept[::-1]]] = kept[::-1]
    counts = np.bincount(codes[kept], minlength=len(values))
    return Values(series.name, values, codes, first, counts, silent, silent_rows)


def _merged(raw: list[Any], says_nothing: frozenset[str]) -> tuple[list[Any], IntArray]:
    """Distinct values that say something, and the position of each raw one, and -1 at the end."""
    if set(map(type, raw)) <= {str} and len(set(raw)) == len(raw):
        # The common case, without a look at every value.
        says = np.array([bool(v) and v not in says_nothing for v in raw], dtype=np.bool_)
        merged = np.where(says, np.cumsum(says) - 1, -1)
        values = [value for value, one in zip(raw, says.tolist(), strict=True) if one]
        return values, np.append(merged, -1).astype(np.intp)
    if _are_different_numbers(raw):
        return raw, np.append(np.arange(len(raw)), -1)
    place: dict[Any, int] = {}
    merged = np.full(len(raw) + 1, -1, dtype=np.intp)
    for code, value in enumerate(raw):
        if isinstance(value, str):
            if not value or value in says_nothing:
                continue
        elif not isinstance(value, tuple) and is_missing(value):
            continue
        # True equals 1: they are kept apart.
        merged[code] = place.setdefault((isinstance(value, bool), value), len(place))
    return [value for _, value in place], merged


def _are_different_numbers(raw: list[Any]) -> bool:
    """Whether the values are floats, or whole numbers, of which no two are equal or missing."""
    types = set(map(type, raw))
    if types not in ({float}, {int}) or len(set(raw)) < len(raw):
        return False
    return types == {int} or not np.isnan(raw).any()


def missing_words(owner: str, missing: Any) -> tuple[str, ...] | None:
    """The parameter ``missing=`` of a reader, checked: texts, or None.

    Examples
    --------
    >>> missing_words("read_target", ["no answer"])
    ('no answer',)
    """
    if missing is None:
        return None
    words = check_list(owner, "missing", missing)
    odd = [word for word in words if not isinstance(word, str)]
    if odd:
        raise ValueError(f"{owner}: missing must be a list of texts; {shown(odd[0])} is none.")
    return tuple(words)


def silent_words(
    texts: list[str], missing: Iterable[str] | None, names: Iterable[Any] = ()
) -> frozenset[str]:
    """Which of the texts say nothing: the usual words and those in `missing`, but no `names`.

    An empty list of missing words takes the usual ones away.

    Examples
    --------
    >>> sorted(silent_words(["N/A", "-", "cat"], None)), silent_words(["+", "-"], None)
    (['-', 'N/A'], frozenset())
    >>> sorted(silent_words(["N/A", "none", "No answer"], ["no answer"], names=["none"]))
    ['N/A', 'No answer']
    """
    words = {spelling(word) for word in missing or ()}
    named = {text for text in texts if spelling(text) in words} if words else set()
    if missing is not None and not words:
        return frozenset()
    found = set(
        missing_marks([text for text in texts if len(text) <= _MAX_MARK and not text[:1].isdigit()])
    )
    if _PLUS not in texts:
        found |= _DASHES.intersection(texts)
    says = {spelling(name) for name in names if isinstance(name, str)}
    return frozenset(named | {text for text in found if spelling(text) not in says})


def _factorized(series: Any, source: Source) -> tuple[IntArray, list[Any]]:
    """Codes, -1 for missing cells, and the distinct cells as Python objects."""
    pd = pandas()
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = np.asarray(series.cat.codes, dtype=np.intp)
        return codes, list(series.cat.categories)
    try:
        codes, values = pd.factorize(series)
    except OverflowError:
        # Older versions of pandas cannot find a common type of 10**400 and others.
        places: dict[Any, int] = {}
        known = zip(series.tolist(), series.notna().tolist(), strict=True)
        own = [places.setdefault(cell, len(places)) if has else -1 for cell, has in known]
        return np.asarray(own, dtype=np.intp), list(places)
    except TypeError:
        cells = series.tolist()
        hashable = np.empty(len(cells), dtype=object)
        hashable[:] = [_tuple(cell, row, series.name, source) for row, cell in enumerate(cells)]
        try:
            codes, values = pd.factorize(hashable)
        except TypeError:
            raise source.error("holds lists inside lists.", column=series.name) from None
    found = values.tolist() if hasattr(values, "tolist") else list(values)
    return np.asarray(codes, dtype=np.intp), found


def _tuple(cell: Any, row: int, column: Any, source: Source) -> Any:
    """Lists and arrays as tuples, so that they can be compared."""
    if isinstance(cell, np.ndarray | list | tuple | set | frozenset):
        entries = cell.tolist() if isinstance(cell, np.ndarray) else list(cell)
        return tuple(sorted(entries, key=str) if isinstance(cell, set | frozenset) else entries)
    if isinstance(cell, dict):
        raise source.error(f"holds {shown(cell)}; expected a single value or a list.", row, column)
    return cell
