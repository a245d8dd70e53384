"""The real data files, if they are on this machine: shapes and counts."""

from pathlib import Path

import numpy as np
import pytest

from disambig.datasets import (
    fetch_libsvm,
    fetch_mulan,
    load_interval_folder,
    load_label_ranking,
    load_mulan,
    load_partial_label_mat,
)
from disambig.datasets.loaders.registry import (
    LIBSVM_FEATURES,
    LIBSVM_FILES,
    MULAN_FILES,
    MULAN_LABELS,
)


def test_the_registry_is_consistent() -> None:
    assert LIBSVM_FILES.keys() == LIBSVM_FEATURES.keys()
    assert MULAN_FILES.keys() == MULAN_LABELS.keys()
    files = [f for sets in (LIBSVM_FILES, MULAN_FILES) for s in sets.values() for f in s.values()]
    assert len({file.path for file in files}) == len(files)
    for file in files:
        assert file.url.startswith("https://")
        assert len(bytes.fromhex(file.sha256)) == 32
        assert file.compression is not None or file.url.endswith(f"/{file.name}")
    for name in LIBSVM_FILES:
        assert f"\n    {name} " in str(fetch_libsvm.__doc__)
    for name in MULAN_FILES:
        assert f"\n    {name} " in str(fetch_mulan.__doc__)


LIBSVM = [
    ("dna", "train", 2000, [1, 2, 3]),
    ("dna", "test", 1186, [1, 2, 3]),
    ("glass", "train", 214, [1, 2, 3, 5, 6, 7]),
    ("satimage", "train", 4435, [1, 2, 3, 4, 5, 6]),
    ("segment", "train", 2310, list(range(1, 8))),
    ("svmguide2", "train", 391, [1, 2, 3]),
    ("vehicle", "train", 846, [1, 2, 3, 4]),
    ("vowel", "train", 528, list(range(11))),
]


@pytest.mark.parametrize(("name", "part", "n", "classes"), LIBSVM)
def test_libsvm(data_dir: Path, name, part, n, classes) -> None:
    data = fetch_libsvm(name, part=part, folder=data_dir, download=False)
    assert data.X.shape == (n, LIBSVM_FEATURES[name])
    assert np.unique(data.y).tolist() == classes
    assert np.isfinite(data.X).all()
    if name != "svmguide2":
        assert np.abs(data.X).max() == 1


def test_every_file_of_the_registry_is_tested() -> None:
    assert {(name, part) for name, part, _, _ in LIBSVM} == {
        (name, part) for name, parts in LIBSVM_FILES.items() for part in parts
    }


@pytest.mark.parametrize(
    ("name", "n", "d", "cardinality"),
    [("emotions", 593, 72, 1.868), ("flags", 194, 48, 3.392), ("scene", 2407, 294, 1.074)],
)
def test_mulan(data_dir: Path, name, n, d, cardinality) -> None:
    data = fetch_mulan(name, folder=data_dir, download=False)
    assert data.X.shape == (n, d)
    assert data.label_names == MULAN_LABELS[name]
    assert data.Y.sum(axis=1).mean() == pytest.approx(cardinality, abs=5e-4)
    assert np.isfinite(data.X).all()
    first = next(iter(MULAN_FILES[name].values()))
    listed = load_mulan(data_dir / first.path, data_dir / "mulan" / f"{name}.xml")
    assert listed.label_names == data.label_names
    np.testing.assert_array_equal(listed.Y, data.Y[: len(listed.Y)])


def test_scene_in_parts(data_dir: Path) -> None:
    parts = [
        fetch_mulan("scene", part=p, folder=data_dir, download=False) for p in ("train", "test")
    ]
    assert [len(part.X) for part in parts] == [1211, 1196]


def test_flags_one_hot(data_dir: Path) -> None:
    data = fetch_mulan("flags", folder=data_dir, download=False)
    zone = [j for j, name in enumerate(data.feature_names) if name.startswith("zone=")]
    assert len(zone) == 4
    assert (data.X[:, zone].sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("name", "n", "d", "n_classes", "n_occurring", "mean_size"),
    [("lost", 1122, 108, 16, 14, 2.23), ("MSRCv2", 1758, 48, 23, 23, 3.16)],
)
def test_partial_labels(data_dir: Path, name, n, d, n_classes, n_occurring, mean_size) -> None:
    data = load_partial_label_mat(data_dir / "pll" / f"{name}.mat")
    assert data.X.shape == (n, d)
    assert data.sets.shape == (n, n_classes)
    assert len(np.unique(data.labels)) == n_occurring
    assert data.sets.sizes.mean() == pytest.approx(mean_size, abs=5e-3)
    assert data.sets.contains(data.labels).all()
    assert np.isfinite(data.X).all()


@pytest.mark.parametrize(
    ("name", "n", "d", "m"),
    [
        ("authorship", 841, 70, 4),
        ("bodyfat", 252, 7, 7),
        ("heat", 2465, 24, 6),  # words: ok
        ("iris", 150, 4, 3),
        ("spo", 2465, 24, 11),
        ("stock", 950, 5, 5),
        ("vehicle", 846, 18, 4),
        ("wine", 178, 13, 3),
    ],
)
def test_label_ranking(data_dir: Path, name, n, d, m) -> None:
    data = load_label_ranking(data_dir / "labelranking" / f"{name}.txt")
    assert data.X.shape == (n, d)
    np.testing.assert_array_equal(np.sort(data.ranks, axis=1), np.tile(np.arange(m), (n, 1)))
    assert np.isfinite(data.X).all()


def test_weak_orders(data_dir: Path) -> None:
    data = load_label_ranking(data_dir / "ranking_real" / "algae.txt")
    assert data.item_names == tuple("abcdefg")
    assert data.ranks.shape == (316, 7)
    assert data.X.shape == (316, 8 + 4 + 3 + 3)
    complete = (np.sort(data.ranks, axis=1) == np.arange(7)).all(axis=1)
    assert complete.mean() == pytest.approx(0.13, abs=5e-3)
    # The first row reads e>f>abcdg.
    assert data.ranks[0].tolist() == [2, 2, 2, 2, 0, 1, 2]


INTERVALS = {
    "H3K27ac-H3K4me3_TDHAM_BP_FPOP": (935, 26),
    "H3K36me3_AM_immune_PDPA": (482, 43),
    "H3K36me3_TDH_immune_joint": (18, 33),
    "H3K4me3_PGP_immune_PDPA": (808, 44),
    "H3K4me3_TDH_immune_joint": (117, 26),
    "H3K4me3_TDH_other_joint": (66, 32),
    "autohorse": (159, 59),
    "baskball": (96, 4),
    "cholesterol": (299, 26),
    "cpu": (209, 36),
    "fishcatch": (158, 15),
    "lowbwt": (189, 23),
    "machine.cpu": (209, 6),
    "meta": (264, 54),
    "neuroblastoma.dr.tdh": (155, 259),
    "pollution": (60, 15),
    "sensory": (576, 36),
    "simulated.linear": (200, 20),
    "stock": (950, 9),
    "veteran": (137, 13),
}


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals(data_dir: Path, name: str) -> None:
    data = load_interval_folder(data_dir / "interval" / "mmit" / name)
    assert data.X.shape == INTERVALS[name]
    assert data.name == name
    assert np.isfinite(data.X).all()
    assert np.isinf(data.intervals).any()
    assert data.folds is not None
    folds, sizes = np.unique(data.folds, return_counts=True)
    assert folds.tolist() == [1, 2, 3, 4, 5]
    assert sizes.max() - sizes.min() <= 1


def test_every_folder_of_intervals_is_tested(data_dir: Path) -> None:
    assert {path.name for path in (data_dir / "interval" / "mmit").iterdir()} == set(INTERVALS)
