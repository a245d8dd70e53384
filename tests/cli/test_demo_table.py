"""The table of the demonstration is the one that its generator makes."""

from benchmarks.demo_table import FILE, sightings


def test_the_table_is_not_stale():
    assert FILE.read_text(encoding="utf-8") == sightings()


def test_every_set_has_the_truth():
    for line in sightings().splitlines()[1:]:
        cells = line.split(",")
        said, truth = cells[-2], cells[-1]
        if said.startswith("not "):
            assert said != f"not {truth}"
        else:
            assert said == "unknown" or truth in said.split("|")
