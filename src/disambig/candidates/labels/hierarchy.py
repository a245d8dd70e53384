"""A hierarchy of labels: the leaves that a coarse label stands for, and distances of labels."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import is_nested, preview, sorted_labels
from disambig.candidates.reading import is_missing
from disambig.exceptions import CandidateError
from disambig.notation import FloatArray


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """``parents[child] = parent``: labels as a forest, the finest labels at the leaves.

    Parameters
    ----------
    parents : mapping of child to parent
        A label without an entry, or whose parent is None, is a root. Several roots are allowed:
        distances between their trees then pass through one more node above all roots.

    Examples
    --------
    >>> animals = Hierarchy({"cat": "mammal", "dog": "mammal", "mammal": "animal", "bee": "animal"})
    >>> animals.leaves
    ('bee', 'cat', 'dog')
    >>> animals.leaves_of("mammal"), animals.depth("cat"), animals.distance("cat", "bee")
    (('cat', 'dog'), 2, 3)
    """

    parents: Mapping[Any, Any]

    def __post_init__(self) -> None:
        given: Any = self.parents
        if not isinstance(given, Mapping) or not given:
            raise CandidateError(
                f"Hierarchy: parents must be a non-empty mapping of child to parent; "
                f"got {type(given).__name__} {given!r}."
            )
        links = {
            child: None if is_missing(parent) else parent for child, parent in self.parents.items()
        }
        for child, parent in links.items():
            for node in (child, parent):
                if is_nested(node) or is_missing(child) or not isinstance(node, Hashable):
                    raise CandidateError(
                        f"Hierarchy: the parent of {child!r} is given as {parent!r}; both must be "
                        f"single labels, numbers or strings, and a child must not be missing."
                    )
        object.__setattr__(self, "parents", MappingProxyType(links))
        self._require_acyclic()

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled.
        return (type(self), (dict(self.parents),))

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.nodes)} nodes, {len(self.leaves)} leaves)"

    def __contains__(self, node: object) -> bool:
        return node in self._children

    @cached_property
    def _children(self) -> dict[Any, list[Any]]:
        children: dict[Any, list[Any]] = {}
        for child, parent in self.parents.items():
            children.setdefault(child, [])
            if parent is not None:
                children.setdefault(parent, []).append(child)
        return children

    @cached_property
    def nodes(self) -> tuple[Any, ...]:
        """All labels, sorted."""
        return tuple(sorted_labels(self._children))

    @cached_property
    def leaves(self) -> tuple[Any, ...]:
        """Labels without a child, sorted."""
        return tuple(node for node in self.nodes if not self._children[node])

    def leaves_of(self, node: Any) -> tuple[Any, ...]:
        """The leaves under `node`, sorted; a leaf stands for itself.

        Parameters
        ----------
        node : object

        Examples
        --------
        >>> animals = Hierarchy(
        ...     {"cat": "mammal", "dog": "mammal", "mammal": "animal", "bee": "animal"}
        ... )
        >>> animals.leaves_of("mammal")
        ('cat', 'dog')
        """
        self._require_node(node)
        found, stack = [], [node]
        while stack:
            current = stack.pop()
            children = self._children[current]
            stack.extend(children)
            if not children:
                found.append(current)
        return tuple(sorted_labels(found))

    def path(self, node: Any) -> tuple[Any, ...]:
        """`node`, its parent, and so on up to its root.

        Parameters
        ----------
        node : object

        Examples
        --------
        >>> animals = Hierarchy(
        ...     {"cat": "mammal", "dog": "mammal", "mammal": "animal", "bee": "animal"}
        ... )
        >>> animals.path("cat")
        ('cat', 'mammal', 'animal')
        """
        self._require_node(node)
        found = [node]
        while (parent := self.parents.get(found[-1])) is not None:
            found.append(parent)
        return tuple(found)

    def depth(self, node: Any) -> int:
        """Number of edges from `node` up to its root; 0 at a root.

        Parameters
        ----------
        node : object

        Examples
        --------
        >>> animals = Hierarchy(
        ...     {"cat": "mammal", "dog": "mammal", "mammal": "animal", "bee": "animal"}
        ... )
        >>> animals.depth("cat"), animals.depth("animal")
        (2, 0)
        """
        return len(self.path(node)) - 1

    def distance(self, first: Any, second: Any) -> int:
        """Number of edges from `first` to `second` through their lowest common ancestor.

        Parameters
        ----------
        first, second : object
            Nodes of one tree.

        Examples
        --------
        >>> animals = Hierarchy(
        ...     {"cat": "mammal", "dog": "mammal", "mammal": "animal", "bee": "animal"}
        ... )
        >>> animals.distance("cat", "bee")
        3
        """
        above_first, above_second = self.path(first), self.path(second)
        shared = len(set(above_first) & set(above_second))
        return len(above_first) + len(above_second) - 2 * shared

    def distance_matrix(self, labels: Iterable[Any]) -> FloatArray:
        """``distance(labels[k], labels[l])`` for all pairs, ``(K, K)``.

        Parameters
        ----------
        labels : sequence of K nodes

        Examples
        --------
        >>> animals = Hierarchy(
        ...     {"cat": "mammal", "dog": "mammal", "mammal": "animal", "bee": "animal"}
        ... )
        >>> animals.distance_matrix(["bee", "cat", "dog"])
        array([[0., 3., 3.],
               [3., 0., 2.],
               [3., 2., 0.]])
        """
        paths = [self.path(label) for label in labels]
        column = {node: k for k, node in enumerate(self.nodes)}
        above = np.zeros((len(paths), len(column)))
        for k, path in enumerate(paths):
            above[k, [column[node] for node in path]] = 1.0
        # |path(k)| + |path(l)| - 2 |path(k) & path(l)|, for all pairs by one matrix product.
        length = above.sum(axis=1)
        return np.asarray(length[:, np.newaxis] + length - 2.0 * (above @ above.T))

    def _require_node(self, node: Any) -> None:
        if node not in self._children:
            raise CandidateError(
                f"Hierarchy: {node!r} is not a node; the nodes are {preview(self.nodes)}. "
                f"Correct the label, or add it to parents."
            )

    def _require_acyclic(self) -> None:
        checked: set[Any] = set()
        for start in self.parents:
            path: dict[Any, None] = {}
            node = start
            while node is not None and node not in checked:
                if node in path:
                    cycle = [*[*path][[*path].index(node) :], node]
                    raise CandidateError(
                        f"Hierarchy: parents form a cycle, "
                        f"{' -> '.join(map(repr, cycle))}. Remove one of these links."
                    )
                path[node] = None
                node = self.parents.get(node)
            checked.update(path)
