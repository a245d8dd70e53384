"""Public data sets by name, and readers of their file formats.

This package contains no data. ``fetch_*`` finds a file on the user's machine, or downloads it once
from its publisher, and verifies its checksum; ``load_*`` reads a file of the user.

Licences: most of these files state none, which means that their authors have granted none; the
MATLAB files of partial-label learning are offered for academic use. The LIBSVM and the MULAN
collections contain data of others, whom they name. Check the terms at the source before you
redistribute data or use them for more than a comparison of methods.
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
