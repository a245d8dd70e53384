"""`CodedFaces` and `LabelFaces` are two forms of the same faces."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.losses.labels.faces import CodedFaces, ComplementEmbedding, LabelFaces


@st.composite
def pairs(draw):
    """Two masks of the same shape without empty rows, many of them single, some whole."""
    n, size = draw(st.integers(1, 8)), draw(st.sampled_from([1, 2, 5, 31, 32, 33, 70, 300]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    masks = []
    for _ in range(2):
        mask = rng.uniform(size=(n, size)) < rng.choice([0.0, 0.1, 0.6, 1.0], (n, 1))
        mask[np.arange(n), rng.integers(0, size, n)] = True
        masks.append(mask)
    return masks


def both(mask):
    embedding = ComplementEmbedding()
    return CodedFaces.from_mask(mask, embedding), LabelFaces(mask, embedding)


@given(masks=pairs())
def test_properties_are_equal(masks):
    coded, masked = both(masks[0])
    assert len(coded) == len(masked)
    assert_array_equal(coded.mask, masked.mask)
    assert_array_equal(coded.is_vertex, masked.is_vertex)
    assert_array_equal(coded.outputs, masked.outputs)
    assert_array_equal(coded.first().mask, masked.first().mask)
    assert_allclose(coded.distribution, masked.distribution)
    assert_allclose(coded.embedded, masked.embedded)
    assert not coded.copy().differing(coded).any()


@given(masks=pairs())
def test_operations_on_two_faces_are_equal(masks):
    (coded, masked), (other, masked_other) = both(masks[0]), both(masks[1])
    rows = np.arange(0, len(coded), 2)
    assert_array_equal(coded.differing(other), (masks[0] != masks[1]).any(axis=1))
    assert_array_equal(coded.differing(other), masked.differing(masked_other))
    assert_array_equal(coded.union(other).mask, masked.union(masked_other).mask)
    replaced = coded.replace(rows, other.take(rows))
    assert_array_equal(replaced.mask, masked.replace(rows, masked_other.take(rows)).mask)
    assert_array_equal(coded.mask, masks[0])
    tolerance = np.zeros(len(coded))
    scores = np.zeros_like(masked.embedded)
    chosen = coded.keep_unless_better(other.first(), scores, tolerance)
    expected = masked.keep_unless_better(masked_other.first(), scores, tolerance)
    assert_array_equal(chosen.mask, expected.mask)


@given(masks=pairs())
def test_vertices_are_equal(masks):
    coded, masked = both(masks[0])
    rows = np.arange(len(coded))[::-1]
    owner, vertices = coded.vertices(rows)
    expected_owner, expected = masked.vertices(rows)
    assert_array_equal(owner, expected_owner)
    assert_array_equal(vertices.mask, expected.mask)


def test_codes_have_the_smallest_type():
    for size, dtype in ((254, np.uint8), (255, np.uint16), (65534, np.uint16), (65535, np.uint32)):
        assert CodedFaces.blank(1, size, ComplementEmbedding()).codes.dtype == dtype
