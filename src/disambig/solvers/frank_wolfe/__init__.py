"""The quadratic objective, made convex and minimised over hulls by Frank-Wolfe steps.

`parts.py` says where a loss bends up and down, `spectrum.py` and `shifts.py` how much the votes can
bend it, `form.py` is the convex function. `hulls.py` is the contract of where to walk, kept by
labels, by labels with sizes, by orders and by bits. `steps.py` and `block_steps.py` are processes
for the loop; `rounding.py` makes labels of laws, and `minimization.py` ties all together.
"""

from disambig.solvers.frank_wolfe.minimization import FrankWolfeMinimization

__all__ = ["FrankWolfeMinimization"]
