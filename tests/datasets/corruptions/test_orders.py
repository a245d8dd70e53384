"""Corruptions of rankings: their contract, their distributions, and the authors' program."""

import pickle
import subprocess
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.reference import environment
from disambig.candidates import PartialOrders
from disambig.datasets import PairCorruption, ScoreGapCorruption, TopKCorruption, make_ranking_lines
from disambig.datasets.corruptions.orders import hidden_share, information_left
from disambig.datasets.corruptions.protocol import OrderCorruption
from disambig.datasets.corruptions.registry import ORDER_CORRUPTIONS
from disambig.exceptions import CandidateError

# From all pairs known to none, by name.
SEVERITIES: dict[str, list[OrderCorruption]] = {
    "pairs": [PairCorruption(level) for level in (0, 0.1, 0.3, 0.5, 0.8, 0.95, 1)],
    "score_gaps": [ScoreGapCorruption(level) for level in (0, 0.1, 0.3, 0.5, 0.8, 0.95, 1)],
    "score_gaps_small": [
        ScoreGapCorruption(level, hides="small") for level in (0, 0.1, 0.3, 0.5, 0.8, 0.95, 1)
    ],
    "top_k": [TopKCorruption(k) for k in (7, 5, 4, 3, 2, 1, 0)],
}
kinds = pytest.mark.parametrize("kind", SEVERITIES)
# For tests that run through all severities of a kind, seven cases each.
few = settings(max_examples=20)
problems = st.tuples(st.integers(1, 7), st.integers(1, 8), st.integers(0, 999))


def source(corruption: OrderCorruption, m: int, n: int, seed: int) -> tuple[Any, Any]:
    """The argument of the corruption, ranks or scores, and the true ranks."""
    data = make_ranking_lines(n, m, random_state=seed)
    return getattr(data, corruption.reads), data.ranks


def pair_signs(ranks: Any) -> Any:
    i, j = np.triu_indices(ranks.shape[1], 1)
    return np.sign(ranks[:, j] - ranks[:, i])


def test_the_names_that_benchmarks_use() -> None:
    assert list(ORDER_CORRUPTIONS) == ["pairs", "score_gaps", "top_k"]
    assert all(isinstance(make(1), OrderCorruption) for make in ORDER_CORRUPTIONS.values())
    assert [make(1).reads for make in ORDER_CORRUPTIONS.values()] == ["ranks", "scores", "ranks"]


# ------------------------------------------------------------------ the contract


@kinds
@few
@given(problems)
def test_the_true_ranking_extends_the_partial_order(
    kind: str, problem: tuple[int, int, int]
) -> None:
    m, n, seed = problem
    for corruption in SEVERITIES[kind]:
        given_, ranks = source(corruption, m, n, seed)
        orders = corruption(given_, random_state=seed)
        assert isinstance(orders, PartialOrders)
        assert orders.shape == (n, m)
        assert orders.contains(ranks).all()


@kinds
@few
@given(problems)
def test_the_order_is_the_closure_of_the_pairs_that_are_not_hidden(
    kind: str, problem: tuple[int, int, int]
) -> None:
    m, n, seed = problem
    for corruption in SEVERITIES[kind]:
        given_, ranks = source(corruption, m, n, seed)
        hidden = corruption.hidden(given_, random_state=seed)
        assert hidden.shape == (n, m * (m - 1) // 2)
        observed = np.where(hidden, 0, pair_signs(ranks))
        pairs: list[list[tuple[int, int]]] = [
            [
                (i, j) if sign > 0 else (j, i)
                for (i, j), sign in zip(combinations(range(m), 2), row, strict=True)
                if sign
            ]
            for row in observed
        ]
        expected = PartialOrders.from_pairs(pairs, items=range(m))
        assert corruption(given_, random_state=seed) == expected


@kinds
@given(problems)
def test_the_first_hides_no_pair_and_the_last_all(kind: str, problem: tuple[int, int, int]) -> None:
    m, n, seed = problem
    mildest, severest = SEVERITIES[kind][0], SEVERITIES[kind][-1]
    given_, ranks = source(mildest, m, n, seed)
    np.testing.assert_array_equal(mildest(given_, random_state=seed).ranks(), ranks)
    assert not severest(given_, random_state=seed).informative.any()
    assert information_left(mildest(given_, random_state=seed)) == 1
    if m > 1:
        assert information_left(severest(given_, random_state=seed)) == 0
        assert hidden_share(mildest, given_, random_state=seed) == 0
        assert hidden_share(severest, given_, random_state=seed) == 1


@kinds
@few
@given(problems)
def test_orders_of_one_seed_shrink_with_the_level(kind: str, problem: tuple[int, int, int]) -> None:
    m, n, seed = problem
    given_, _ = source(SEVERITIES[kind][0], m, n, seed)
    orders = [corruption(given_, random_state=seed) for corruption in SEVERITIES[kind]]
    for more, fewer in pairwise(orders):
        assert (more.before >= fewer.before).all()


@kinds
@few
@given(problems)
def test_the_two_shares_count_pairs(kind: str, problem: tuple[int, int, int]) -> None:
    m, n, seed = problem
    n_pairs = m * (m - 1) // 2
    for corruption in SEVERITIES[kind]:
        given_, _ = source(corruption, m, n, seed)
        orders = corruption(given_, random_state=seed)
        known = sum(len(order) for order in orders)
        share = hidden_share(corruption, given_, random_state=seed)
        left = information_left(orders)
        if n_pairs:
            assert left == pytest.approx(known / (n * n_pairs))
            assert left >= 1 - share - 1e-12
        else:
            assert (share, left) == (0, 1)


@kinds
def test_items_name_the_columns(kind: str) -> None:
    names = ["ant", "bee", "cow", "dog"]
    corruption = SEVERITIES[kind][4]
    given_, _ = source(corruption, 4, 6, 0)
    plain = corruption(given_, random_state=5)
    named = corruption(given_, items=names, random_state=5)
    assert named.items.tolist() == names
    np.testing.assert_array_equal(named.before, plain.before)
    framed = corruption(pd.DataFrame(given_, columns=names), random_state=5)
    assert framed == named


@pytest.mark.parametrize("kind", ["score_gaps", "score_gaps_small", "top_k"])
def test_columns_are_matched_to_items_by_name(kind: str) -> None:
    names = ["ant", "bee", "cow", "dog"]
    corruption = SEVERITIES[kind][4]
    given_, _ = source(corruption, 4, 6, 0)
    frame = pd.DataFrame(given_, columns=names)
    backwards = corruption(frame, items=names[::-1])
    assert backwards.items.tolist() == names[::-1]
    assert backwards.with_items(names) == corruption(frame)
    np.testing.assert_array_equal(
        corruption.hidden(frame, items=names[::-1]), corruption.hidden(frame[names[::-1]])
    )


@kinds
def test_it_is_frozen_and_can_be_pickled(kind: str) -> None:
    corruption = SEVERITIES[kind][3]
    given_, _ = source(corruption, 5, 6, 0)
    with pytest.raises(AttributeError):
        corruption.level = 0.6  # type: ignore[attr-defined]
    again = pickle.loads(pickle.dumps(corruption))
    assert again == corruption
    assert again(given_, random_state=0) == corruption(given_, random_state=0)


# ------------------------------------------------------------------ pairs


class TestPairs:
    def test_pairs_are_hidden_independently_with_probability_level(self) -> None:
        """Five standard deviations of a binomial; the seed is fixed."""
        n = 20000
        hidden = PairCorruption(0.3).hidden(np.tile([2, 0, 1], (n, 1)), random_state=0)
        assert (np.abs(hidden.mean(axis=0) - 0.3) < 5 * np.sqrt(0.3 * 0.7 / n)).all()
        for i, j in combinations(range(3), 2):
            both = (hidden[:, i] & hidden[:, j]).mean()
            assert both == pytest.approx(0.09, abs=5 * np.sqrt(0.09 * 0.91 / n))

    @pytest.mark.parametrize("level", [0.0, 0.2, 0.5, 0.9, 1.0])
    @pytest.mark.parametrize("m", [1, 2, 3, 4])
    def test_the_expected_information_is_exact(self, m: int, level: float) -> None:
        """Compared with the sum over every set of hidden pairs."""
        n_pairs = m * (m - 1) // 2
        hidden = (np.arange(2**n_pairs)[:, np.newaxis] >> np.arange(n_pairs)) & 1
        observed = np.zeros((len(hidden), m, m), dtype=bool)
        observed[:, *np.triu_indices(m, 1)] = hidden == 0
        known = PartialOrders(observed).n_observed / max(n_pairs, 1)
        weight = np.prod(np.where(hidden, level, 1 - level), axis=1)
        expected = weight @ known if n_pairs else 1.0
        assert PairCorruption(level).expected_information(m) == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize("level", [0.3, 0.5, 0.7, 0.9])
    def test_the_expected_information_is_the_mean_information(self, level: float) -> None:
        n, m = 4000, 10
        ranks = np.random.default_rng(0).permuted(np.tile(np.arange(m), (n, 1)), axis=1)
        orders = PairCorruption(level)(ranks, random_state=1)
        rows = orders.n_observed / 45
        error = 5 * rows.std() / np.sqrt(n)
        assert information_left(orders) == pytest.approx(rows.mean())
        assert PairCorruption(level).expected_information(m) == pytest.approx(
            rows.mean(), abs=error
        )

    def test_a_seed_repeats_and_another_does_not(self) -> None:
        ranks = np.tile(np.arange(6), (50, 1))
        corruption = PairCorruption(0.5)
        first = corruption(ranks, random_state=7)
        assert first == corruption(ranks, random_state=np.random.default_rng(7))
        assert first != corruption(ranks, random_state=8)

    def test_all_forms_of_full_rankings(self) -> None:
        texts = ["b>a>c", "c>b>a"]
        ranks = [[1, 0, 2], [2, 1, 0]]
        corruption = PairCorruption(0.5)
        expected = corruption(ranks, items=["a", "b", "c"], random_state=2)
        assert corruption(texts, random_state=2) == expected
        assert corruption(PartialOrders.from_any(texts), random_state=2) == expected

    @pytest.mark.parametrize("n_items", [0, 2.0, True])
    def test_invalid_numbers_of_items(self, n_items: Any) -> None:
        with pytest.raises(ValueError, match="n_items must be an integer >= 1; got"):
            PairCorruption(0.5).expected_information(n_items)


# ------------------------------------------------------------------ score gaps


class TestScoreGaps:
    @given(problems, st.floats(0, 1))
    def test_large_gaps_cut_a_ranking_into_chains(
        self, problem: tuple[int, int, int], level: float
    ) -> None:
        m, n, seed = problem
        _, scores, ranks = make_ranking_lines(n, m, random_state=seed)
        descending = -np.sort(-scores, axis=1)
        spread = (descending[:, :1] - descending[:, -1:]).clip(1e-300)
        steps = np.abs(np.diff(descending, axis=1)) / spread
        chain = np.zeros((n, m), dtype=int)
        chain[:, 1:] = np.cumsum(steps > 1 - level, axis=1)
        of_item = np.take_along_axis(chain, ranks, axis=1)
        expected = (of_item[:, :, None] == of_item[:, None, :]) & (
            ranks[:, :, None] < ranks[:, None, :]
        )
        np.testing.assert_array_equal(ScoreGapCorruption(level)(scores).before, expected)

    @given(problems, st.floats(0, 1))
    def test_hidden_small_gaps_do_not_follow_from_others(
        self, problem: tuple[int, int, int], level: float
    ) -> None:
        m, n, seed = problem
        scores = make_ranking_lines(n, m, random_state=seed).scores
        corruption = ScoreGapCorruption(level, hides="small")
        left = information_left(corruption(scores))
        assert left == pytest.approx(1 - hidden_share(corruption, scores))

    def test_the_threshold_is_a_share_of_the_largest_gap_of_the_row(self) -> None:
        scores = [[0.0, 1.0, 4.0], [0.0, 10.0, 40.0]]
        assert ScoreGapCorruption(0.2).hidden(scores).tolist() == [[False, True, False]] * 2
        assert ScoreGapCorruption(0.3).hidden(scores).tolist() == [[False, True, True]] * 2
        small = ScoreGapCorruption(0.3, hides="small")
        assert small.hidden(scores).tolist() == [[True, False, False]] * 2

    @pytest.mark.parametrize("hides", ["large", "small"])
    @pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
    def test_equal_scores_are_not_compared(self, hides: Any, level: float) -> None:
        orders = ScoreGapCorruption(level, hides=hides)([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0]])
        assert not orders.before[0, 0, 1]
        assert not orders.before[0, 1, 0]
        assert not orders[1]

    def test_invalid_arguments(self) -> None:
        with pytest.raises(ValueError, match="hides must be one of 'large', 'small'; got 'all'"):
            ScoreGapCorruption(0.5, hides="all")  # type: ignore[arg-type]
        corruption = ScoreGapCorruption(0.5)
        with pytest.raises(CandidateError, match=r"row 1 lacks a score \(1 such row\)"):
            corruption([[0.0, 1.0], [np.nan, 1.0]])
        with pytest.raises(CandidateError, match="3 items were named for 2"):
            corruption(pd.DataFrame([[0.0, 1.0]], columns=["a", "b"]), items=["a", "b", "c"])
        with pytest.raises(CandidateError, match="too large to subtract"):
            corruption([[1.7e308, -1.7e308]])


# ------------------------------------------------------------------ top k


class TestTopK:
    @given(problems, st.integers(0, 8))
    def test_it_equals_a_list_of_the_best_items(
        self, problem: tuple[int, int, int], k: int
    ) -> None:
        m, n, seed = problem
        ranks = make_ranking_lines(n, m, random_state=seed).ranks
        best = np.argsort(ranks, axis=1)[:, :k].tolist()
        expected = PartialOrders.from_top_k(best, items=range(m))
        corruption = TopKCorruption(k)
        assert corruption(ranks) == expected
        lost = max(m - k, 0) * max(m - k - 1, 0) // 2
        assert (corruption.hidden(ranks).sum(axis=1) == lost).all()
        assert (expected.n_observed == m * (m - 1) // 2 - lost).all()

    @pytest.mark.parametrize("k", [-1, 1.0, True, None, "1"])
    def test_invalid_k(self, k: Any) -> None:
        with pytest.raises(ValueError, match="TopKCorruption: k must be an integer >= 0; got"):
            TopKCorruption(k)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize("make", [PairCorruption, ScoreGapCorruption])
@pytest.mark.parametrize("level", [-0.1, 1.1, float("nan"), "0.5", True, None])
def test_invalid_levels(make: Any, level: Any) -> None:
    with pytest.raises(ValueError, match=r"Corruption: level must be a number from 0 to 1; got"):
        make(level)


@pytest.mark.parametrize("corruption", [PairCorruption(0.5), TopKCorruption(1)])
@pytest.mark.parametrize(
    "ranks", [[[0, 1, 2], [0, 1, 1]], [[0, 1, 2], [0, 1, np.nan]], ["a>b>c", "a>b"]]
)
def test_partial_rankings_are_an_error(corruption: Any, ranks: Any) -> None:
    name = type(corruption).__name__
    with pytest.raises(CandidateError, match=rf"{name}: row 1 allows several .* \(1 such row\)"):
        corruption(ranks)


# ------------------------------------------------------------------ the authors' program

_THEIRS = """
import sys
import numpy as np
from dataloader.synthetic.ranking import RKSynthesizer

np.random.seed(0)
synthesizer = RKSynthesizer(7)
place = synthesizer.ind_map[np.triu_indices(7, 1)]
grid, (grid_signs, grid_scores) = synthesizer.get_testset(50, verbose=True)
x, (signs, scores) = synthesizer.get_trainset(40, verbose=True)
levels = [0.0, 0.3, 0.5, 0.67, 0.78, 0.89, 0.94, 1.0]
left = [synthesizer.synthetic_corruption(signs, c, skewed=True, y_score=scores) for c in levels]
np.savez(
    sys.argv[1],
    lines=np.hstack([synthesizer.a, synthesizer.b]),
    grid=grid, grid_signs=grid_signs[:, place], grid_scores=grid_scores.T,
    scores=scores.T, levels=levels, left=np.array(left)[:, :, place],
)
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found = environment.find()
    if found is None or "dataloader" not in found.optional:
        pytest.skip("no reference environment; `python -m benchmarks.reference build` makes one")
    target = tmp_path_factory.mktemp("theirs") / "ranking.npz"
    command = [str(found.python), "-I", "-W", "ignore", "-c", _THEIRS, str(target)]
    subprocess.run(command, check=True, capture_output=True)
    with np.load(target) as file:
        return dict(file)


def test_the_rankings_of_the_authors_program(theirs: dict[str, Any]) -> None:
    X, scores, ranks = make_ranking_lines(50, 7, design="grid", lines=theirs["lines"])
    np.testing.assert_allclose(X.ravel(), theirs["grid"], atol=1e-15)
    np.testing.assert_allclose(scores, theirs["grid_scores"], atol=1e-14)
    np.testing.assert_array_equal(pair_signs(ranks), theirs["grid_signs"])


def test_the_hidden_pairs_of_the_authors_program(theirs: dict[str, Any]) -> None:
    full = PartialOrders.from_scores(theirs["scores"]).signs()
    for level, left in zip(theirs["levels"].tolist(), theirs["left"], strict=True):
        hidden = ScoreGapCorruption(level).hidden(theirs["scores"])
        np.testing.assert_array_equal(np.where(hidden, 0, full), left)
