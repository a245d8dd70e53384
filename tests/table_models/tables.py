"""Small tables with known truth, one for each kind of target."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from disambig.weights import KernelRidgeWeights

RIDGE = KernelRidgeWeights(bandwidth=5.0, regularization=1e-5)
NAMES = np.array(["ant", "bee", "cow", "dog"])


class Made(NamedTuple):
    """A frame, its target columns, and the truth of each row as a text or number."""

    frame: pd.DataFrame
    target: str
    truth: list
    weights: Any = "neighbors"


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "key": [f"k{row}" for row in range(n)],
            "size": size.round(4),
            "width": rng.normal(size=n).round(4),
            "colour": rng.choice(["red", "green", "blue"], n),
        }
    )
    frame.loc[rng.random(n) < 0.1, "width"] = np.nan
    return rng, frame


def labels(n=120, seed=0):
    rng, frame = inputs(n, seed)
    truth = NAMES[(frame["size"] > 0).astype(int) + 2 * (frame["colour"] == "red")]
    sets = [
        "?" if rng.random() < 0.05 else "|".join(sorted({name, NAMES[rng.integers(4)]}))
        for name in truth
    ]
    return Made(frame.assign(label=sets), "label", truth.tolist())


def numbers(n=120, seed=0):
    rng, frame = inputs(n, seed)
    truth = (30000 + 10000 * frame["size"]).to_numpy()
    low, high = truth - rng.integers(500, 5000, n), truth + rng.integers(500, 5000, n)
    texts = [f"{round(a)} to {round(b)}" for a, b in zip(low, high, strict=True)]
    return Made(frame.assign(pay=texts), "pay", truth.tolist(), RIDGE)


def orders(n=120, seed=0):
    rng, frame = inputs(n, seed)
    full = np.where(frame["size"] > 0, "a>b>c", "c>a>b")
    part = np.where(frame["size"] > 0, "a>c", "c>b")
    texts = np.where(rng.random(n) < 0.4, part, full)
    return Made(frame.assign(rank=texts), "rank", full.tolist())


def bits(n=120, seed=0):
    rng, frame = inputs(n, seed)
    large, red = frame["size"] > 0, frame["width"].fillna(0) > 0
    truth = [
        "|".join(name for name, has in (("large", a), ("wide", b)) if has) or "none"
        for a, b in zip(large, red, strict=True)
    ]
    frame = frame.assign(
        tag_large=np.where(large, "yes", "no"), tag_wide=np.where(red, "yes", "no")
    )
    for name in ("tag_large", "tag_wide"):
        frame.loc[rng.random(n) < 0.3, name] = ""
    return Made(frame, "tag_*", truth)


MAKE = {"labels": labels, "numbers": numbers, "orders": orders, "bits": bits}
