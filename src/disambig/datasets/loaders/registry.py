"""The public data sets that can be fetched by name: addresses, checksums and sizes of their files.

A set is listed if the checksums of its files are known. MULAN publishes its files as RAR archives,
which the standard library cannot open; the same files come from the repository of MULAN's authors
and from the collection of the KDIS group in Córdoba.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from disambig.parameters import check_choice

Compression = Literal["bz2", "xz", "zip"]
_LIBSVM_SITE = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass"
_MULAN_SITE = "https://raw.githubusercontent.com/tsoumakas/mulan"
_KDIS_SITE = "https://www.uco.es/grupos/kdis/MLLResources/ucobigfiles/Datasets"
# The format leaves out zeros, so that a file may not contain the index of its last feature.
LIBSVM_FEATURES: dict[str, int] = {
    "dna": 180,
    "glass": 9,
    "satimage": 36,
    "segment": 19,
    "svmguide2": 20,
    "vehicle": 18,
    "vowel": 10,
}
# Spelled as in the files.
MULAN_LABELS: dict[str, tuple[str, ...]] = {
    "emotions": (
        "amazed-suprised",
        "happy-pleased",
        "relaxing-calm",
        "quiet-still",
        "sad-lonely",
        "angry-aggresive",
    ),
    "flags": ("red", "green", "blue", "yellow", "white", "black", "orange"),
    "scene": ("Beach", "Sunset", "FallFoliage", "Field", "Mountain", "Urban"),
}


@dataclass(frozen=True)
class RemoteFile:
    """One file of a public data set: its address, and how it is recognised.

    Parameters
    ----------
    path : str
        Its path inside a data folder, with forward slashes: ``libsvm/dna.scale``.
    url : str
        Where it is published.
    sha256 : str
        Of the unpacked file.
    size : int
        Bytes of the unpacked file. Unpacking stops with an error if there are more.
    compression : {"bz2", "xz", "zip"} or None
        How the published file is packed.
    """

    path: str
    url: str
    sha256: str
    size: int
    compression: Compression | None = None

    @property
    def name(self) -> str:
        """The last part of `path`; also the member that is taken out of a zip archive."""
        return self.path.rpartition("/")[2]


Part = Literal["train", "test", "all"]


def _libsvm(name: str, size: int, sha256: str) -> RemoteFile:
    return RemoteFile(f"libsvm/{name}", f"{_LIBSVM_SITE}/{name}", sha256, size)


LIBSVM_FILES: dict[str, dict[Part, RemoteFile]] = {
    "dna": {
        "train": _libsvm(
            "dna.scale",
            501_248,
            "f74937ccb8908628058ae1819d4d46c960ce64383f622c994d4f2e6e21026494",
        ),
        "test": _libsvm(
            "dna.scale.t",
            293_744,
            "d2eeed170e4e38ae2aba6aa4cd27a8ca4ecceb01a7751e8e509bb4e1a6bcef39",
        ),
    },
    "glass": {
        "train": _libsvm(
            "glass.scale",
            20_457,
            "7c847cf67bc3dceda40890c37044cc569b2603c2ca4508e01faeaa0d521e52e5",
        ),
    },
    "satimage": {
        "train": _libsvm(
            "satimage.scale",
            1_880_204,
            "b7150252d3117712588d9d5dfeb1a409234340313a93b458f66449a2678d5542",
        ),
    },
    "segment": {
        "train": _libsvm(
            "segment.scale",
            480_042,
            "7c25c4529b8c84d047bc546e1e1f9a3f671c36d77f5469fb845b6e4a15bdd629",
        ),
    },
    "svmguide2": {
        "train": _libsvm(
            "svmguide2",
            164_525,
            "0fe7841f13956623ddc432528311453ab5bf9611c827f95b0b5fd1244ff15057",
        ),
    },
    "vehicle": {
        "train": _libsvm(
            "vehicle.scale",
            180_523,
            "f5bcfc5545c0f674b372e8dc3e41752efa287d4e04cb920150c51cd9c3df7b86",
        ),
    },
    "vowel": {
        "train": _libsvm(
            "vowel.scale",
            63_051,
            "f9ad13f7b7814118facd51f29ddf9a83a3190fb07f3122b4c9031bdf2097af29",
        ),
    },
}


MULAN_FILES: dict[str, dict[Part, RemoteFile]] = {
    "emotions": {
        "all": RemoteFile(
            "mulan/emotions.arff",
            f"{_MULAN_SITE}/d65105d1c5cff604bb6eed9d16838c3851ac5595/mulan/data/emotions.arff",
            "6f2f790047073d1293ac0872c0d55f2dc98b6177802fc96c6b66b309dfee1e4b",
            380_476,
        ),
    },
    "flags": {
        "all": RemoteFile(
            "mulan/flags.arff",
            f"{_KDIS_SITE}/Original/Flags.zip",
            "d3ed8b5683f1b27e68069aad2c29388bb57d4caa5041b559e646cc3854a0cd1e",
            11_281,
            "zip",
        ),
    },
    "scene": {
        "train": RemoteFile(
            "mulan/scene-train.arff",
            f"{_MULAN_SITE}/5862bed221a9ec2baf9a090f5e98637e9dfb088b"
            "/data/multi-label/scene/scene-train.arff",
            "b53ba93bdf412de922e3960389bcee24744fa3e872ce610511fc1d750888b64d",
            3_127_968,
        ),
        "test": RemoteFile(
            "mulan/scene-test.arff",
            f"{_MULAN_SITE}/5862bed221a9ec2baf9a090f5e98637e9dfb088b"
            "/data/multi-label/scene/scene-test.arff",
            "ea38d20296b3ff7e220f477a3b802a9bcb2d768881fe6ee163efbc97ea527a42",
            3_090_742,
        ),
    },
}


def parts_of(
    caller: str, sets: Mapping[str, Mapping[Part, RemoteFile]], name: str
) -> Mapping[Part, RemoteFile]:
    """The files of the set `name`; for an unknown name, a ValueError with all names."""
    check_choice(caller, "name", name, sorted(sets))
    return sets[name]


def chosen(
    caller: str, sets: Mapping[str, Mapping[Part, RemoteFile]], name: str, part: Part
) -> RemoteFile:
    """One part of the set `name`; for an unknown part, a ValueError with all parts."""
    parts = parts_of(caller, sets, name)
    check_choice(caller, f"part of {name!r}", part, sorted(parts))
    return parts[part]
