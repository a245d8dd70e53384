"""The corruptions by the names that benchmarks give them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from disambig.datasets.corruptions.confusion import ConfusionCorruption
from disambig.datasets.corruptions.instance import InstanceCorruption
from disambig.datasets.corruptions.majority_pair import MajorityPairCorruption
from disambig.datasets.corruptions.majority_row import MajorityRowCorruption
from disambig.datasets.corruptions.protocol import Corruption
from disambig.datasets.corruptions.uniform import UniformCorruption
from disambig.datasets.corruptions.unlabeled import UnlabeledCorruption

__all__ = ["CORRUPTIONS"]

# Each takes the level first; "instance" takes scores as well.
CORRUPTIONS: Mapping[str, Callable[..., Corruption]] = MappingProxyType(
    {
        "uniform": UniformCorruption,
        "skewed_text": MajorityPairCorruption,
        "skewed_code": MajorityRowCorruption,
        "pairwise": ConfusionCorruption,
        "instance": InstanceCorruption,
        "semi_supervised": UnlabeledCorruption,
    }
)
