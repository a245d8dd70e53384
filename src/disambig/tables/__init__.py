"""Files and frames to inputs and candidate sets, as people write them."""

from disambig.tables.features.plan import FeaturePlan
from disambig.tables.features.planning import plan_features
from disambig.tables.reading import RawTable, read_table
from disambig.tables.table import Table, TablePlan, load_table
from disambig.tables.targets.reading import read_target
from disambig.tables.targets.target import Target, TargetFormat

__all__ = [
    "FeaturePlan",
    "RawTable",
    "Table",
    "TablePlan",
    "Target",
    "TargetFormat",
    "load_table",
    "plan_features",
    "read_table",
    "read_target",
]
