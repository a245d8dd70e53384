"""Functions on arrays that numba compiles; independent of candidates, losses and weightings."""
