"""Kernel weights: kernel ridge, Nadaraya-Watson and low-rank approximations."""
