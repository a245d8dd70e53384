"""``disambig demo``: the command, its table and its picture."""
