"""Which rows take part in a fit, and estimators of rows in parts."""
