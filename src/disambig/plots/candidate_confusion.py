"""`CandidateConfusionDisplay`: which classes are candidates beside which labels."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.metrics.candidate_confusion import candidate_confusion, together_order
from disambig.metrics.scorer import innermost
from disambig.notation import FloatArray, IntArray
from disambig.parameters import check_flag
from disambig.plots.drawing import Display
from disambig.plots.matrices import draw_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage


class CandidateConfusionDisplay(Display):
    """How often class j is in the set where k is the label, as a matrix; rows are labels.

    Classes that come together are neighbours. A dark cell is a class that the sets seldom
    exclude where k is the label; where both cells of a pair are dark, the sets do not tell the two
    apart. Use `from_candidates` or `from_estimator`; the constructor takes what they compute.

    Parameters
    ----------
    shares : array (K, K)
        ``[k, j]``: of the rows with label k, the share with j in their set; NaN without rows.
    classes : array-like (K,)
    name : str, optional
        For the title.

    Attributes
    ----------
    shares, classes, name
        As given.
    order_ : int array (K,)
        The classes as they are drawn.
    ax_, figure_ : matplotlib Axes and Figure
    image_ : AxesImage

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import CandidateConfusionDisplay
    >>> y = [{"ape", "bat"}, {"ape", "bat"}, {"bat"}, {"cat"}]
    >>> ax = Figure().add_subplot()
    >>> display = CandidateConfusionDisplay.from_candidates(y, ["ape", "ape", "bat", "cat"], ax=ax)
    >>> display.shares[0].tolist()
    [1.0, 1.0, 0.0]
    """

    def __init__(self, shares: Any, classes: Any, *, name: str | None = None) -> None:
        self.shares: FloatArray = np.asarray(shares, dtype=np.float64)
        self.classes = list(classes)
        self.name = name

    @classmethod
    def from_candidates(
        cls,
        y: Any,
        labels: Any = None,
        *,
        classes: Any = None,
        unlabeled: Any = None,
        sample_weight: Any = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw candidate sets, with labels or without.

        Parameters
        ----------
        y : array-like, n rows
            Sets in any form that `LabelSets.from_any` reads.
        labels : array-like (n,), optional
            The label of each row. Without them rows are classes of the sets: ``[k, j]`` is the
            share of the sets with k that also have j.
        classes, unlabeled
            As in `LabelSets.from_any`.
        sample_weight : array-like (n,), optional
        name : str, optional
            For the title.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        found = candidate_confusion(
            y, labels, classes=classes, unlabeled=unlabeled, sample_weight=sample_weight
        )
        display = cls(found.shares, found.classes.tolist(), name=name)
        row_name = "given class in the set" if labels is None else "label of the row"
        return display.plot(ax, **{"row_name": row_name, **kwargs})

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any, **options: Any) -> Self:
        """Draw the sets of the training rows beside the labels that were recovered.

        Parameters
        ----------
        estimator : fitted estimator that recovers labels
            Such as `PartialLabelClassifier`; also as the last step of a pipeline.
        y : array-like, n rows
            The sets that it was fitted to.
        **options
            See `from_candidates`.
        """
        check_is_fitted(estimator)
        inner = innermost(estimator)
        lacking = [name for name in ("labels_", "classes_") if not hasattr(inner, name)]
        if lacking:
            raise TypeError(
                f"{cls.__name__}.from_estimator: expected an estimator that recovers labels, such "
                f"as PartialLabelClassifier; {type(inner).__name__} has no "
                f"{' and no '.join(lacking)}. Pass sets and labels to from_candidates."
            )
        given = {"classes": inner.classes_, "unlabeled": getattr(inner, "unlabeled", None)}
        return cls.from_candidates(y, inner.labels_, **{**given, **options})

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        sort: bool = True,
        row_name: str = "label of the row",
        colorbar: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        sort : bool, default True
            Whether classes that come together are neighbours; otherwise in the given order.
        row_name : str
            What the rows of the matrix are.
        colorbar : bool, default True
        **kwargs
            Options of ``Axes.imshow``, such as `cmap`.
        """
        owner = type(self).__name__
        check_flag(owner, "sort", sort)
        check_flag(owner, "colorbar", colorbar)
        ax = self._take_axes(ax)
        k = len(self.shares)
        self.order_: IntArray = together_order(self.shares) if sort else np.arange(k)
        drawn = self.shares[np.ix_(self.order_, self.order_)].copy()
        # The diagonal is one by definition and says nothing.
        np.fill_diagonal(drawn, np.nan)
        # The largest share in the matrix is darkest: all of them may be small.
        top = float(np.nanmax(drawn)) if np.isfinite(drawn).any() else 0.0
        ours = {"cmap": "Blues", "vmin": 0.0, "vmax": top or 1.0}
        self.image_: AxesImage = draw_matrix(
            self.figure_,
            ax,
            drawn,
            [self.classes[i] for i in self.order_],
            axis_names=(row_name, "class in the set"),
            value_name="share of the rows",
            noun="classes",
            colorbar=colorbar,
            **{**ours, **kwargs},
        )
        if self.name:
            ax.set_title(self.name)
        return self
