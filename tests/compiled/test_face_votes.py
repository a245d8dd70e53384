"""Counting by register, by tally and by votes: one result."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.compiled import face_votes as heard_faces
from disambig.compiled.bits import pack_rows


def heard(codes, size):
    """Votes for each vertex and for all, from codes without several vertices."""
    counts = np.bincount(codes, minlength=size + 1)
    return counts[:size], counts[size]


@given(
    codes=st.lists(st.integers(0, 5), min_size=1, max_size=40),
    allowed=st.integers(1, 31),
)
def test_leaders(codes, allowed):
    size = 5
    codes = np.array(codes, dtype=np.uint8)
    indices = np.arange(codes.size, dtype=np.uint32)
    votes, everyone = heard(codes, size)
    mask = (allowed >> np.arange(size)) & 1 == 1
    best = votes[mask].max()
    leaders = np.flatnonzero(mask & (votes == best))
    vertex = leaders[0] if leaders.size == 1 else -1

    width = heard_faces.packed_width(size)
    counts = heard_faces.count_few(0, codes.size, indices, codes, width)
    found = heard_faces.leader_of_few(counts, width, size, allowed)
    assert found == (best, vertex)

    tallies, recent = np.zeros(size + 2, dtype=np.int32), np.zeros(64, dtype=np.uint8)
    sets = pack_rows(mask[None])
    gain, chosen, whole = heard_faces.leader_of_many(
        0, codes.size, indices, codes, size, 0, sets, tallies, recent
    )
    assert not tallies.any()
    assert (gain, whole) == (best, everyone)
    # Nobody voted for an allowed vertex: who is left is for others to say.
    assert chosen == (vertex if best else -1)


@pytest.mark.parametrize(("size", "width"), [(1, 21), (10, 5), (13, 4), (14, 0), (1000, 0)])
def test_room_in_a_register(size, width):
    assert heard_faces.packed_width(size) == width
