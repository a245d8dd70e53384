"""A table in, labels and a model out: `fit_table`, and what it returns."""

from disambig.table_models.fitting import fit_table
from disambig.table_models.folder import open_folder
from disambig.table_models.model import TableModel
from disambig.table_models.predictor import TablePredictor, load_predictor

__all__ = ["TableModel", "TablePredictor", "fit_table", "load_predictor", "open_folder"]
