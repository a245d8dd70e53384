"""Losses between real numbers: squared, absolute and pinball."""
