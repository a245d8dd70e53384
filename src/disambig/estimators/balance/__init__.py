"""Class shares of an estimator: what is asked for, how solvers and graphs keep it, what came."""
