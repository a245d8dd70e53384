"""`MapDisplay`: the rows in two dimensions, with labels, confidence and suspects."""

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.parameters import check_flag, check_integer
from disambig.plots.drawing import STYLES, Display, format_axes, show_as_text
from disambig.plots.judged_rows import row_index
from disambig.plots.matrices import names_of, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

# Frequent labels have a colour and a marker of their own; the others are grey.
_MAX_NAMED = 12
_REST_COLOR = "#999999"
_AREA = 24.0
_RING_AREA = 110.0


class Points(NamedTuple):
    """Points of the same label: the collection, and the rows of its points in order."""

    collection: "PathCollection"
    rows: IntArray


class MapDisplay(Display):
    """Rows as points: colour and marker by label, faint if unsure, suspects ringed.

    Positions are the first two principal components of the features: rows that are close are alike
    in the directions in which rows differ most. Use `from_inputs`.

    Parameters
    ----------
    positions : array-like (m, 2)
    labels : array-like (m,)
        Names, or numbers (of type float), which have a scale of colours.
    confidence : array-like (m,), optional
    rows : int array-like (m,), optional
        The rows that the points stand for; by default 0 to m - 1.
    suspects : int array-like (s,), optional
        Which of these rows are ringed.
    explained : (float, float), optional
        The share of the variance on each axis.

    Attributes
    ----------
    positions, labels, confidence, rows, suspects, explained
        As given.
    ax_, figure_ : matplotlib Axes and Figure
    points_ : list of Points
        One entry a label; the gid of each collection is ``map-<number>``.
    rings_ : PathCollection or None

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import MapDisplay
    >>> X = np.random.default_rng(0).normal(size=(40, 5))
    >>> labels = np.where(X[:, 0] > 0, "up", "down")
    >>> display = MapDisplay.from_inputs(X, labels, suspects=[3], ax=Figure().add_subplot())
    >>> len(display.rows), [len(points.rows) for points in display.points_]
    (40, [22, 18])
    """

    def __init__(
        self,
        positions: Any,
        labels: Any,
        *,
        confidence: Any = None,
        rows: Any = None,
        suspects: Any = (),
        explained: tuple[float, float] | None = None,
    ) -> None:
        self.positions: FloatArray = np.asarray(positions, dtype=np.float64)
        self.labels: AnyArray = np.asarray(labels)
        m = len(self.positions)
        self.confidence: FloatArray = (
            np.ones(m) if confidence is None else np.asarray(confidence, dtype=np.float64)
        )
        self.rows: IntArray = np.arange(m) if rows is None else np.asarray(rows, dtype=np.intp)
        self.suspects: IntArray = np.asarray(suspects, dtype=np.intp)
        self.explained = explained

    @classmethod
    def of(
        cls,
        X: Any,
        labels: Any,
        *,
        confidence: Any = None,
        suspects: Any = (),
        standardize: bool = True,
        max_rows: int = 2000,
        random_state: int = 0,
    ) -> Self:
        """The display of inputs, not drawn yet; see `from_inputs`.

        Parameters
        ----------
        X, labels, confidence, suspects, standardize, max_rows, random_state
            As in `from_inputs`.
        """
        owner = cls.__name__
        check_integer(owner, "max_rows", max_rows, least=1)
        check_flag(owner, "standardize", standardize)
        values = np.asarray(X, dtype=np.float64)
        if values.ndim != 2 or len(values) != len(labels):
            raise ValueError(
                f"{owner}: expected features (n, d) and one label for each row; got shape "
                f"{values.shape} and {len(labels)} labels."
            )
        marked = row_index(owner, suspects, len(values)) if np.size(suspects) else _nobody()
        rows = sampled_rows(len(values), marked, max_rows, random_state)
        positions, explained = _positions(values[rows], standardize, random_state)
        return cls(
            positions,
            np.asarray(labels)[rows],
            confidence=None if confidence is None else np.asarray(confidence)[rows],
            rows=rows,
            suspects=np.intersect1d(marked, rows),
            explained=explained,
        )

    @classmethod
    def from_inputs(cls, X: Any, labels: Any, *, ax: "Axes | None" = None, **options: Any) -> Self:
        """Draw rows by their features.

        Parameters
        ----------
        X : array-like (n, d)
        labels : array-like (n,)
        confidence : array-like (n,), optional
        suspects : positions or mask (n,), optional
        standardize : bool, default True
            Whether every feature gets the same variance first.
        max_rows : int, default 2000
            Of more rows so many are drawn: suspects, and others at random.
        random_state : int, default 0
            Of these.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        """
        return cls.of(X, labels, **options).plot(ax)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw the points.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of ``Axes.scatter``.
        """
        ax = self._take_axes(ax)
        self.points_: list[Points] = []
        if self.labels.dtype.kind == "f":
            self._draw_numbers(ax, kwargs)
        else:
            self._draw_names(ax, kwargs)
        self.rings_: PathCollection | None = None
        is_ringed = np.isin(self.rows, self.suspects)
        if is_ringed.any():
            self.rings_ = ax.scatter(
                self.positions[is_ringed, 0], self.positions[is_ringed, 1], s=_RING_AREA,
                facecolors="none", edgecolors=STYLES[1][0], linewidths=1.5, label="suspect",
            )  # fmt: skip
        format_axes(ax, self._axis_name(0), self._axis_name(1))
        handles, names = ax.get_legend_handles_labels()
        if handles:
            # Below the points, which may be everywhere.
            legend = ax.legend(
                handles, names, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=4,
                fontsize="small", frameon=False,
            )  # fmt: skip
            show_as_text(legend.get_texts())
        return self

    def _axis_name(self, axis: int) -> str:
        name = ("first", "second")[axis] + " component"
        if self.explained is None:
            return name
        share = self.explained[axis]
        return f"{name} ({share:.0%} of the variance)" if share > 0 else "(no meaning)"

    def _opacity(self, rows: Any) -> Any:
        # Typed as a number by matplotlib, which takes one for each point, too.
        return 0.35 + 0.55 * self.confidence[rows]

    def _draw_numbers(self, ax: "Axes", options: dict[str, Any]) -> None:
        collection = ax.scatter(
            self.positions[:, 0], self.positions[:, 1], c=self.labels, s=_AREA,
            alpha=self._opacity(slice(None)), linewidths=0, gid="map-0",
            **{"cmap": "viridis", **options},
        )  # fmt: skip
        self.points_.append(Points(collection, self.rows))
        self.figure_.colorbar(collection, ax=ax, fraction=0.046, pad=0.04).set_label("number")

    def _draw_names(self, ax: "Axes", options: dict[str, Any]) -> None:
        names, codes = _codes(self.labels)
        for number, (name, chosen) in enumerate(_groups(names, codes)):
            color, marker = _REST_COLOR, "x"
            if number < _MAX_NAMED:
                color, marker = STYLES[number % 6][0], STYLES[(number + number // 6) % 6][1]
            collection = ax.scatter(
                self.positions[chosen, 0], self.positions[chosen, 1], s=_AREA,
                color=color, marker=marker,
                alpha=self._opacity(chosen), linewidths=0 if marker != "x" else 1,
                label=name, gid=f"map-{number}", **options,
            )  # fmt: skip
            self.points_.append(Points(collection, self.rows[chosen]))


def _nobody() -> IntArray:
    return np.zeros(0, dtype=np.intp)


def sampled_rows(n: int, first: IntArray, most: int, random_state: int) -> IntArray:
    """At most so many rows, ascending: those of `first`, and others at random.

    Examples
    --------
    >>> sampled_rows(5, np.array([4]), 3, 0).tolist()[-1], len(sampled_rows(5, np.array([4]), 3, 0))
    (4, 3)
    """
    if n <= most:
        return np.arange(n)
    generator = np.random.default_rng(random_state)
    # At most half of them, so that the others are seen, too.
    kept = np.unique(first)[: most // 2]
    others = np.setdiff1d(np.arange(n), kept)
    drawn = generator.choice(others, most - len(kept), replace=False)
    return np.sort(np.concatenate([kept, drawn]))


def _positions(
    values: FloatArray, standardize: bool, random_state: int
) -> tuple[FloatArray, tuple[float, float]]:
    """The first two principal components; with fewer, the second axis keeps points apart."""
    scaled = StandardScaler().fit_transform(values) if standardize else values
    n_components = min(2, *scaled.shape)
    found = np.zeros((len(scaled), 2))
    explained = [0.0, 0.0]
    if np.ptp(scaled, axis=0).any():
        model = PCA(n_components, random_state=random_state).fit(scaled)
        found[:, :n_components] = model.transform(scaled)
        explained[:n_components] = model.explained_variance_ratio_.tolist()
    if n_components < 2:
        found[:, 1] = np.random.default_rng([random_state, 1]).uniform(-1, 1, len(found))
    return found, (explained[0], explained[1])


def _codes(labels: AnyArray) -> tuple[list[str], IntArray]:
    """Distinct labels as texts, the most frequent first, and the label of each row."""
    texts = np.array([str(label) for label in names_of(labels)], dtype=object)
    names, codes, counts = np.unique(texts, return_inverse=True, return_counts=True)
    order = np.lexsort((names, -counts))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return [str(names[k]) for k in order], place[codes.ravel()]


def _groups(names: list[str], codes: IntArray) -> list[tuple[str, IntArray]]:
    """The rows of frequent labels, and of all others together."""
    found = [
        (shortened(name), np.flatnonzero(codes == k)) for k, name in enumerate(names[:_MAX_NAMED])
    ]
    rest = np.flatnonzero(codes >= _MAX_NAMED)
    if rest.size:
        found.append((f"{len(names) - _MAX_NAMED} other labels", rest))
    return found
