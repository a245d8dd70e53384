"""Counts packed into one integer and counts by tally give the same best vertex."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.compiled import face_votes
from disambig.compiled.bits import pack_rows


def count_votes(codes, size):
    """Votes for each vertex and for all, from codes without several vertices."""
    counts = np.bincount(codes, minlength=size + 1)
    return counts[:size], counts[size]


@given(
    codes=st.lists(st.integers(0, 5), min_size=1, max_size=40),
    allowed=st.integers(1, 31),
)
def test_best_vertex_by_packed_counts_and_by_tallies(codes, allowed):
    size = 5
    codes = np.array(codes, dtype=np.uint8)
    indices = np.arange(codes.size, dtype=np.uint32)
    votes, for_all = count_votes(codes, size)
    mask = (allowed >> np.arange(size)) & 1 == 1
    best = votes[mask].max()
    leaders = np.flatnonzero(mask & (votes == best))
    vertex = leaders[0] if leaders.size == 1 else -1

    width = face_votes.packed_width(size)
    counts = face_votes.count_few(0, codes.size, indices, codes, width)
    found = face_votes.leader_of_few(counts, width, size, allowed)
    assert found == (best, vertex)

    tallies, buffer = np.zeros(size + 2, dtype=np.int32), np.zeros(64, dtype=np.uint8)
    sets = pack_rows(mask[None])
    most, chosen, found_for_all = face_votes.leader_of_many(
        0, codes.size, indices, codes, size, 0, sets, tallies, buffer
    )
    assert not tallies.any()
    assert (most, found_for_all) == (best, for_all)
    # Without a vote for an allowed vertex there is no unique best one.
    assert chosen == (vertex if best else -1)


@pytest.mark.parametrize(("size", "width"), [(1, 21), (10, 5), (13, 4), (14, 0), (1000, 0)])
def test_bits_per_packed_count(size, width):
    assert face_votes.packed_width(size) == width
