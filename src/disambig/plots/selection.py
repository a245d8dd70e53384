"""`SelectionDisplay`: what ``weights="auto"`` tried, with its held-out scores."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.estimators.mixture import Mixture
from disambig.estimators.selection.trial_texts import short_numbers, trial_text
from disambig.metrics.scorer import innermost
from disambig.notation import FloatArray, IntArray
from disambig.parameters import check_integer
from disambig.plots.drawing import (
    REFERENCE_COLOR,
    WRONG_COLOR,
    Display,
    format_axes,
    show_as_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_MAX_LETTERS = 52


class SelectionDisplay(Display):
    """What was tried, the best first, as points; what was chosen is marked.

    Use `from_estimator` or `from_trials`.

    Parameters
    ----------
    names : list of str
        Of the trials.
    scores : array-like (trials,)
        The criterion of the selection; lower is better.
    shares : array-like (trials,), optional
        The share of each trial in what was chosen, 0 if it was not; by default the first has all.

    Attributes
    ----------
    names, scores, shares
        As given, the best first; of trials with the same name the best is kept.
    ax_, figure_ : matplotlib Axes and Figure
    points_, chosen_points_ : Line2D

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import SelectionDisplay
    >>> display = SelectionDisplay(["ridge", "trees", "ridge"], [0.2, 0.1, 0.3], [0, 1, 0])
    >>> display.plot(Figure().add_subplot()).names, display.shares.tolist()
    (['trees', 'ridge'], [1.0, 0.0])
    """

    def __init__(self, names: list[str], scores: Any, shares: Any = None) -> None:
        given: FloatArray = np.asarray(scores, dtype=np.float64)
        order = np.argsort(given, kind="stable")
        part = np.zeros(len(given)) if shares is None else np.asarray(shares, dtype=np.float64)
        if shares is None and len(order):
            part[order[0]] = 1.0
        kept: dict[str, int] = {}
        for trial in order.tolist():
            first = kept.setdefault(names[trial], trial)
            # The chosen one of several with the same name stands for them.
            if part[trial] > part[first]:
                kept[names[trial]] = trial
        rows: IntArray = np.array(list(kept.values()), dtype=np.intp)
        rows = rows[np.argsort(given[rows], kind="stable")]
        self.names = [names[row] for row in rows.tolist()]
        self.scores: FloatArray = given[rows]
        self.shares: FloatArray = part[rows]

    @classmethod
    def of(cls, trials: Any, chosen: Any = None) -> Self:
        """The display of trials, not drawn yet; see `from_trials`.

        Parameters
        ----------
        trials, chosen
            As in `from_trials`.
        """
        names = [trial_text(trial) for trial in trials]
        shares = None

        def chosen_name(weights: Any) -> str:
            # The first trial was completed as what was chosen.
            return trial_text(trials[0]._replace(weights=weights))

        if not len(trials):
            shares = []
        elif isinstance(chosen, Mixture):
            members, given = chosen.checked()
            part = {
                chosen_name(member): float(share)
                for member, share in zip(members, given, strict=True)
            }
            shares = [part.get(name, 0.0) for name in names]
        elif chosen is not None:
            shares = [float(name == chosen_name(chosen)) for name in names]
        return cls(names, [trial.score for trial in trials], shares)

    @classmethod
    def from_trials(
        cls, trials: Any, chosen: Any = None, *, ax: "Axes | None" = None, **kwargs: Any
    ) -> Self:
        """Draw trials of a selection.

        Parameters
        ----------
        trials : sequence of Trial
            Such as ``trials_`` of an estimator.
        chosen : weighting or Mixture, optional
            By default the best trial.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        return cls.of(trials, chosen).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw what an estimator with ``weights="auto"`` tried.

        Parameters
        ----------
        estimator : fitted estimator
            Also as the last step of a pipeline.
        **options
            See `from_trials`.
        """
        check_is_fitted(estimator)
        inner = innermost(estimator)
        if not len(getattr(inner, "trials_", ())):
            raise ValueError(
                f"{cls.__name__}: {type(inner).__name__} has tried nothing; its weights were given."
                ' Fit it with weights="auto".'
            )
        return cls.from_trials(inner.trials_, inner.weights_, **options)

    def plot(self, ax: "Axes | None" = None, *, max_trials: int = 12, **kwargs: Any) -> Self:
        """Draw the trials below each other.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        max_trials : int, default 12
            The best ones are drawn, and all that were chosen.
        **kwargs
            Options of ``Axes.plot`` for the points.
        """
        owner = type(self).__name__
        check_integer(owner, "max_trials", max_trials, least=1)
        ax = self._take_axes(ax)
        is_chosen = self.shares > 0
        drawn = np.flatnonzero((np.arange(len(self.names)) < max_trials) | is_chosen)
        places, scores = np.arange(len(drawn)), self.scores[drawn]
        ax.hlines(places, scores.min(initial=0.0), scores, color=REFERENCE_COLOR, linewidth=0.6)
        ours = {"color": REFERENCE_COLOR, "marker": "o", "linestyle": "", "label": "tried"}
        self.points_: Line2D = ax.plot(scores, places, **{**ours, **kwargs})[0]
        own = is_chosen[drawn]
        self.chosen_points_: Line2D = ax.plot(
            scores[own], places[own], "D", color=WRONG_COLOR, markersize=8, label="chosen"
        )[0]
        names = [self._name(k) for k in drawn.tolist()]
        ax.set_yticks(places, names, fontsize="x-small")
        show_as_text(ax.get_yticklabels())
        ax.invert_yaxis()
        format_axes(ax, "held-out score (lower is better)", "")
        ax.grid(visible=False, axis="y")
        rest = len(self.names) - len(drawn)
        if rest:
            ax.set_title(f"and {rest} worse", loc="right", fontsize="small")
        ax.legend(loc="best")
        return self

    def _name(self, trial: int) -> str:
        """The name in two lines: ends of long names say how they differ."""
        name, share = short_numbers(self.names[trial]), self.shares[trial]
        name = name.replace("Weights(", "(").replace(" on scaled features", ", scaled")
        if 0 < share < 1:
            name += f" ({share:.0%})"
        return "\n".join(wrap(name, _MAX_LETTERS, max_lines=2, placeholder=" …"))
