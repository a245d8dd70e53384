"""`PairMatrixDisplay`: how often each item comes before each other one."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.metrics.scorer import innermost
from disambig.notation import FloatArray, IntArray
from disambig.plots.drawing import Display
from disambig.plots.matrices import draw_matrix, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage


class PairMatrixDisplay(Display):
    """The share of rows in which item i comes before item j, as a matrix; rows are i.

    Items stand in the order of their mean places. Use `from_ranks` or `from_estimator`.

    Parameters
    ----------
    shares : array-like (m, m)
        NaN on the diagonal.
    items : list
    places : array-like (m,)
        Mean places, from 1 on.

    Attributes
    ----------
    shares, items, places
        As given.
    order_ : int array (m,)
        The items as they are drawn.
    ax_, figure_ : matplotlib Axes and Figure
    image_ : AxesImage

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import PairMatrixDisplay
    >>> ranks = [[0, 1, 2], [0, 2, 1], [1, 0, 2]]
    >>> ax = Figure().add_subplot()
    >>> display = PairMatrixDisplay.from_ranks(ranks, ["a", "b", "c"], ax=ax)
    >>> display.shares[0].round(2).tolist()[1:]
    [0.67, 1.0]
    """

    def __init__(self, shares: Any, items: list[Any], places: Any) -> None:
        self.shares: FloatArray = np.asarray(shares, dtype=np.float64)
        self.items = list(items)
        self.places: FloatArray = np.asarray(places, dtype=np.float64)

    @classmethod
    def of(cls, ranks: Any, items: Any) -> Self:
        """The display of rankings, not drawn yet; see `from_ranks`.

        Parameters
        ----------
        ranks, items
            As in `from_ranks`.
        """
        table = np.asarray(ranks)
        names = names_of(items)
        if table.ndim != 2 or table.shape[1] != len(names):
            raise ValueError(
                f"{cls.__name__}: expected ranks of {len(names)} items for each row; got shape "
                f"{table.shape}."
            )
        shares = np.full((len(names), len(names)), np.nan)
        for k in range(len(names)):
            shares[k] = np.mean(table[:, [k]] < table, axis=0)
        np.fill_diagonal(shares, np.nan)
        return cls(shares, names, table.mean(axis=0) + 1.0)

    @classmethod
    def from_ranks(cls, ranks: Any, items: Any, *, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw rankings.

        Parameters
        ----------
        ranks : array-like (n, m)
            Places of the items, 0 for the first, as in ``labels_`` of a `PartialRanker`.
        items : array-like (m,)
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        return cls.of(ranks, items).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw the orders that a ranker recovered.

        Parameters
        ----------
        estimator : fitted PartialRanker
            Also as the last step of a pipeline.
        **options
            See `from_ranks`.
        """
        check_is_fitted(estimator)
        inner = innermost(estimator)
        return cls.from_ranks(inner.labels_, inner.items_, **options)

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
        self.order_: IntArray = np.argsort(self.places, kind="stable")
        drawn = self.shares[np.ix_(self.order_, self.order_)]
        self.image_: AxesImage = draw_matrix(
            self.figure_,
            ax,
            drawn,
            [self.items[k] for k in self.order_],
            axis_names=("this item ...", "... comes before this one"),
            value_name="share of rows",
            noun="items",
            **{"cmap": "RdBu", "vmin": 0.0, "vmax": 1.0, **kwargs},
        )
        return self
