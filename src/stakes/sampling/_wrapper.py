"""How much to under-sample and to SMOTE, found by cross-validated AUC (thesis, Section 3.6)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import RepeatedStratifiedKFold, check_cv
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from stakes._core.labels import code_labels
from stakes._core.sklearn_private import HasMethods, Interval, StrOptions
from stakes.sampling._base import Sampler, imbalanced_learn, like_given

SEEDS = np.iinfo(np.int32).max


class WrapperSampler(Sampler):
    r"""Balances the classes only as far as a classifier gains by it.

    First the majority is under-sampled, in steps, as long as the classifier's cross-validated
    AUC rises; then, with that share kept, the minority is over-sampled by SMOTE, in steps, as long
    as it rises again. Only training folds are sampled, held-out ones stay as they are.

    Parameters
    ----------
    estimator : classifier, default=None
        Whose AUC is looked at; None: scikit-learn's decision tree with leaves of two or more.
    under_step : float, default=0.1
        Share of the majority that a step takes away.
    smote_step : float, default=1.0
        Synthetic examples that a step adds, as a share of the minority.
    max_smote : float, default=10.0
        Where the second search ends at the latest.
    patience : int, default=1
        A search ends after so many steps without a gain.
    k_neighbors : int, default=5
        Of SMOTE; fewer where a fold's minority is smaller.
    cv : int, splitter or None, default=None
        The folds; None: five times two, as in the thesis.
    scoring : str or callable, default="roc_auc"
        What must rise: the name of one of scikit-learn's scorers, or a scorer.
    random_state : int, RandomState instance or None, default=None
        For folds, samples and the estimator.

    Attributes
    ----------
    majority_share_ : float
        Share of the majority that is kept.
    smote_share_ : float
        Synthetic examples, as a share of the minority.
    path_ : list of (float, float, float)
        All levels that were tried: share kept, share added, mean score.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    .. [1] N. V. Chawla, D. A. Cieslak, L. O. Hall, A. Joshi. "Automatically Countering Imbalance
       and Its Empirical Relationship to Cost". Data Mining and Knowledge Discovery 17, 2008.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(600, weights=[0.9], flip_y=0.05, random_state=1)
    >>> sampler = WrapperSampler(random_state=0)
    >>> X_new, y_new = sampler.fit_resample(X, y)
    >>> np.bincount(y).tolist(), np.bincount(y_new).tolist()
    ([530, 70], [530, 140])
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit"]), None],
        "under_step": [Interval(Real, 0, 1, closed="neither")],
        "smote_step": [Interval(Real, 0, None, closed="neither")],
        "max_smote": [Interval(Real, 0, None, closed="left")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "k_neighbors": [Interval(Integral, 1, None, closed="left")],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        under_step=0.1,
        smote_step=1.0,
        max_smote=10.0,
        patience=1,
        k_neighbors=5,
        cv=None,
        scoring="roc_auc",
        random_state=None,
    ):
        self.estimator = estimator
        self.under_step = under_step
        self.smote_step = smote_step
        self.max_smote = max_smote
        self.patience = patience
        self.k_neighbors = k_neighbors
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state

    def fit_resample(self, X, y):
        """Search both levels, then sample the whole training set at them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples, numbers only.
        y : array-like of shape (n,)
            Their labels, of two classes.

        Returns
        -------
        (X, y)
        """
        self._validate_params()
        imbalanced_learn("over_sampling", self)
        values, labels = self._validate(X, y)
        code_labels(labels)  # refuses other than two classes
        random = check_random_state(self.random_state)
        self._seed = int(random.randint(SEEDS))
        cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=self._seed)
        folds = list(check_cv(self.cv or cv, labels, classifier=True).split(values, labels))
        self.path_ = []
        kept = 1.0 - self.under_step * np.arange(int(np.ceil(1.0 / self.under_step - 1e-9)))
        keep = self._climb([(share, 0.0) for share in kept], values, labels, folds)[0]
        added = self.smote_step * np.arange(int(self.max_smote / self.smote_step + 1e-9) + 1)
        levels = [(keep, share) for share in added]
        self.majority_share_, self.smote_share_ = self._climb(levels, values, labels, folds)
        sample = self._sample(values, labels, self.majority_share_, self.smote_share_)
        return like_given(sample[0], X), sample[1]

    def _climb(self, levels, X, y, folds):
        """The best level before as many steps without a gain as patience allows."""
        best, best_score, failed = levels[0], -np.inf, 0
        for level in levels:
            score = self._score(level, X, y, folds)
            self.path_.append((float(level[0]), float(level[1]), score))
            if score > best_score:
                best, best_score, failed = level, score, 0
            else:
                failed += 1
            if failed >= self.patience:
                break
        return float(best[0]), float(best[1])

    def _score(self, level, X, y, folds):
        """Mean score on held-out rows, which are never sampled; a level is looked at once."""
        for kept, added, score in self.path_:
            if (kept, added) == tuple(map(float, level)):
                return score
        found = []
        for train, test in folds:
            model = clone(self._inner())
            seeded = {n: self._seed for n in model.get_params() if n == "random_state"}
            model.set_params(**seeded).fit(*self._sample(X[train], y[train], *level))
            found.append(check_scoring(model, scoring=self.scoring)(model, X[test], y[test]))
        return float(np.mean(found))

    def _sample(self, X, y, keep, add):
        """One part of the data at the given levels."""
        kinds, counts = np.unique(y, return_counts=True)
        rare, common = kinds[counts.argmin()], kinds[1 - counts.argmin()]
        if keep < 1.0:
            under = imbalanced_learn("under_sampling", self).RandomUnderSampler
            size = max(1, round(keep * counts.max()))
            X, y = under(sampling_strategy={common: size}, random_state=self._seed).fit_resample(
                X, y
            )
        neighbors = min(self.k_neighbors, counts.min() - 1)
        if add > 0.0 and neighbors >= 1:
            smote = imbalanced_learn("over_sampling", self).SMOTE
            size = round((1.0 + add) * counts.min())
            X, y = smote(
                sampling_strategy={rare: size}, k_neighbors=neighbors, random_state=self._seed
            ).fit_resample(X, y)
        return X, y

    def _inner(self):
        if self.estimator is None:
            return DecisionTreeClassifier(min_samples_leaf=2)
        return self.estimator
