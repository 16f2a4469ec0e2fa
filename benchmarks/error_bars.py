"""Real measurements with error bars: learners that use them against those that do not.

python -m benchmarks.error_bars prints the table of docs/uncertain.md, or the part of the data sets
that are named: wdbc, wpbc, vowels, few_vowels; --repeats 20 for more than eight repeats. After each
set it counts the comparisons with single rivals in which the family is behind, with p-values that
are corrected for their number (Holm). All sets but WDBC are read from the folder STAKES_DATA.
"""

import argparse
import os
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import norm
from sklearn.svm import SVC, LinearSVC

from stakes.compare import Contestant
from stakes.compare._contestants import baselines
from stakes.compare._error_bars import BLEND, SHRUNK, error_bar_contestants
from stakes.compare._fit import fit_contestant
from stakes.compare._plan import seed_of, split
from stakes.datasets import load_wdbc_uncertain
from stakes.decision import BayesDecisionClassifier
from stakes.tables import PricedData, join_replicates, read_errors, replicate_correlation

FOLDS = 5
SEED = 2  # splits that nothing was chosen on
FN_COST, REVIEW = 5.0, 0.5
PLAIN = ("logistic regression", "hist gradient boosting", "LightGBM")
FRONT = ("hid", "hId", "hEd", "hAd")  # vowels of heed, hid, head and had


def main():
    sets = dict(wdbc=wdbc, wpbc=wpbc, vowels=vowels, few_vowels=partial(vowels, least=1))
    options = argparse.ArgumentParser()
    options.add_argument("sets", nargs="*", metavar="SET", help=", ".join(sets))
    options.add_argument("--repeats", type=int, default=8)
    asked = options.parse_args()
    print(
        "| data | learner | error (%) | s.e. of the difference | cost per row | "
        "s.e. of the difference |"
    )
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for data, unit in (sets[name]() for name in asked.sets or sets):
        learners = [family(), *rivals()]
        scores = {one.name: out_of_fold(one, data, asked.repeats) for one in learners}
        least = [min(rivals(), key=lambda one: scores[one.name][:, k].mean()).name for k in (0, 1)]
        for name, each in scores.items():
            words = []
            for k in (0, 1):
                _, error = paired(each[:, k], scores[least[k]][:, k], unit)
                scale = 100 if k == 0 else 1
                best = " (best rival)" if name == least[k] else ""
                words += [f"{scale * each[:, k].mean():.3g}{best}", f"{scale * error:.2g}"]
            print(f"| {data.name} | {name} | {' | '.join(words)} |", flush=True)
        print(f"\n{data.name}: {against_each(scores, unit)}\n", flush=True)


def paired(ours, theirs, unit):
    """Mean difference of two learners and its standard error.

    The splits of repeated cross-validation overlap, so that folds are not independent. Rows are,
    once the losses of each are averaged over the repeats, and so are units of rows that belong
    together, such as those of one speaker. tests/uncertain/test_paired.py holds the coverage.
    """
    away = ours - theirs
    total = np.bincount(unit, weights=away - away.mean())
    g = len(total)
    return away.mean(), np.sqrt(g / (g - 1) * (total**2).sum()) / len(away)


def against_each(scores, unit):
    """In how many comparisons with a single rival the family is behind, and how surely."""
    ours, *names = scores
    behind, count = {}, 0
    for name in names:
        for k, what in enumerate(("error", "cost")):
            away, error = paired(scores[ours][:, k], scores[name][:, k], unit)
            count += 1
            if away > 0:
                behind[name, what] = away / error
    # Holm: the j-th smallest p-value times the number of comparisons that are left
    order = sorted(behind, key=lambda one: -behind[one])
    p = [min(1.0, 2 * norm.sf(behind[one]) * (count - j)) for j, one in enumerate(order)]
    p = np.maximum.accumulate(p) if p else []
    words = [
        f"{name}, {what}, by {behind[name, what]:.1f} standard errors (corrected p {each:.2f})"
        for (name, what), each in zip(order, p, strict=True)
    ]
    return f"behind in {len(behind)} of {count} comparisons" + "".join(f"; {w}" for w in words)


def family():
    """The mean of the members of the family, each with its C chosen in inner folds."""
    return next(one for one in error_bar_contestants() if one.name == BLEND)


def rivals():
    """Shrunk means, and what ignores error bars: logistic, support vectors and boosting."""
    wanted = [f"{name}, Bayes decision" for name in PLAIN]
    machines = {
        "linear SVM, calibrated": (LinearSVC(), {"estimator__C": [0.01, 0.1, 1.0]}),
        "RBF SVM, calibrated": (SVC(), {"estimator__C": [0.1, 1.0, 10.0]}),
    }
    return [
        *(one for one in error_bar_contestants() if one.name == SHRUNK),
        *(one for one in baselines() if one.name in wanted),
        *(
            Contestant(
                name,
                "baseline",
                BayesDecisionClassifier(svm, calibration="sigmoid", costs_in_training=False),
                grid,
            )
            for name, (svm, grid) in machines.items()
        ),
    ]


def out_of_fold(contestant, data, repeats):
    """Mistake at 0.5 and cost with reviews of each row, means over the repeats."""
    # as a baseline: the learner itself, also where a constant policy would replace it
    contestant = replace(contestant, family="baseline")
    found = np.zeros((len(data), 2))
    for repeat in range(repeats):
        seed = seed_of(SEED, data.name, repeat)
        for fold in range(FOLDS):
            train, test = split(data, seed, fold, FOLDS)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model, _, _ = fit_contestant(contestant, data.take(train), seed, tune=True)
            part = data.take(test)
            p = np.asarray(model.predict_proba(part.X))[:, 1]
            positive = part.y == 1
            found[test, 0] += (p > 0.5) != positive
            options = np.column_stack([p * FN_COST, 1 - p, np.full(len(p), REVIEW)])
            action = options.argmin(axis=1)
            paid = np.select([action == 0, action == 1], [FN_COST * positive, ~positive], REVIEW)
            found[test, 1] += paid
    return found / repeats


def wdbc():
    """Ten means over the nuclei of an image with their standard errors."""
    data = load_wdbc_uncertain(n_nuclei=1)
    names = [f"x{j}" for j in range(10)]
    frame = pl.DataFrame(dict(zip(names, data.X.T, strict=True)))
    errors = {f"{name}_se": np.sqrt(data.var[:, j]) for j, name in enumerate(names)}
    return priced("WDBC", frame.with_columns(**errors), data.y)


def wpbc():
    """The same measurements of patients whose cancer came back or not."""
    table = pl.read_csv(folder() / "wpbc.csv.gz", null_values="?")
    names = [name for name in table.columns if f"{name}_se" in table.columns]
    frame = table.select([*names, *(f"{name}_se" for name in names)])
    return priced("WPBC", frame, (table["target"] == "R").to_numpy().astype(int))


def vowels(least=6):
    """Speakers who said each vowel six times; with `least` = 1, some of them fewer times."""
    table = pl.read_csv(folder() / "vowel.csv.gz")
    table = table.with_columns(id=pl.col("Speaker Number") + pl.col("target"))
    if least < 6:
        rng = np.random.default_rng(0)
        table = table.with_columns(order=pl.int_range(pl.len()).over("id"))
        kept = {
            name: int(rng.integers(least, 7)) for name in table["id"].unique(maintain_order=True)
        }
        table = table.filter(
            pl.col("order") < pl.col("id").replace_strict(kept, return_dtype=pl.Int64)
        ).drop("order")
    each = table.group_by("id", maintain_order=True).agg(pl.all().first())
    features = [name for name in table.columns if name.startswith("Feature")]
    table = table.select(["id", *features])
    frame, errors, _ = join_replicates(table, "id")
    correlation = replicate_correlation(table, "id", list(errors))
    y = each["target"].is_in(FRONT).to_numpy().astype(int)
    speakers = np.unique(each["Speaker Number"].to_numpy(), return_inverse=True)[1]
    name = "vowels, 6 replicates" if least == 6 else "vowels, 1 to 6 replicates"
    known = dict(errors=errors, error_correlation=correlation)
    return PricedData(name, frame.drop("id"), y, fn_cost=FN_COST, **known), speakers


def priced(name, frame, y):
    errors = read_errors(["*=*_se"], frame.columns)
    return PricedData(name, frame, y, fn_cost=FN_COST, errors=errors), np.arange(len(y))


def folder():
    return Path(os.environ["STAKES_DATA"])


if __name__ == "__main__":
    main()
