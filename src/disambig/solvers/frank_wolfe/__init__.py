"""The quadratic objective, made convex and minimised over hulls by Frank-Wolfe steps.

`losses.py` splits a loss into its convex and concave parts, `shifts.py` bounds the eigenvalues of
the votes and chooses how much curvature to add, and `form.py` is the resulting convex function.
`hulls.py` is the contract of a product of hulls; `label_hulls.py` (with and without class counts),
`order_hulls.py` and `bit_hulls.py` implement it. `steps.py` has the processes for the loop,
`rounding.py` turns relaxed targets into labels, and `minimization.py` is the solver.
"""

from disambig.solvers.frank_wolfe.minimization import FrankWolfeMinimization

__all__ = ["FrankWolfeMinimization"]
