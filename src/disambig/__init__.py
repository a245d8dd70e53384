"""Learn from sets of candidate targets.

Every sample has a set of candidate targets, one of which is right. `disambig` recovers the right
one from the other samples and learns to predict: it minimises
``sum_ij alpha[i, j] <zeta[i], xi[j]>`` over predictions ``zeta`` and over targets ``xi`` inside
their sets.

Names are imported when they are first used, so that ``import disambig`` is fast.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from disambig import (
        candidates,
        checks,
        dask,
        datasets,
        diagnosis,
        estimators,
        inputs,
        losses,
        metrics,
        model_selection,
        out_of_core,
        persistence,
        plots,
        report,
        solvers,
        table_models,
        tables,
        theory,
        trust,
        votes,
        weights,
    )
    from disambig.candidates.bits.partial_bits import PartialBits
    from disambig.candidates.labels.label_sets import LabelSets
    from disambig.candidates.numbers.intervals import Intervals
    from disambig.candidates.orders.partial_orders import PartialOrders
    from disambig.diagnosis.diagnosis import diagnose
    from disambig.estimators.disambiguated_classifier import DisambiguatedClassifier
    from disambig.estimators.disambiguated_regressor import DisambiguatedRegressor
    from disambig.estimators.disambiguation import disambiguate
    from disambig.estimators.interval_regressor import IntervalRegressor
    from disambig.estimators.mixture import Mixture
    from disambig.estimators.partial_label_classifier import PartialLabelClassifier
    from disambig.estimators.partial_multilabel_classifier import PartialMultilabelClassifier
    from disambig.estimators.partial_ranker import PartialRanker
    from disambig.estimators.structured_predictor import StructuredPredictor
    from disambig.table_models.fitting import fit_table

    __version__: str
else:
    # Not shown to type checkers: with a module __getattr__ they would accept misspelt names.
    _MODULE_OF = {
        "DisambiguatedClassifier": "disambig.estimators.disambiguated_classifier",
        "DisambiguatedRegressor": "disambig.estimators.disambiguated_regressor",
        "IntervalRegressor": "disambig.estimators.interval_regressor",
        "Intervals": "disambig.candidates.numbers.intervals",
        "LabelSets": "disambig.candidates.labels.label_sets",
        "Mixture": "disambig.estimators.mixture",
        "PartialLabelClassifier": "disambig.estimators.partial_label_classifier",
        "PartialBits": "disambig.candidates.bits.partial_bits",
        "PartialOrders": "disambig.candidates.orders.partial_orders",
        "PartialMultilabelClassifier": "disambig.estimators.partial_multilabel_classifier",
        "PartialRanker": "disambig.estimators.partial_ranker",
        "StructuredPredictor": "disambig.estimators.structured_predictor",
        "diagnose": "disambig.diagnosis.diagnosis",
        "disambiguate": "disambig.estimators.disambiguation",
        "fit_table": "disambig.table_models.fitting",
    }

    def __getattr__(name):
        from importlib import import_module

        if name == "__version__":
            from importlib.metadata import version

            value = version("disambig")
        elif name in _MODULE_OF:
            value = getattr(import_module(_MODULE_OF[name]), name)
        elif name in __all__:
            value = import_module(f"disambig.{name}")
        else:
            raise AttributeError(f"module 'disambig' has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})


__all__ = [
    "DisambiguatedClassifier",
    "DisambiguatedRegressor",
    "IntervalRegressor",
    "Intervals",
    "LabelSets",
    "Mixture",
    "PartialBits",
    "PartialLabelClassifier",
    "PartialMultilabelClassifier",
    "PartialOrders",
    "PartialRanker",
    "StructuredPredictor",
    "__version__",
    "candidates",
    "checks",
    "dask",
    "datasets",
    "diagnose",
    "diagnosis",
    "disambiguate",
    "estimators",
    "fit_table",
    "inputs",
    "losses",
    "metrics",
    "model_selection",
    "out_of_core",
    "persistence",
    "plots",
    "report",
    "solvers",
    "table_models",
    "tables",
    "theory",
    "trust",
    "votes",
    "weights",
]
