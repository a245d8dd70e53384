"""Data of others: public sets by name, and readers for the formats they come in.

No data are part of this package. ``fetch_*`` takes a file from the user's machine or, once, from
those who publish it, and recognises it by its checksum; ``load_*`` reads a file of the user's.

Whose data they are: most of these files state no licence, which means that their authors have
granted none; the MATLAB files of partial-label learning are offered for academic use. The LIBSVM
and the MULAN collections gather data of others, whom they name. Whoever passes data on, or uses
them for more than a comparison of methods, should look up the terms at the source.
"""

from disambig.datasets.loaders.interval_folder import IntervalData, load_interval_folder
from disambig.datasets.loaders.label_ranking import LabelRankingData, load_label_ranking
from disambig.datasets.loaders.libsvm import MulticlassData, fetch_libsvm, load_libsvm
from disambig.datasets.loaders.mulan import MultilabelData, fetch_mulan, load_mulan
from disambig.datasets.loaders.partial_label_mat import PartialLabelData, load_partial_label_mat

__all__ = [
    "IntervalData",
    "LabelRankingData",
    "MulticlassData",
    "MultilabelData",
    "PartialLabelData",
    "fetch_libsvm",
    "fetch_mulan",
    "load_interval_folder",
    "load_label_ranking",
    "load_libsvm",
    "load_mulan",
    "load_partial_label_mat",
]
