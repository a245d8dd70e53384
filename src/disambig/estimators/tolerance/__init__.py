"""Targets that leave their sets at a price, one module for each kind of target."""
