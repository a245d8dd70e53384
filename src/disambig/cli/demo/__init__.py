"""``disambig demo``: the command, its experiment, its tables and its figure."""
