r"""The letters of the paper, once, with their shapes. Read this file first.

=========  ============  =====================================================================
letter     shape         meaning
=========  ============  =====================================================================
``n``                    training samples
``q``                    queries: inputs at which something is predicted
``p``                    dimension of the embedding in which the loss is an inner product
``K``                    classes of a finite output space
``P``                    predictions a finite loss allows (the classes, and perhaps "abstain")
``d``                    features of an input
``alpha``  ``(q, n)``    ``alpha[i, j]``: how much the prediction at input i listens to sample j
``A``      ``(n, n)``    ``alpha`` at the training inputs, row i scaled by the weight of sample i
``phi(y)`` ``(p,)``      embedding of a target
``psi(z)`` ``(p,)``      embedding of a prediction
``s[j]``                 the set of targets that sample j may have: its candidates
``xi``     ``(n, p)``    relaxed targets: ``xi[j]`` lies in the convex hull of ``phi(s[j])``
``zeta``   ``(n, p)``    relaxed predictions: ``zeta[i]`` lies in the hull of all ``psi(z)``
=========  ============  =====================================================================

A *vertex* is a single output seen in the embedding; a *face* is the hull of the vertices that tie
for a minimum; a *whole* set allows every target and says nothing.

Two identities carry everything else:

.. math::

    loss(z, y) = \langle \psi(z), \phi(y) \rangle
    \qquad
    F(\xi, \zeta) = \sum_{ij} A_{ij} \langle \zeta_i, \xi_j \rangle .

Disambiguation minimises ``F`` over both arguments (Eqs. 4 and 10 of the paper, Cabannes, Bach and
Rudi, ICML 2021). With one argument fixed ``F`` is linear in the other, row by row, so each half
step is one product and one batch of small exact minimisations:

* predictions: ``zeta[i]`` minimises ``<psi(z), (A @ xi)[i]>`` over all predictions z;
* targets: ``xi[j]`` minimises ``<phi(y), (A.T @ zeta)[j]>`` over the candidates ``y in s[j]``.

The second product needs the *transpose*; the two agree only where ``A`` is symmetric.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.intp]
AnyArray: TypeAlias = npt.NDArray[Any]
