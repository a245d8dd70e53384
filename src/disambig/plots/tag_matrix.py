"""`TagMatrixDisplay`: which tags come together."""

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


class TagMatrixDisplay(Display):
    """Of the rows with tag i, the share that also has tag j, as a matrix; rows are i.

    The diagonal has the share of all rows with the tag. Frequent tags come first. Use `from_bits`
    or `from_estimator`.

    Parameters
    ----------
    shares : array-like (m, m)
        NaN if no row has tag i.
    tags : list

    Attributes
    ----------
    shares, tags
        As given.
    order_ : int array (m,)
        The tags as they are drawn.
    ax_, figure_ : matplotlib Axes and Figure
    image_ : AxesImage

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import TagMatrixDisplay
    >>> bits = [[1, 1], [1, 0], [0, 0], [1, 1]]
    >>> display = TagMatrixDisplay.from_bits(bits, ["sea", "sun"], ax=Figure().add_subplot())
    >>> display.shares.round(2).tolist()
    [[0.75, 0.67], [1.0, 0.5]]
    """

    def __init__(self, shares: Any, tags: list[Any]) -> None:
        self.shares: FloatArray = np.asarray(shares, dtype=np.float64)
        self.tags = list(tags)

    @classmethod
    def of(cls, bits: Any, tags: Any) -> Self:
        """The display of tags, not drawn yet; see `from_bits`.

        Parameters
        ----------
        bits, tags
            As in `from_bits`.
        """
        present = (np.asarray(bits) == 1).astype(np.float64)
        names = names_of(tags)
        if present.ndim != 2 or present.shape[1] != len(names):
            raise ValueError(
                f"{cls.__name__}: expected {len(names)} bits for each row; got shape "
                f"{present.shape}."
            )
        together = present.T @ present
        counts = np.diagonal(together).copy()
        shares = np.full(together.shape, np.nan)
        known = counts > 0
        shares[known] = together[known] / counts[known, None]
        np.fill_diagonal(shares, counts / max(len(present), 1))
        return cls(shares, names)

    @classmethod
    def from_bits(cls, bits: Any, tags: Any, *, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw the tags of rows.

        Parameters
        ----------
        bits : array-like (n, m) of 0 and 1
            Such as ``labels_`` of a `PartialMultilabelClassifier`.
        tags : array-like (m,)
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        return cls.of(bits, tags).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw the tags that a predictor recovered.

        Parameters
        ----------
        estimator : fitted PartialMultilabelClassifier
            Also as the last step of a pipeline.
        **options
            See `from_bits`.
        """
        check_is_fitted(estimator)
        inner = innermost(estimator)
        return cls.from_bits(inner.labels_, inner.loss_.tags, **options)

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
        self.order_: IntArray = np.argsort(-np.diagonal(self.shares), kind="stable")
        self.image_: AxesImage = draw_matrix(
            self.figure_,
            ax,
            self.shares[np.ix_(self.order_, self.order_)],
            [self.tags[k] for k in self.order_],
            axis_names=("rows with this tag ...", "... also have this one"),
            value_name="share of these rows (diagonal: of all)",
            noun="tags",
            **{"cmap": "Blues", "vmin": 0.0, "vmax": 1.0, **kwargs},
        )
        return self
