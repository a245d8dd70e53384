r"""The notation of the paper with shapes, and the array types. Read this file first.

=========  ============  =====================================================================
letter     shape         meaning
=========  ============  =====================================================================
``n``                    training samples
``q``                    queries: inputs at which something is predicted
``p``                    dimension of the embedding in which the loss is an inner product
``K``                    classes of a finite output space
``P``                    predictions a finite loss allows (the classes, and perhaps "abstain")
``d``                    features of an input
``alpha``  ``(q, n)``    ``alpha[i, j]``: weight of sample j in the prediction at input i
``A``      ``(n, n)``    ``alpha`` at the training inputs, row i scaled by the weight of sample i
``phi(y)`` ``(p,)``      embedding of a target
``psi(z)`` ``(p,)``      embedding of a prediction
``s[j]``                 the set of targets that sample j may have: its candidates
``xi``     ``(n, p)``    relaxed targets: ``xi[j]`` lies in the convex hull of ``phi(s[j])``
``zeta``   ``(n, p)``    relaxed predictions: ``zeta[i]`` lies in the hull of all ``psi(z)``
=========  ============  =====================================================================

A *vertex* is the embedding of a single output. A *face* is the convex hull of the vertices that
tie for a minimum. A *whole* set allows every target, so its row is unlabeled.

Everything else follows from two identities:

.. math::

    loss(z, y) = \langle \psi(z), \phi(y) \rangle
    \qquad
    F(\xi, \zeta) = \sum_{ij} A_{ij} \langle \zeta_i, \xi_j \rangle .

Disambiguation minimises ``F`` over both arguments (Eqs. 4 and 10 of the paper, Cabannes, Bach and
Rudi, ICML 2021). With one argument fixed, ``F`` is linear in the other, row by row. So each half
step is one product and one batch of small exact minimisations:

* predictions: ``zeta[i]`` minimises ``<psi(z), (A @ xi)[i]>`` over all predictions z;
* targets: ``xi[j]`` minimises ``<phi(y), (A.T @ zeta)[j]>`` over the candidates ``y in s[j]``.

The second product uses the transpose of ``A``. The two are the same only if ``A`` is symmetric.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.intp]
AnyArray: TypeAlias = npt.NDArray[Any]
