"""Sets of class labels: reading them, and the candidate sets."""
