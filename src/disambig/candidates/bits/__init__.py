"""Tag vectors of which some entries are known."""
