"""Confidence in labels that were recovered from bags: informative and calibrated?

Overlapping clusters, or digits, in bags of known class counts, with and without candidate sets.
*Hidden* is `confidence_` as it is: by rows that never saw the set, or neither set nor bag. *Votes*
are the shares of leave-one-out votes inside the set, which it was before. Nothing is fitted to the
truth; rows with one candidate are left out.

    python -m benchmarks.bag_confidence [--write] [--quick]
"""

import argparse
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import roc_auc_score

from benchmarks.results import provenance, write_section
from disambig import LabelSets, PartialLabelClassifier
from disambig.candidates import bag_counts
from disambig.estimators.prediction import candidate_shares
from disambig.metrics import expected_calibration_error

# Data, share of rows with sets, rows of a bag.
CASES = (
    ("clusters", 0.6, 20),
    ("clusters", 0.6, 60),
    ("clusters", 0.0, 10),
    ("digits", 0.5, 25),
    ("digits", 0.0, 12),
)
_N_ROWS = {"clusters": 300, "digits": 500}


def problem(name: str, share_of_sets: float, bag_size: int, seed: int) -> tuple[Any, Any, Any]:
    """Inputs, sets in bags whose shares differ, and true labels."""
    rng, n = np.random.default_rng(seed), _N_ROWS[name]
    if name == "clusters":
        X, truth = make_blobs(n, centers=4, cluster_std=3.0, random_state=seed)
    else:
        X, truth = load_digits(return_X_y=True)
        rows = rng.permutation(len(truth))[:n]
        X, truth = X[rows], truth[rows]
    n_classes = int(truth.max()) + 1
    shares = rng.dirichlet(np.ones(n // bag_size), size=n_classes)
    bags = np.array([rng.choice(n // bag_size, p=shares[label]) for label in truth])
    mask = rng.random((n, n_classes)) < 0.5
    mask[rng.random(n) >= share_of_sets] = True
    mask[np.arange(n), truth] = True
    counts = {
        b: {k: int(np.sum(truth[bags == b] == k)) for k in range(n_classes)}
        for b in np.unique(bags).tolist()
    }
    return X, bag_counts(LabelSets.from_mask(mask), bags, counts), truth


def judged(name: str, share_of_sets: float, bag_size: int, seed: int) -> list[float]:
    """Right labels, and for both confidences the area under the curve and the error."""
    X, counts, truth = problem(name, share_of_sets, bag_size, seed)
    model = PartialLabelClassifier("kernel_ridge").fit(X, counts)
    votes = model.weights_.leave_one_out_votes() @ model._distribution_
    shares = candidate_shares(votes, counts.mask, counts.distribution())
    codes = np.searchsorted(model.classes_, model.labels_)
    is_open, right = ~counts.is_single, model.labels_ == truth
    found = [float(right[is_open].mean())]
    for confidence in (shares[np.arange(len(codes)), codes], model.confidence_):
        one = confidence[is_open]
        is_mixed = 0 < right[is_open].mean() < 1
        found.append(float(roc_auc_score(right[is_open], one)) if is_mixed else np.nan)
        found.append(float(expected_calibration_error(one, right[is_open])))
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="two seeds")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    n_seeds = 2 if options.quick else 10
    lines = [
        "| rows | with sets | a bag has | right | votes: area | error | hidden: area | error |",
        "|---" * 8 + "|",
    ]
    for case in CASES:
        table = np.array([judged(*case, seed) for seed in range(n_seeds)])
        cells = []
        for values in table.T:
            known = values[~np.isnan(values)]
            error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else np.nan
            cells.append(f"{known.mean():.3f} ± {error:.3f}" if len(known) else "all are right")
        name, share, size = case
        lines.append(f"| {name} | {share:.0%} | {size} rows | {' | '.join(cells)} |")
    text = "\n".join(
        [
            "## Confidence in labels from bags",
            "",
            provenance("python -m benchmarks.bag_confidence", seeds=f"0 to {n_seeds - 1}"),
            "",
            "Area: under the ROC curve, right against wrong labels of rows with several "
            "candidates. Error: expected calibration error. Means over seeds with their standard "
            "errors. The weighting is kernel ridge as it is.",
            "",
            *lines,
        ]
    )
    print(text)
    if options.write:
        write_section("bag confidence", text)


if __name__ == "__main__":
    main()
