"""The picture of the demonstration: sightings before and after their labels were recovered."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from disambig.atomic import write_bytes_atomically
from disambig.notation import AnyArray

if TYPE_CHECKING:
    from disambig.table_models import TableModel

X_COLUMN, Y_COLUMN = "wing_cm", "weight_g"
# The colours of Okabe and Ito, which colour-blind readers can distinguish.
_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
_MARKERS = "osD^vP"
_OPEN = "#B0B0B0"


def write_picture(model: "TableModel", truth: AnyArray, path: Path) -> None:
    """Draw two panels: what was certain at first, and all recovered labels, wrong ones ringed.

    Parameters
    ----------
    model : TableModel
        Of the demonstration.
    truth : array (n,)
    path : Path
    """
    from matplotlib.figure import Figure

    inputs = model.table.X
    known = np.isfinite(inputs[Y_COLUMN].to_numpy())
    places = inputs.loc[known, [X_COLUMN, Y_COLUMN]].to_numpy()
    labels = model.labels["label"].to_numpy()[known]
    single = model.table.candidates.is_single[known]
    figure = Figure(figsize=(11, 5), layout="constrained")
    before, after = figure.subplots(1, 2, sharex=True, sharey=True)
    before.scatter(*places[~single].T, s=16, c=_OPEN, label="several candidates")
    classes = model.estimator.classes_.tolist()
    _scatter(before, places[single], labels[single], classes)
    _scatter(after, places, labels, classes)
    wrong = labels != truth[known]
    after.scatter(
        *places[wrong].T, s=90, facecolors="none", edgecolors="black", label="wrong", zorder=3
    )
    before.set_title(f"Before: {np.count_nonzero(single)} of {len(places)} have one candidate")
    after.set_title(f"After: {np.mean(~wrong):.1%} of these labels are right")
    for axes in (before, after):
        axes.set_xlabel("wing (cm)")
        axes.legend(fontsize="small", frameon=False)
    before.set_ylabel("weight (g)")
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    write_bytes_atomically(path, buffer.getvalue())


def _scatter(axes: Any, places: AnyArray, labels: AnyArray, classes: list[str]) -> None:
    for number, name in enumerate(classes):
        own = places[labels == name]
        style = {"c": _COLORS[number], "marker": _MARKERS[number]}
        axes.scatter(*own.T, s=22, linewidths=0, label=name, **style)
