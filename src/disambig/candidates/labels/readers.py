"""Constructors of `LabelSets`, one for each notation."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from disambig.candidates.labels.hierarchy import Hierarchy
from disambig.candidates.labels.hierarchy_parsing import parse_hierarchy
from disambig.candidates.labels.mixed import parse_mixed
from disambig.candidates.labels.parsing import (
    parse_any,
    parse_labels,
    parse_negatives,
    parse_sets,
    parse_strings,
)
from disambig.candidates.labels.tables import parse_table
from disambig.candidates.reading import require_separable, table_of


class LabelSetReaders:
    """The constructors ``LabelSets.from_...``."""

    if TYPE_CHECKING:

        def __init__(
            self, mask: Any, classes: Any, weights: Any = None, origin_flags: Any = None
        ) -> None: ...

        def with_classes(self, classes: Any) -> Self: ...

    @classmethod
    def from_any(cls, y: Any, classes: Any = None, unlabeled: Any = None) -> Self:
        """Read targets by their form.

        Parameters
        ----------
        y : array, frame, series, sparse array, list or LabelSets, n rows
            With two dimensions and at least two columns, a table with one column per class: of
            bools or of 0 and 1 a mask of candidates; of fractions in [0, 1] soft weights, where
            a class of positive weight is a candidate and each row is scaled to sum to one. With
            one column, plain labels (with the DataConversionWarning of scikit-learn).
            With one dimension, a row is a label (a number, a text, a bool, any value) or a set,
            frozenset, list, tuple or array of labels. Text is one label.
            Lists of lists are sets; one that could also be a mask raises.
        classes : (K,) array-like, or None
            The classes in order. None: the names of the columns of a frame, else 0 to K - 1 for
            a table; the sorted labels that occur for rows of labels (also of a categorical
            series). Labels that do not compare are sorted by the name of their type, then as
            text. Columns whose names are classes are matched by name, others by position. Real
            numbers with a fraction are labels only if they are named here.
        unlabeled : object, or a list, tuple or set of them, default=None
            Markers of rows that may be any class: such a row, or a set that holds a marker alone,
            or a row of a table in which every entry is a marker, becomes the set of all classes.
            A marker is a single value such as -1, "?" or "". It matches values of its own type:
            -1 matches -1.0, not "-1"; 1 does not match True. NaN matches every missing value, and
            so does None in a list. None alone means that there is no marker, and missing rows
            then raise. Ignored if `y` is a LabelSets.

        Returns
        -------
        LabelSets

        Warns
        -----
        LookAlikeWarning
            If classes that were read from `y` may be a slip: "Cat" beside "cat", "1" beside 1,
            "a|b", "unknown". Not if `classes` names them.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> LabelSets.from_any([0, 2, -1, 1], unlabeled=-1).to_sets()[2] == {0, 1, 2}
        True
        """
        if isinstance(y, cls):
            return y if classes is None else y.with_classes(classes)
        require_separable(y, "LabelSets.from_any")
        return cls(*parse_any(y, classes, unlabeled))

    @classmethod
    def from_mask(cls, mask: Any, classes: Any = None, unlabeled: Any = None) -> Self:
        """Read a table of bools or of 0 and 1, ``(n, K)``; nested lists are allowed.

        Parameters
        ----------
        mask : array-like (n, K)
        classes : array-like (K,), or None
            None: the columns of a frame, else 0 to K - 1.
        unlabeled : object, or a list of them, optional
            Markers of rows that may be any class; see `from_any`.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> LabelSets.from_mask([[0, 1, 1]], classes=["a", "b", "c"])[0] == {"b", "c"}
        True
        """
        return cls(*parse_table(*table_of(mask), classes, unlabeled, "mask"))

    @classmethod
    def from_weights(cls, weights: Any, classes: Any = None, unlabeled: Any = None) -> Self:
        """Read non-negative weights of any scale, ``(n, K)``: votes, counts, probabilities.

        A class of positive weight is a candidate; each row is scaled to sum to one.

        Parameters
        ----------
        weights : array-like (n, K)
        classes : array-like (K,), or None
            None: the columns of a frame, else 0 to K - 1.
        unlabeled : object, or a list of them, optional
            Markers of rows that may be any class; see `from_any`.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> LabelSets.from_weights([[3, 1, 0]]).weights
        array([[0.75, 0.25, 0.  ]])
        """
        return cls(*parse_table(*table_of(weights), classes, unlabeled, "weights"))

    @classmethod
    def from_labels(cls, y: Any, classes: Any = None, unlabeled: Any = None) -> Self:
        """Read one label per row: sets with one candidate.

        Parameters
        ----------
        y : array-like (n,)
        classes : array-like (K,), or None
            In order; None: those that occur, sorted.
        unlabeled : object, or a list of them, optional
            Markers of rows that may be any class; see `from_any`.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> LabelSets.from_labels(["b", "a", "b"]).sizes
        array([1, 1, 1])
        """
        return cls(*parse_labels(y, classes, unlabeled))

    @classmethod
    def from_sets(cls, y: Any, classes: Any = None, unlabeled: Any = None) -> Self:
        """Read one set, list, tuple or array of labels per row; a single label is a set of one.

        Parameters
        ----------
        y : sequence of n sets
        classes : array-like (K,), or None
            In order; None: those that occur, sorted.
        unlabeled : object, or a list of them, optional
            Markers of rows that may be any class; see `from_any`.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> LabelSets.from_sets([[0, 1], [1, 2]]).n_classes
        3
        """
        return cls(*parse_sets(y, classes, unlabeled))

    @classmethod
    def from_strings(
        cls, y: Any, separator: str = "|", classes: Any = None, unlabeled: Any = None
    ) -> Self:
        """Read texts such as ``"cat|dog"``; blanks around labels are dropped.

        Parameters
        ----------
        y : sequence of n texts
        separator : str, default "|"
            Between the labels of a text.
        classes : array-like (K,), or None
            In order; None: those that occur, sorted.
        unlabeled : object, or a list of them, optional
            Markers of rows that may be any class; see `from_any`.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> sorted(LabelSets.from_strings(["cat | dog", "cow"])[0])
        ['cat', 'dog']
        """
        return cls(*parse_strings(y, separator, classes, unlabeled))

    @classmethod
    def from_negatives(
        cls, y: Any, classes: Any, unlabeled: Any = None, separator: str | None = None
    ) -> Self:
        """Read the labels that each row does *not* have; an empty set excludes nothing.

        With a separator, texts are split as in `from_strings`.

        Parameters
        ----------
        y : sequence of n labels or sets
        classes : array-like (K,)
            All of them: what is not excluded is a candidate.
        unlabeled : object, or a list of them, optional
            Markers of rows that may be any class; see `from_any`.
        separator : str, optional
            Between the labels of a text.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> LabelSets.from_negatives([1, {0, 2}], classes=[0, 1, 2]).to_sets()
        [frozenset({0, 2}), frozenset({1})]
        """
        return cls(*parse_negatives(y, classes, unlabeled, separator))

    @classmethod
    def from_hierarchy(
        cls,
        y: Any,
        parents: Hierarchy | Mapping[Any, Any],
        classes: Any = None,
        unlabeled: Any = None,
        separator: str | None = None,
    ) -> Self:
        """Read nodes of a hierarchy, alone or in sets: a node stands for the leaves below it.

        The classes are all leaves, sorted, unless they are named. With a separator, texts are
        split as in `from_strings`.

        Parameters
        ----------
        y : sequence of n nodes, or of sets of nodes
        parents : Hierarchy, or mapping of child to parent
        classes : array-like (K,), or None
            Leaves, in order; None: all, sorted.
        unlabeled : object, or a list of them, optional
            Markers of rows that may be any class; see `from_any`.
        separator : str, optional
            Between the nodes of a text.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> parents = {"cat": "mammal", "dog": "mammal", "bee": "insect"}
        >>> sorted(LabelSets.from_hierarchy(["mammal", "bee"], parents)[0])
        ['cat', 'dog']
        """
        return cls(*parse_hierarchy(y, parents, classes, unlabeled, separator))

    @classmethod
    def from_mixed(
        cls,
        y: Any = None,
        *,
        labels: Any = None,
        sets: Any = None,
        negatives: Any = None,
        nodes: Any = None,
        weights: Any = None,
        parents: Hierarchy | Mapping[Any, Any] | None = None,
        classes: Any = None,
        unlabeled: Any = None,
        separator: str | None = None,
    ) -> Self:
        """Read statements of several forms about the same rows; a row has what all of them allow.

        A missing value, a blank text or a marker says nothing, and a row of which nothing is said
        may be any class. `origins` keeps what was said of each row.

        Parameters
        ----------
        y : list of n mappings, optional
            The statements of each row, instead of columns: ``{"set": {"a", "b"}, "not": "b"}``. The
            words are "label", "set", "not", "node" and "weights"; None says nothing.
        labels : column of n labels, optional
        sets, negatives : columns of labels, or of sets or lists of labels, optional
            The candidates, and what a row is not.
        nodes : column of nodes of `parents`, or of sets of them, optional
            A node stands for the leaves below it.
        weights : frame or table (n, K), or column of mappings of class to weight, optional
            The classes of positive weight are the candidates. Rows are scaled to sum to one, over
            the candidates that the other statements leave. Other rows have equal weights.
        parents : Hierarchy or mapping of child to parent, optional
            Its leaves are classes.
        classes : (K,) array-like, optional
            By default all labels that occur, sorted; needed for a table without names.
        unlabeled : object or list of objects, optional
            Further values that say nothing.
        separator : str, optional
            Splits texts of sets, negatives and nodes, as in `from_strings`.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> parents = {"cat": "mammal", "dog": "mammal", "bee": "insect", "ant": "insect"}
        >>> sets = LabelSets.from_mixed(
        ...     labels=["cat", None, None, None],
        ...     nodes=[None, "mammal", "insect", None],
        ...     negatives=[None, None, "bee", None],
        ...     parents=parents,
        ... )
        >>> [sorted(one) for one in sets]
        [['cat'], ['cat', 'dog'], ['ant'], ['ant', 'bee', 'cat', 'dog']]
        >>> sets.origins.tolist()
        ['label', 'node', 'not+node', 'unlabeled']
        """
        columns = {
            "label": labels,
            "set": sets,
            "not": negatives,
            "node": nodes,
            "weights": weights,
        }
        return cls(*parse_mixed(y, columns, parents, classes, unlabeled, separator))
