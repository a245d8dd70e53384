"""Sets of class labels: reading them, and the sets themselves."""
