"""Codes and bits are another form of a mask."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.losses import LabelFaces
from disambig.losses.embeddings import ComplementEmbedding
from disambig.losses.labels.faces import CodedFaces


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
def test_the_same_faces(masks):
    coded, plain = both(masks[0])
    assert len(coded) == len(plain)
    assert_array_equal(coded.mask, plain.mask)
    assert_array_equal(coded.is_vertex, plain.is_vertex)
    assert_array_equal(coded.outputs, plain.outputs)
    assert_array_equal(coded.first().mask, plain.first().mask)
    assert_allclose(coded.distribution, plain.distribution)
    assert_allclose(coded.embedded, plain.embedded)
    assert not coded.copy().differing(coded).any()


@given(masks=pairs())
def test_the_same_answers_about_two(masks):
    (coded, plain), (other, plain_other) = both(masks[0]), both(masks[1])
    rows = np.arange(0, len(coded), 2)
    assert_array_equal(coded.differing(other), (masks[0] != masks[1]).any(axis=1))
    assert_array_equal(coded.differing(other), plain.differing(plain_other))
    assert_array_equal(coded.union(other).mask, plain.union(plain_other).mask)
    replaced = coded.replace(rows, other.take(rows))
    assert_array_equal(replaced.mask, plain.replace(rows, plain_other.take(rows)).mask)
    assert_array_equal(coded.mask, masks[0])
    nothing = np.zeros(len(coded))
    scores = np.zeros_like(plain.embedded)
    settled = coded.keep_unless_better(other.first(), scores, nothing)
    expected = plain.keep_unless_better(plain_other.first(), scores, nothing)
    assert_array_equal(settled.mask, expected.mask)


@given(masks=pairs())
def test_the_same_vertices(masks):
    coded, plain = both(masks[0])
    rows = np.arange(len(coded))[::-1]
    owner, vertices = coded.vertices(rows)
    expected_owner, expected = plain.vertices(rows)
    assert_array_equal(owner, expected_owner)
    assert_array_equal(vertices.mask, expected.mask)


def test_codes_are_as_small_as_they_can_be():
    for size, kind in ((254, np.uint8), (255, np.uint16), (65534, np.uint16), (65535, np.uint32)):
        assert CodedFaces.blank(1, size, ComplementEmbedding()).codes.dtype == kind
