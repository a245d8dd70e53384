"""Every kind of face keeps the contract of `Faces`: the algebra that solvers move rows with."""

import numpy as np
import pytest

from disambig.losses import BitFaces, CodedFaces, LabelFaces, PointFaces
from disambig.losses.embeddings import (
    ComplementEmbedding,
    IdentityEmbedding,
    SignEmbedding,
    TableEmbedding,
)

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
    """Points that lie at the rows of a table; with means, on the mean of a mask of them."""
    pair = []
    for mask in (MASK, OTHER_MASK):
        first = mask.argmax(axis=1)
        middle = (mask / mask.sum(axis=1, keepdims=True)) @ TABLE
        corners = TABLE[first]
        pair.append(PointFaces(WORDS[first], *((middle, corners) if means else (corners,))))
    return tuple(pair)


def bit_faces():
    """Two bits that are settled where the masks above have only one of two."""
    embedding = SignEmbedding(np.array([1.0, 2.0]), 0.5)
    pair = []
    for mask in (MASK, OTHER_MASK):
        signs = mask[:, 1:].astype(np.int8) - mask[:, :1]
        pair.append(BitFaces(np.where(signs == 0, -1, signs > 0).astype(np.int8), embedding))
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
}
LISTED = [kind for kind in KINDS if not kind.startswith("points")]


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


def test_the_first_vertex(faces):
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


def test_replacing_nothing_or_everything(pair):
    faces, other = pair
    nothing = np.empty(0, dtype=np.intp)
    assert same(faces.replace(nothing, other.take(nothing)), faces)
    assert same(faces.replace(np.arange(5), other), other)


def test_replaced_words_are_not_cut():
    short = PointFaces(np.array(["a", "b"]), np.zeros((2, 1)))
    long = PointFaces(np.array(["longer"]), np.ones((1, 1)))
    assert short.replace(np.array([1]), long).outputs.tolist() == ["a", "longer"]


def test_vertices_belong_to_their_rows(faces):
    rows = np.array([2, 0, 1])
    owner, vertices = faces.vertices(rows)
    assert vertices.is_vertex.all()
    assert len(owner) == len(vertices)
    # The rows in order, each with at least its first vertex in front.
    assert np.array_equal(np.unique(owner), np.arange(3))
    assert (np.diff(owner) >= 0).all()
    leading = np.searchsorted(owner, np.arange(3))
    assert same(vertices.take(leading), faces.take(rows).first())


@pytest.mark.parametrize("kind", LISTED)
def test_the_barycentre_is_the_mean_of_the_vertices(kind):
    faces, _ = KINDS[kind]()
    rows = np.array([2, 0, 1])
    owner, vertices = faces.vertices(rows)
    for position, row in enumerate(rows):
        mean = vertices.embedded[owner == position].mean(axis=0)
        np.testing.assert_allclose(mean, faces.embedded[row])


def test_a_union_holds_both_or_keeps_the_current(pair):
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
    # What ends a run: a union with what is inside already changes nothing.
    assert same(union.union(other), union)


def test_faces_of_many_open_bits_list_each_bit_on():
    faces = BitFaces(np.full((1, 9), -1, dtype=np.int8), SignEmbedding(np.ones(9), 1.0))
    owner, vertices = faces.vertices(np.array([0]))
    assert not owner.any()
    np.testing.assert_array_equal(vertices.bits, np.vstack([np.zeros(9), np.eye(9)]))


def test_settling_moves_to_strictly_better_vertices_only(pair):
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
        settled = better.keep_unless_better(current, scores, tolerance)
        assert settled.is_vertex.all()
        paid = np.einsum("ip,ip->i", current.embedded, scores)
        reachable = np.einsum("ip,ip->i", better.first().embedded, scores)
        moves = reachable < paid - tolerance
        assert same(settled.take(~moves), current.take(~moves))
        now = np.einsum("ip,ip->i", settled.embedded, scores)
        if isinstance(better, BitFaces):
            # Bits move one by one: those that tie stay.
            open_bits = better.undecided
            assert np.array_equal(settled.bits[open_bits], current.bits[open_bits])
            np.testing.assert_allclose(now[moves], reachable[moves])
        else:
            assert same(settled.take(moves), better.first().take(moves))
        assert (now <= paid + tolerance).all()


def test_equality_is_of_every_row(pair):
    faces, other = pair
    assert not faces.differing(faces.take(np.arange(5))).any()
    assert faces.differing(other).any()
    last = np.array([4])
    changed = faces.replace(last, other.take(np.array([1])))
    np.testing.assert_array_equal(faces.differing(changed), np.arange(5) == 4)
