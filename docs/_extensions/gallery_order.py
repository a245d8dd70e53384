"""The order of the examples of a tier: the quick start as beginners need it, others by name."""

_FIRST = (
    "plot_candidate_labels.py",
    "plot_table.py",
    "plot_tags.py",
    "plot_intervals.py",
    "plot_rankings.py",
)


def example_order(file_name: str) -> tuple[int, str]:
    """The key by which the files of a folder are sorted."""
    position = _FIRST.index(file_name) if file_name in _FIRST else len(_FIRST)
    return position, file_name
