"""A cluster that is simulated: how long a step over votes in blocks takes on many workers.

Nothing runs on Dask here. The client sends labels by one line, workers pass on what all of them
need, each computes its blocks one after the other, and results return by the line of the client.
Blocks are now and then slow, and workers die: then their votes are built again by those that are
left, and the half step is sent again.
"""

import heapq
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from benchmarks.cluster_formulas import Size, step


@dataclass(frozen=True)
class Rates:
    """What was measured, and what is assumed.

    Parameters
    ----------
    worker, client : float
        Seconds of the processor for each row and step, of all workers together and of the client.
    message : float
        Seconds of the client for each task or array that it sends.
    search, search_more : float
        Seconds to search the neighbours of a row in its own part, and in each other one.
    bandwidth, latency : float
        Of the line of each machine: bytes a second, and seconds.
    slow_share, slow_factor : float
        The share of the blocks that take longer in a half step, and how much longer.
    deaths : float
        Of one worker, each hour.
    """

    worker: float
    client: float
    message: float
    search: float = 0.0
    search_more: float = 0.0
    bandwidth: float = 1.25e9
    latency: float = 5e-4
    slow_share: float = 0.0
    slow_factor: float = 4.0
    deaths: float = 0.0


class Simulated(NamedTuple):
    """Seconds of a step, and how many workers died in it."""

    seconds: float
    deaths: int


def build_seconds(size: Size, rates: Rates) -> float:
    """The search of all parts by all parts: the search of one part goes on one worker at a time."""
    rounds = -(-size.n_blocks // size.n_workers)
    return rounds * _search_seconds(size, rates)


def _search_seconds(size: Size, rates: Rates) -> float:
    rows = size.n / size.n_blocks
    return rows * (rates.search + (size.n_blocks - 1) * rates.search_more)


def spread_seconds(size: Size, rates: Rates, n_bytes: float, *, passed_on: bool) -> list[float]:
    """When each worker has what all of them need, of which one has it at second 0.

    Parameters
    ----------
    size : Size
    rates : Rates
    n_bytes : float
    passed_on : bool
        Whether workers that have it serve others, one at a time; else the first one serves all.
    """
    one = rates.latency + n_bytes / rates.bandwidth
    if not passed_on:
        return [one * place for place in range(size.n_workers)]
    free, found = [0.0], [0.0]
    while len(found) < size.n_workers:
        end = heapq.heappop(free) + one
        found.append(end)
        heapq.heappush(free, end)
        heapq.heappush(free, end)
    return found


def half_step_seconds(
    size: Size, rates: Rates, rng: np.random.Generator, *, passed_on: bool = True
) -> float:
    """A half step in which nobody dies."""
    half = step(size)
    # As many bytes of labels vote as are changed; the line of the client has both.
    seconds = half.sent / 2 / rates.bandwidth + rates.latency
    seconds += rates.message * (2 * size.n_blocks + 1) + rates.client * size.n / 2
    ready = spread_seconds(size, rates, size.n * size.code_bytes, passed_on=passed_on)
    block = rates.worker / 2 * size.n / size.n_blocks
    slow = rng.random(size.n_blocks) < rates.slow_share
    took = np.where(slow, rates.slow_factor * block, block)
    ends = []
    for worker, start in enumerate(ready):
        ends.extend(start + np.cumsum(took[worker :: size.n_workers]))
    line, back = 0.0, half.received / 2 / size.n_blocks / rates.bandwidth
    for end in sorted(ends):
        line = max(line, end + rates.latency) + back
    return float(seconds + line)


def step_seconds(
    size: Size, rates: Rates, rng: np.random.Generator, *, passed_on: bool = True
) -> Simulated:
    """Both half steps; one in which a worker dies is repeated when its blocks are built again."""
    seconds, n_deaths = 0.0, 0
    for _ in range(2):
        while True:
            needed = half_step_seconds(size, rates, rng, passed_on=passed_on)
            rate = rates.deaths * size.n_workers / 3600
            until = rng.exponential(1 / rate) if rate else np.inf
            if until >= needed:
                seconds += needed
                break
            n_deaths += 1
            lost = -(-size.n_blocks // size.n_workers)
            others = replace(size, n_workers=max(1, min(lost, size.n_workers - 1)))
            rounds = -(-lost // others.n_workers)
            seconds += float(until) + rounds * _search_seconds(size, rates)
    return Simulated(seconds, n_deaths)


def mean_step(
    size: Size, rates: Rates, *, passed_on: bool = True, repeats: int = 20, seed: int = 0
) -> Simulated:
    """The mean seconds of a step over some repeats, and all deaths in them."""
    rng = np.random.default_rng(seed)
    found = [step_seconds(size, rates, rng, passed_on=passed_on) for _ in range(repeats)]
    return Simulated(
        float(np.mean([one.seconds for one in found])), sum(one.deaths for one in found)
    )
