"""Rankers that do not vote: members of the mixture that `PartialRanker` selects.

Each has ``fit(X, orders, sample_weight)`` and ``pair_shares(X)``: for every pair i < j of items the
probability that i stands before j.
"""
