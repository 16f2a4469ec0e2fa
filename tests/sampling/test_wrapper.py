"""The wrapper raises each level only while the AUC rises, and never samples what it scores on."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from stakes.sampling import WrapperSampler


def rare_class(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X @ [1.0, 1.0, 0.0] + rng.normal(size=n) > 2.0).astype(int)
    return X, y


class Scripted(LogisticRegression):
    """A classifier whose held-out score is a function of the sample that it was fitted on."""

    def __init__(self, score_of=None):
        super().__init__()
        self.score_of = score_of

    def fit(self, X, y):
        self.said_ = self.score_of((y == 0).sum(), (y == 1).sum())
        return super().fit(X, y)


def scripted(model, X, y):
    return model.said_


def test_levels_rise_while_the_score_does():
    X, y = rare_class()
    negatives, positives = (y == 0).sum() // 2, (y == 1).sum() // 2  # of a training half

    def score_of(common, rare):
        return -abs(common / negatives - 0.62) - abs(rare / positives - 3.1)

    sampler = WrapperSampler(Scripted(score_of), scoring=scripted, cv=2, random_state=0)
    _, y_new = sampler.fit_resample(X, y)
    assert (round(sampler.majority_share_, 9), sampler.smote_share_) == (0.6, 2.0)
    tried = [(round(kept, 9), added) for kept, added, _ in sampler.path_]
    assert tried == [
        (1, 0),
        (0.9, 0),
        (0.8, 0),
        (0.7, 0),
        (0.6, 0),
        (0.5, 0),
        (0.6, 0),
        (0.6, 1),
        (0.6, 2),
        (0.6, 3),
    ]
    assert (y_new == 0).sum() == round(0.6 * (y == 0).sum())
    assert (y_new == 1).sum() == 3 * (y == 1).sum()


def test_patience_goes_over_a_dip():
    X, y = rare_class()
    full = (y == 0).sum() // 2

    def score_of(common, rare):
        return {10: 0.5, 9: 0.4, 8: 0.6}.get(round(10 * common / full), 0.0) - rare

    found = [
        WrapperSampler(Scripted(score_of), scoring=scripted, cv=2, patience=patience)
        .fit(X, y)
        .majority_share_
        for patience in (1, 2)
    ]
    assert np.round(found, 9).tolist() == [1.0, 0.8]


def test_nothing_gained_leaves_the_data_alone():
    X, y = rare_class()
    sampler = WrapperSampler(Scripted(lambda common, rare: 0.5), scoring=scripted, cv=2)
    X_new, y_new = sampler.fit_resample(X, y)
    np.testing.assert_array_equal(X_new, X)
    np.testing.assert_array_equal(y_new, y)


def test_held_out_rows_are_never_sampled(rng):
    X, y = rare_class(seed=int(rng.integers(1000)))
    rows = {tuple(row) for row in X}
    looked_at = []

    def scoring(model, X_test, y_test):
        looked_at.append(X_test)
        return roc_auc_score(y_test, model.predict_proba(X_test)[:, 1])

    cv = StratifiedKFold(2, shuffle=True, random_state=1)
    tree = DecisionTreeClassifier(min_samples_leaf=5)
    WrapperSampler(tree, scoring=scoring, cv=cv, random_state=0).fit_resample(X, y)
    halves = [X[test] for _, test in cv.split(X, y)]
    assert all(tuple(row) in rows for row in looked_at[0])
    for k, held_out in enumerate(looked_at):
        np.testing.assert_array_equal(held_out, halves[k % 2])


def test_the_first_score_is_that_of_plain_cross_validation():
    X, y = rare_class()
    cv = StratifiedKFold(2, shuffle=True, random_state=1)
    sampler = WrapperSampler(LogisticRegression(), cv=cv, random_state=0).fit(X, y)
    plain = [
        roc_auc_score(
            y[test], LogisticRegression().fit(X[train], y[train]).decision_function(X[test])
        )
        for train, test in cv.split(X, y)
    ]
    assert sampler.path_[0] == (1.0, 0.0, pytest.approx(np.mean(plain)))
    best = max(score for _, _, score in sampler.path_)
    chosen = sampler.majority_share_, sampler.smote_share_
    assert next(s for kept, added, s in sampler.path_ if (kept, added) == chosen) == best


def test_the_same_seed_gives_the_same_sample():
    X, y = rare_class()
    frame = pl.DataFrame(X, schema=["a", "b", "c"])
    first = WrapperSampler(random_state=5).fit_resample(frame, y)
    second = clone(WrapperSampler(random_state=5)).fit_resample(frame, y)
    assert first[0].equals(second[0]) and first[0].columns == ["a", "b", "c"]
    np.testing.assert_array_equal(first[1], second[1])


def test_three_classes_are_refused():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        WrapperSampler().fit_resample(np.eye(6), [0, 1, 2, 0, 1, 2])


WITHOUT = """
import sys
sys.modules["imblearn"] = None
import numpy as np
from stakes.compare import contestants
from stakes.sampling import CostingClassifier, SafeLevelSMOTE, WrapperSampler
X, y = np.arange(20.0)[:, None], np.arange(20) % 4 // 3
print(CostingClassifier(fn_cost=3.0, random_state=0).fit(X, y).predict(X).shape)
assert any(c.name == "CostingClassifier" for c in contestants(["sampling"]))
for sampler in (SafeLevelSMOTE(), WrapperSampler()):
    try:
        sampler.fit_resample(X, y)
    except ValueError as error:
        print(error)
"""


def test_without_imbalanced_learn_one_sentence_names_the_way_out():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "(20,)" and len(lines) == 3
    assert all(line.endswith("pip install 'stakes[imbalanced-learn]'") for line in lines[1:])


def test_any_scorer_of_scikit_learn_may_be_named():
    X, y = rare_class(120)
    names = "balanced_accuracy", "neg_log_loss"
    for scoring in names:
        sampler = WrapperSampler(LogisticRegression(), cv=2, scoring=scoring, random_state=0)
        sampler.fit_resample(X, y)
        assert (sampler.path_[0][2] < 0) == (scoring == "neg_log_loss")
    with pytest.raises(ValueError, match="'scoring' parameter of WrapperSampler"):
        WrapperSampler(scoring="auk").fit_resample(X, y)


@pytest.mark.parametrize("y", [[0, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0], [0, 0, 1], [0, 1], [1] * 9])
def test_too_few_examples_are_named(y):
    X = np.arange(2.0 * len(y)).reshape(-1, 2)
    with pytest.raises(ValueError, match=r"needs four of each class|only one class"):
        WrapperSampler(random_state=0).fit_resample(X, y)


def test_a_fold_of_one_class_is_named():
    X, y = rare_class()
    order = np.argsort(y)
    with pytest.raises(ValueError, match="use stratified folds"):
        WrapperSampler(cv=KFold(2), random_state=0).fit_resample(X[order], y[order])
