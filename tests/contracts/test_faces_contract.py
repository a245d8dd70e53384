"""Every kind of face fulfils the contract of `Faces`."""

import numpy as np
import pytest

from disambig.losses.bits.faces import BitFaces
from disambig.losses.bits.mean_faces import MeanBitFaces, MeanEmbedding
from disambig.losses.embeddings import SignEmbedding
from disambig.losses.labels.faces import (
    CodedFaces,
    ComplementEmbedding,
    IdentityEmbedding,
    LabelFaces,
    TableEmbedding,
)
from disambig.losses.structured import PointFaces

MASK = np.array(
    [
        [1, 0, 0],
        [0, 1, 1],
        [1, 1, 1],
        [0, 0, 1],
        [1, 0, 1],
    ],
    dtype=np.bool_,
)
OTHER_MASK = np.array(
    [
        [0, 1, 0],
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 1],
        [0, 1, 1],
    ],
    dtype=np.bool_,
)
TABLE = np.array([[0.0, 2.0], [1.0, 0.0], [3.0, 3.0]])
WORDS = np.array(["a", "bb", "ccc"])


def label_faces(embedding):
    return LabelFaces(MASK, embedding), LabelFaces(OTHER_MASK, embedding)


def point_faces(*, means):
    """Points at rows of a table; with means, at the mean of the rows in a mask."""
    pair = []
    for mask in (MASK, OTHER_MASK):
        first = mask.argmax(axis=1)
        mean = (mask / mask.sum(axis=1, keepdims=True)) @ TABLE
        vertices = TABLE[first]
        pair.append(PointFaces(WORDS[first], *((mean, vertices) if means else (vertices,))))
    return tuple(pair)


def bit_faces():
    """Two bits, decided if the masks above contain exactly one of class 0 and their own class."""
    embedding = SignEmbedding(np.array([1.0, 2.0]), 0.5)
    pair = []
    for mask in (MASK, OTHER_MASK):
        signs = mask[:, 1:].astype(np.int8) - mask[:, :1]
        pair.append(BitFaces(np.where(signs == 0, -1, signs > 0).astype(np.int8), embedding))
    return tuple(pair)


def mean_bit_faces():
    """Two bits whose values tie together: both are off, both are on, or all is open."""
    embedding = MeanEmbedding(np.array([1.0, 2.0]), np.array([0.5, 0.0]), 0.5)
    pair = []
    for mask in (MASK, OTHER_MASK):
        low = np.repeat(mask[:, :1] == 0, 2, axis=1).astype(np.int8)
        high = np.maximum(low, mask[:, 1:].astype(np.int8))
        pair.append(MeanBitFaces(low, high, (low + high) / 2.0, embedding))
    return tuple(pair)


KINDS = {
    "labels, unit vectors": lambda: label_faces(IdentityEmbedding()),
    "labels, complements": lambda: label_faces(ComplementEmbedding()),
    "labels, a table": lambda: label_faces(TableEmbedding(TABLE)),
    "codes": lambda: tuple(
        CodedFaces.from_mask(mask, TableEmbedding(TABLE)) for mask in (MASK, OTHER_MASK)
    ),
    "points": lambda: point_faces(means=False),
    "points and means": lambda: point_faces(means=True),
    "bits": bit_faces,
    "bits under rules": mean_bit_faces,
}
LISTED = [kind for kind in KINDS if not kind.startswith(("points", "bits under"))]


@pytest.fixture(params=KINDS)
def pair(request):
    return KINDS[request.param]()


@pytest.fixture
def faces(pair):
    return pair[0]


def same(left, right):
    return (
        len(left) == len(right)
        and not left.differing(right).any()
        and np.array_equal(left.embedded, right.embedded)
        and np.array_equal(left.outputs, right.outputs)
        and np.array_equal(left.is_vertex, right.is_vertex)
    )


def test_shapes(faces):
    assert len(faces) == 5
    assert faces.embedded.ndim == 2
    assert len(faces.embedded) == len(faces.outputs) == len(faces.is_vertex) == 5
    assert faces.is_vertex.dtype == np.bool_


def test_barycentres_of_labels():
    unit, complement, table = (KINDS[kind]()[0] for kind in list(KINDS)[:3])
    shares = np.array([[1, 0, 0], [0, 0.5, 0.5], [1 / 3] * 3, [0, 0, 1], [0.5, 0, 0.5]])
    np.testing.assert_allclose(unit.embedded, shares)
    np.testing.assert_allclose(complement.embedded, 1 - shares)
    np.testing.assert_allclose(table.embedded, shares @ TABLE)
    assert unit.is_vertex.tolist() == [True, False, False, True, False]


@pytest.mark.parametrize(
    "embedding", [IdentityEmbedding(), ComplementEmbedding(), TableEmbedding(TABLE)]
)
def test_costs_are_the_adjoint_of_embed(embedding):
    vertices = embedding.embed(np.eye(3))
    scores = np.random.default_rng(0).normal(size=(4, vertices.shape[1]))
    np.testing.assert_allclose(embedding.costs(scores), scores @ vertices.T, atol=1e-14)


def test_first_vertex_is_the_output(faces):
    first = faces.first()
    assert first.is_vertex.all()
    assert np.array_equal(first.outputs, faces.outputs)
    assert same(first.first(), first)
    kept = np.flatnonzero(faces.is_vertex)
    assert same(first.take(kept), faces.take(kept))


def test_take_selects_and_repeats_rows(faces):
    index = np.array([3, 0, 0])
    taken = faces.take(index)
    assert np.array_equal(taken.embedded, faces.embedded[index])
    assert np.array_equal(taken.outputs, faces.outputs[index])
    assert np.array_equal(taken.is_vertex, faces.is_vertex[index])
    assert len(faces.take(np.empty(0, dtype=np.intp))) == 0


def test_replace_changes_a_copy(pair):
    faces, other = pair
    before = faces.take(np.arange(5))
    rows = np.array([4, 1])
    replaced = faces.replace(rows, other.take(np.array([2, 0])))
    assert same(replaced.take(rows), other.take(np.array([2, 0])))
    rest = np.array([0, 2, 3])
    assert same(replaced.take(rest), faces.take(rest))
    assert same(faces, before)


def test_replacing_no_row_or_all_rows(pair):
    faces, other = pair
    no_rows = np.empty(0, dtype=np.intp)
    assert same(faces.replace(no_rows, other.take(no_rows)), faces)
    assert same(faces.replace(np.arange(5), other), other)


def test_replaced_strings_are_not_truncated():
    short = PointFaces(np.array(["a", "b"]), np.zeros((2, 1)))
    long = PointFaces(np.array(["longer"]), np.ones((1, 1)))
    assert short.replace(np.array([1]), long).outputs.tolist() == ["a", "longer"]


def test_vertices_belong_to_their_rows(faces):
    rows = np.array([2, 0, 1])
    owner, vertices = faces.vertices(rows)
    assert vertices.is_vertex.all()
    assert len(owner) == len(vertices)
    # Rows are in order, and the first vertex of each comes first.
    assert np.array_equal(np.unique(owner), np.arange(3))
    assert (np.diff(owner) >= 0).all()
    leading = np.searchsorted(owner, np.arange(3))
    assert same(vertices.take(leading), faces.take(rows).first())


@pytest.mark.parametrize("kind", LISTED)
def test_barycentre_is_the_mean_of_the_vertices(kind):
    faces, _ = KINDS[kind]()
    rows = np.array([2, 0, 1])
    owner, vertices = faces.vertices(rows)
    for position, row in enumerate(rows):
        mean = vertices.embedded[owner == position].mean(axis=0)
        np.testing.assert_allclose(mean, faces.embedded[row])


def test_union_contains_both_or_keeps_the_current_face(pair):
    faces, other = pair
    union = faces.union(other)
    if isinstance(faces, LabelFaces | CodedFaces):
        assert np.array_equal(union.mask, MASK | OTHER_MASK)
    elif isinstance(faces, BitFaces):
        agree = faces.bits == other.bits
        assert np.array_equal(union.bits, np.where(agree, faces.bits, -1))
    else:
        assert same(union, faces)
    assert same(faces.union(faces), faces)
    # Runs end because a union with a face that it contains changes nothing.
    assert same(union.union(other), union)


def test_vertices_of_many_open_bits_have_at_most_one_bit_on():
    faces = BitFaces(np.full((1, 9), -1, dtype=np.int8), SignEmbedding(np.ones(9), 1.0))
    owner, vertices = faces.vertices(np.array([0]))
    assert not owner.any()
    np.testing.assert_array_equal(vertices.bits, np.vstack([np.zeros(9), np.eye(9)]))


def test_keep_unless_better_moves_to_strictly_better_vertices_only(pair):
    better, current = pair
    current = current.first()
    rng = np.random.default_rng(0)
    for _ in range(20):
        p = current.embedded.shape[1]
        scores = rng.integers(-2, 3, size=(5, p)).astype(float)
        tolerance = np.full(5, 1e-10)
        if isinstance(better, LabelFaces | CodedFaces):
            costs = better.embedding.costs(scores)
            minimal = costs <= costs.min(axis=1, keepdims=True) + tolerance[:, None]
            coded = isinstance(better, CodedFaces)
            form = CodedFaces.from_mask if coded else LabelFaces
            better = form(minimal, better.embedding)
        if isinstance(better, BitFaces):
            costs = scores[:, :-1] * better.embedding.factors
            bits = np.where(costs == 0, -1, costs < 0).astype(np.int8)
            better = BitFaces(bits, better.embedding)
        chosen = better.keep_unless_better(current, scores, tolerance)
        assert chosen.is_vertex.all()
        costs_before = np.einsum("ip,ip->i", current.embedded, scores)
        reachable = np.einsum("ip,ip->i", better.first().embedded, scores)
        moves = reachable < costs_before - tolerance
        assert same(chosen.take(~moves), current.take(~moves))
        costs_after = np.einsum("ip,ip->i", chosen.embedded, scores)
        if isinstance(better, BitFaces):
            # Bits move independently: those that tie stay.
            open_bits = better.undecided
            assert np.array_equal(chosen.bits[open_bits], current.bits[open_bits])
            np.testing.assert_allclose(costs_after[moves], reachable[moves])
        else:
            assert same(chosen.take(moves), better.first().take(moves))
        assert (costs_after <= costs_before + tolerance).all()


def test_differing_compares_every_row(pair):
    faces, other = pair
    assert not faces.differing(faces.take(np.arange(5))).any()
    assert faces.differing(other).any()
    last = np.array([4])
    changed = faces.replace(last, other.take(np.array([1])))
    np.testing.assert_array_equal(faces.differing(changed), np.arange(5) == 4)
