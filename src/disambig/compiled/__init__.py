"""Pure functions on arrays; they know nothing of candidates, losses or votes."""
