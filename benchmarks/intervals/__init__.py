"""The interval regression benchmark: methods, choice of settings, stored outcomes, tables."""
