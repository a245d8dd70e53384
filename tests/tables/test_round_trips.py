"""What is written in any syntax is read back."""

import io

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates.numbers.amounts import plain_text
from disambig.exceptions import TableError
from disambig.tables import read_table, read_target

NAMES = ["ant", "bee", "cow", "doe"]
SETS = st.lists(st.sets(st.sampled_from(NAMES), min_size=1), min_size=1, max_size=12)
SYNTAXES = {
    "pipe": "|".join,
    "blanks": " | ".join,
    "list": lambda names: repr(list(names)),
    "set": lambda names: "{" + ", ".join(names) + "}",
    "quoted set": lambda names: repr(set(names)),
    "json": lambda names: "[" + ", ".join(f'"{name}"' for name in names) + "]",
    "array": lambda names: str(np.array(names)),
}


@given(SETS, st.sampled_from(sorted(SYNTAXES)), st.randoms())
def test_sets(sets, syntax, random):
    texts = []
    for one in sets:
        names = list(one)
        random.shuffle(names)
        texts.append(SYNTAXES[syntax](names))
    # Without a set of several labels nothing shows the syntax.
    texts += [SYNTAXES[syntax](["ant", "bee"]), ""]
    target = read_target(pd.DataFrame({"label": texts}), "label")
    found = [set(one) for one in target.candidates]
    assert found[:-2] == sets
    assert found[-1] == set(target.candidates.classes.tolist())


@given(st.lists(st.permutations(NAMES), min_size=2, max_size=8), st.data())
def test_orders(orders, data):
    kept = [data.draw(st.integers(2, len(NAMES))) for _ in orders]
    chains = [order[:k] for order, k in zip(orders, kept, strict=True)]
    texts = [" > ".join(chain) for chain in chains]
    target = read_target(pd.DataFrame({"label": texts}), "label", kind="orders")
    for row, chain in zip(target.candidates, chains, strict=True):
        assert row == {(a, b) for i, a in enumerate(chain) for b in chain[i + 1 :]}


NUMBERS = st.integers(-(10**9), 10**9)


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 10**6)), min_size=1, max_size=8), st.data())
def test_numbers_with_groups(pairs, data):
    """Ends with an odd number of cents, so that the decimal mark is clear."""
    european = data.draw(st.booleans())
    texts, expected = [], []
    for low, width in pairs:
        ends = (low + 0.25, low + width + 0.25)
        written = [f"{end:,.2f}" for end in ends]
        if european:
            written = [end.translate(str.maketrans(",.", ".,")) for end in written]
        texts.append(f"{written[0]} to {written[1]} €")
        expected.append(ends)
    target = read_target(pd.DataFrame({"label": texts}), "label")
    assert list(target.candidates) == expected


@given(st.integers(0, 10**12))
def test_groups_of_a_number(number):
    assert float(plain_text(f"{number:,}")) == number
    assert float(plain_text(f"{number:,}".replace(",", " "))) == number
    assert float(plain_text(f"{number:,}".replace(",", "."), decimal=",")) == number


CELLS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cn")), max_size=8)


@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_cells_of_a_file(rows, sep, encoding, newline):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False, sep=sep, lineterminator=newline, quoting=1)
    found = read_table(io.BytesIO(buffer.getvalue().encode(encoding)), sep=sep).frame
    assert found.to_numpy().tolist() == [list(row) for row in rows]


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data):
    for contents in (data, b"a,b\n" + data, b'{"a": 1}\n' + data):
        frame, message = outcome(lambda data: read_table(io.BytesIO(data)).frame, contents)
        assert "\n" not in message
        assert message or len(frame) > 0


@given(st.lists(st.text(max_size=6), min_size=1, max_size=6))
def test_any_column_is_read_or_refused(texts):
    frame = pd.DataFrame({"label": texts})
    target, message = outcome(lambda data: read_target(data, "label"), frame)
    assert "\n" not in message
    assert message or len(target.candidates) == len(texts)


def outcome(read, data):
    """What was read, or None and the message of an error of our own kind."""
    try:
        return read(data), ""
    except TableError as error:
        return None, str(error)
