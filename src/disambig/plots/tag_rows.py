"""`TagRowsDisplay`: rows and their tags as a matrix, known and recovered."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disambig.candidates import PartialBits
from disambig.metrics.scorer import innermost
from disambig.notation import AnyArray, BoolArray, IntArray
from disambig.parameters import check_integer
from disambig.plots.drawing import STYLES, Display
from disambig.plots.matrices import name_axis, names_of
from disambig.plots.row_map import sampled_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

# Known tags are dark, recovered ones light; what is off is grey or nearly white.
_STATES = (
    ("off, as given", "#F5F5F5"),
    ("off, recovered", "#C8C8C8"),
    ("on, recovered", STYLES[5][0]),
    ("on, as given", STYLES[0][0]),
)


class TagRowsDisplay(Display):
    """Rows below each other, tags beside each other: what was given, and what was filled in.

    Rows with the same tags are neighbours, and frequent tags come first. Use `from_candidates` or
    `from_estimator`.

    Parameters
    ----------
    bits : array-like (m, tags) of 0 and 1
        Of the rows that are drawn.
    known : array-like (m, tags) of bool
        Whether the tag was given.
    tags : list
    rows : int array-like (m,), optional
        The rows that these are; by default 0 to m - 1.

    Attributes
    ----------
    bits, known, tags, rows
        As given.
    row_order_, order_ : int arrays (m,) and (tags,)
        Rows and tags as they are drawn.
    ax_, figure_ : matplotlib Axes and Figure
    image_ : AxesImage

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig import PartialBits
    >>> from disambig.plots import TagRowsDisplay
    >>> y = PartialBits.from_any([[1, None], [None, 0], [0, 1]], tags=["sea", "sun"])
    >>> recovered = [[1, 1], [1, 0], [0, 1]]
    >>> display = TagRowsDisplay.from_candidates(y, recovered, ax=Figure().add_subplot())
    >>> display.states.tolist()
    [[3, 2], [2, 0], [0, 3]]
    """

    def __init__(self, bits: Any, known: Any, tags: list[Any], rows: Any = None) -> None:
        self.bits: AnyArray = np.asarray(bits)
        self.known: BoolArray = np.asarray(known, dtype=np.bool_)
        self.tags = list(tags)
        self.rows: IntArray = (
            np.arange(len(self.bits)) if rows is None else np.asarray(rows, dtype=np.intp)
        )

    @property
    def states(self) -> IntArray:
        """``(m, tags)``: 0 off as given, 1 off recovered, 2 on recovered, 3 on as given."""
        found: IntArray = np.where(self.bits == 1, 2 + self.known, 1 - self.known.astype(int))
        return found

    @classmethod
    def of(cls, candidates: Any, bits: Any, *, max_rows: int = 100, random_state: int = 0) -> Self:
        """The display of tags, not drawn yet; see `from_candidates`.

        Parameters
        ----------
        candidates, bits, max_rows, random_state
            As in `from_candidates`.
        """
        owner = cls.__name__
        check_integer(owner, "max_rows", max_rows, least=1)
        if not isinstance(candidates, PartialBits):
            raise TypeError(f"{owner}: expected PartialBits; got {type(candidates).__name__}.")
        table = np.asarray(bits)
        if table.shape != (len(candidates), candidates.n_tags):
            raise ValueError(
                f"{owner}: expected 0 or 1 for {len(candidates)} rows and {candidates.n_tags} "
                f"tags; got shape {table.shape}."
            )
        drawn = sampled_rows(len(table), np.zeros(0, np.intp), max_rows, random_state)
        known = np.asarray(candidates.known)[drawn]
        return cls(table[drawn], known, names_of(candidates.tags), drawn)

    @classmethod
    def from_candidates(
        cls, candidates: Any, bits: Any, *, ax: "Axes | None" = None, **options: Any
    ) -> Self:
        """Draw what was given beside what was recovered.

        Parameters
        ----------
        candidates : PartialBits, n rows
        bits : array-like (n, tags) of 0 and 1
            Such as ``labels_`` of a `PartialMultilabelClassifier`.
        max_rows : int, default 100
            Of more rows so many are drawn at random.
        random_state : int, default 0
        ax : matplotlib Axes, optional
            By default those of a new figure.
        """
        return cls.of(candidates, bits, **options).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, candidates: Any, **options: Any) -> Self:
        """Draw the tags of the training rows.

        Parameters
        ----------
        estimator : fitted PartialMultilabelClassifier
            Also as the last step of a pipeline.
        candidates : PartialBits
            That it was fitted to.
        **options
            See `from_candidates`.
        """
        return cls.from_candidates(candidates, innermost(estimator).labels_, **options)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of ``Axes.imshow``.
        """
        ax = self._take_axes(ax)
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        on = self.bits == 1
        self.order_: IntArray = np.argsort(-on.mean(axis=0), kind="stable")
        # Sorted by the most frequent tag, then by the next one.
        self.row_order_: IntArray = np.lexsort((~on[:, self.order_]).T[::-1])
        ours = {
            "cmap": ListedColormap([color for _, color in _STATES]),
            "vmin": 0,
            "vmax": len(_STATES) - 1,
            "aspect": "auto",
            "interpolation": "nearest",
        }
        drawn = self.states[np.ix_(self.row_order_, self.order_)]
        self.image_: AxesImage = ax.imshow(drawn, **{**ours, **kwargs})
        name_axis(ax.xaxis, [self.tags[k] for k in self.order_], turn=True)
        ax.set_yticks([])
        ax.set(xlabel="tag", ylabel="rows, those with the same tags together")
        ax.legend(
            handles=[
                Patch(facecolor=color, edgecolor="#999999", label=name) for name, color in _STATES
            ],
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=2,
            fontsize="small",
            frameon=False,
        )
        return self
