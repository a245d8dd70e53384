"""Alternating minimisation of the objective, and decoding of tied targets."""
