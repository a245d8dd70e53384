"""Constructors of `PartialOrders`, one for each notation."""

from typing import TYPE_CHECKING, Any, Literal, Self

from disambig.candidates.orders import parsing
from disambig.candidates.orders.chains import parse_pairs
from disambig.candidates.orders.places import parse_places
from disambig.candidates.orders.ranks import parse_ranks, parse_scores
from disambig.notation import AnyArray, BoolArray, IntArray


class PartialOrderReaders:
    """The constructors ``PartialOrders.from_...``."""

    if TYPE_CHECKING:

        @classmethod
        def _trusted(cls, before: BoolArray, items: AnyArray, windows: IntArray | None) -> Self: ...

        def with_items(self, items: Any) -> Self: ...

    @classmethod
    def from_any(
        cls,
        y: Any,
        items: Any = None,
        ties: Literal["ignore", "error"] = "ignore",
        unlabeled: Any = None,
        ranks: Literal["order", "places"] = "order",
    ) -> Self:
        """Read rankings by their form.

        Parameters
        ----------
        y : array, frame, series, list or PartialOrders, n rows
            Numbers with two dimensions, or lists of numbers of equal length, are ranks, one
            column per item: smaller ranks stand before larger ones, and an item whose rank is
            missing (NaN, None, NA) is in no pair. Numbers with one dimension are the ranks of a
            single item, a trivial ranking; none may be missing, unless `unlabeled` says so.
            An array with three dimensions holds signs of pairs, see `from_signs`.
            With one dimension, a row is a text such as ``"a>b>c; a>d"``, see `from_strings`, or
            a list, tuple, set or array of pairs ``(a, b)``, a before b. An empty or missing row
            has no pair. For scores, lists of items and groups of items use `from_scores`,
            `from_top_k` and `from_buckets`.
        items : (m,) array-like, or None
            The items in order. None: the names of the columns of a frame, else 0 to m - 1 for an
            array; the sorted items that occur for texts and pairs. Columns whose names are items
            are matched by name, others by position.
        ties : {"ignore", "error"}, default="ignore"
            Whether equal ranks mean that two items were not compared, or raise an error.
        unlabeled : object, or a list, tuple or set of them, default=None
            Markers of what says nothing, as in `LabelSets.from_any`: a row that is a marker has no
            pair, an item whose rank is a marker was not observed, a sign is 0. Missing values say
            nothing with and without a marker. Ignored if `y` is a PartialOrders.
        ranks : {"order", "places"}, default="order"
            What the numbers of a table mean: they are compared, or each is the place of its item
            among all items, see `from_places`. Ignored if `y` is a PartialOrders.

        Examples
        --------
        >>> from disambig import PartialOrders
        >>> PartialOrders.from_any([[1.0, 2.0, float("nan")], [3.0, 1.0, 2.0]]).n_observed
        array([1, 3])
        """
        if isinstance(y, cls):
            return y if items is None else y.with_items(items)
        return cls._trusted(*parsing.parse_any_order(y, items, ties, unlabeled, ranks))

    @classmethod
    def from_ranks(
        cls,
        ranks: Any,
        items: Any = None,
        ties: Literal["ignore", "error"] = "ignore",
        unlabeled: Any = None,
    ) -> Self:
        """Read ranks, ``(n, m)``: i before j if ``ranks[r, i] < ranks[r, j]``, NaN not observed.

        Parameters
        ----------
        ranks : array-like (n, m)
        items : array-like (m,), or None
            None: the columns of a frame, else 0 to m - 1.
        ties : {"ignore", "error"}, default "ignore"
        unlabeled : object, or a list of them, optional
            Both as in `from_any`.

        Examples
        --------
        >>> from disambig import PartialOrders
        >>> PartialOrders.from_ranks([[2, 1, 1]], items=["a", "b", "c"])[0] == {
        ...     ("b", "a"),
        ...     ("c", "a"),
        ... }
        True
        """
        return cls._trusted(*parse_ranks(ranks, items, ties, unlabeled))

    @classmethod
    def from_places(
        cls,
        places: Any,
        items: Any = None,
        ties: Literal["ignore", "error"] = "ignore",
        unlabeled: Any = None,
    ) -> Self:
        """Read places among all m items, 0 = first as in `ranks` and in predictions, NaN not known.

        With shape ``(n, m)`` an entry is the place of its item. k items with the same number p
        share the places p to p + k - 1, in an order that is not known; with ``ties="error"`` they
        raise. With shape ``(n, m, 2)`` the entries are the first and the last place of an item.

        Parameters
        ----------
        places : array-like (n, m) or (n, m, 2)
        items : array-like (m,), or None
            None: the columns of a frame, else 0 to m - 1.
        ties : {"ignore", "error"}, default "ignore"
        unlabeled : object, or a list of them, optional
            Both as in `from_any`.

        Examples
        --------
        >>> from disambig import PartialOrders
        >>> orders = PartialOrders.from_places([[1, None, None], [0, 0, None]])
        >>> orders.contains([[1, 2, 0], [1, 0, 2]]), sorted(orders[1])
        (array([ True,  True]), [(0, 2), (1, 2)])
        """
        return cls._trusted(*parse_places(places, items, ties, unlabeled))

    @classmethod
    def from_scores(
        cls,
        scores: Any,
        items: Any = None,
        *,
        margin: float = 0.0,
        higher_is_better: bool = True,
        unlabeled: Any = None,
    ) -> Self:
        """Read scores, ``(n, m)``: i before j if ``scores[r, i] - scores[r, j] > margin``.

        With ``higher_is_better=False`` lower scores stand before higher ones. NaN means that an
        item was not observed.

        Parameters
        ----------
        scores : array-like (n, m)
        items : array-like (m,), or None
            None: the columns of a frame, else 0 to m - 1.
        margin : float, default 0
            Scores that differ by no more are not compared.
        higher_is_better : bool, default True
        unlabeled : object, or a list of them, optional
            Markers of what says nothing; see `from_any`.

        Examples
        --------
        >>> from disambig import PartialOrders
        >>> PartialOrders.from_scores([[0.9, 0.1, 0.8]], margin=0.2).to_pairs() == [
        ...     {(0, 1), (2, 1)}
        ... ]
        True
        """
        return cls._trusted(*parse_scores(scores, items, margin, higher_is_better, unlabeled))

    @classmethod
    def from_signs(cls, signs: Any, items: Any = None, unlabeled: Any = None) -> Self:
        """Read signs, ``(n, m, m)``: +1 where i stands before j, -1 where after, 0 not known.

        One of the entries ``[r, i, j]`` and ``[r, j, i]`` suffices; two must be opposite.

        Parameters
        ----------
        signs : array-like (n, m, m)
        items : array-like (m,), or None
            None: the columns of a frame, else 0 to m - 1.
        unlabeled : object, or a list of them, optional
            Markers of what says nothing; see `from_any`.

        Examples
        --------
        >>> from disambig import PartialOrders
        >>> PartialOrders.from_signs([[[0, 1], [-1, 0]]])[0]
        frozenset({(0, 1)})
        """
        return cls._trusted(*parsing.parse_signs(signs, items, unlabeled))

    @classmethod
    def from_pairs(cls, y: Any, items: Any = None, unlabeled: Any = None) -> Self:
        """Read a list of pairs ``(a, b)`` per row, a before b; an empty list excludes nothing.

        Parameters
        ----------
        y : sequence of n lists of pairs
        items : array-like (m,), or None
            In order; None: those that occur, sorted.
        unlabeled : object, or a list of them, optional
            Markers of what says nothing; see `from_any`.

        Examples
        --------
        >>> from disambig import PartialOrders
        >>> PartialOrders.from_pairs([[("a", "b"), ("b", "c")], []]).n_observed
        array([3, 0])
        """
        return cls._trusted(*parse_pairs(y, items, unlabeled))

    @classmethod
    def from_strings(
        cls, y: Any, items: Any = None, *, separator: str = ">", unlabeled: Any = None
    ) -> Self:
        """Read texts such as ``"a>b>c"``, several chains joined by ``;``; blanks are dropped.

        An empty text and a single item have no pair. If the items are not named, the name of an
        item must not contain ``<``, ``>``, ``=``, ``~`` or ``,``, which belong to other notations.

        Parameters
        ----------
        y : sequence of n texts
        items : array-like (m,), or None
            In order; None: those that occur, sorted.
        separator : str, default ">"
            Between an item and the next one.
        unlabeled : object, or a list of them, optional
            Markers of what says nothing; see `from_any`.

        Examples
        --------
        >>> from disambig import PartialOrders
        >>> sorted(PartialOrders.from_strings(["a > b; a > c"])[0])
        [('a', 'b'), ('a', 'c')]
        """
        return cls._trusted(*parsing.parse_order_strings(y, items, separator, unlabeled))

    @classmethod
    def from_top_k(cls, y: Any, items: Any = None, unlabeled: Any = None) -> Self:
        """Read the best items of each row, in order: they stand before all unlisted items.

        Rows may have different lengths; missing values at the end of a row are padding. A single
        item is a list of one. An empty row has no pair.

        Parameters
        ----------
        y : sequence of n lists of items, or array-like (n, k)
        items : array-like (m,), or None
            In order; None: those that occur, sorted.
        unlabeled : object, or a list of them, optional
            Markers of what says nothing; see `from_any`.

        Examples
        --------
        >>> from disambig import PartialOrders
        >>> sorted(PartialOrders.from_top_k([["b"], ["a", "c"]])[0])
        [('b', 'a'), ('b', 'c')]
        """
        return cls._trusted(*parsing.parse_top_k(y, items, unlabeled))

    @classmethod
    def from_buckets(cls, y: Any, items: Any = None, unlabeled: Any = None) -> Self:
        """Read groups of items in order: earlier groups stand before later ones.

        Items of one group are not compared; a single item is a group of one; an item in no group
        was not observed.

        Parameters
        ----------
        y : sequence of n lists of groups of items
        items : array-like (m,), or None
            In order; None: those that occur, sorted.
        unlabeled : object, or a list of them, optional
            Markers of what says nothing; see `from_any`.

        Examples
        --------
        >>> from disambig import PartialOrders
        >>> sorted(PartialOrders.from_buckets([[["a", "b"], ["c"]]])[0])
        [('a', 'c'), ('b', 'c')]
        """
        return cls._trusted(*parsing.parse_buckets(y, items, unlabeled))
