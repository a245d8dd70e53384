"""The figures of the paper, computed and drawn with disambig: ``python -m reproduce``."""
