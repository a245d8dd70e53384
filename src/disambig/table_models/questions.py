"""The table of questions for people: rows, what is known of them, and a column for answers."""

from typing import TYPE_CHECKING, Any

from disambig.table_models.answers import ANSWER
from disambig.table_models.columns import row_names
from disambig.trust import Questions

if TYPE_CHECKING:
    from disambig.table_models.model import TableModel

_COLUMNS = ("candidates", "label", "confidence", "reason", "is_random", "inclusion")


def question_table(model: "TableModel", questions: Questions) -> Any:
    """One row for each question, as a pandas DataFrame with an empty column ``answer``.

    The identifier (or ``row``), what is known of the row, why it is asked, and the cells of its
    features, so that whoever answers sees the row.

    Parameters
    ----------
    model : TableModel
    questions : Questions
        Of this model.
    """
    asked = questions.frame()
    names = row_names(model.table)
    key = next(iter(names))
    asked.insert(0, key, names[key][questions.rows])
    labels = model.labels["label"].to_numpy()[questions.rows]
    asked["label"] = labels
    shown = asked[[key, *(name for name in _COLUMNS if name in asked.columns)]].copy()
    shown.insert(1, ANSWER, "")
    cells = model.table.frame.iloc[questions.rows]
    for column in model.table.features.columns:
        name = str(column.name)
        is_taken = name in shown.columns
        shown[f"{name} (feature)" if is_taken else name] = cells[column.name].to_numpy()
    return shown.reset_index(drop=True)
