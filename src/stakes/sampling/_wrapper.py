"""Amounts of under-sampling and SMOTE, chosen by cross-validated AUC (thesis, Section 3.6)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import RepeatedStratifiedKFold, check_cv
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from stakes._core.docs import documented
from stakes._core.labels import code_labels
from stakes._core.sklearn_private import HasMethods, Interval, StrOptions
from stakes.sampling._base import Sampler, imbalanced_learn, like_given

SEEDS = np.iinfo(np.int32).max


@documented()
@dataclass(eq=False, repr=False)
class WrapperSampler(Sampler):
    r"""Balances the classes only as far as a classifier benefits.

    First the majority is under-sampled in steps as long as the classifier's cross-validated AUC
    rises; then, with that share kept, the minority is over-sampled by SMOTE in steps as long as it
    rises again. Only training folds are resampled.

    Parameters
    ----------
    estimator : classifier, default=None
        Classifier to score; None: scikit-learn's decision tree with at least two examples per leaf.
    under_step : float, default=0.1
        Share of the majority removed by each step.
    smote_step : float, default=1.0
        Synthetic examples added by each step, as a share of the minority.
    max_smote : float, default=10.0
        Maximum share of synthetic examples.
    patience : int, default=1
        Number of steps without improvement after which a search stops.
    k_neighbors : int, default=5
        Neighbors of SMOTE; fewer if the minority of a fold is smaller.
    cv : int, splitter or None, default=None
        Folds; None: two folds repeated five times, as in the thesis.
    scoring : str or callable, default="roc_auc"
        Scorer to maximize: a name in scikit-learn, or a callable.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, the samples and the estimator.

    Attributes
    ----------
    majority_share_ : float
        Share of the majority that is kept.
    smote_share_ : float
        Synthetic examples, as a share of the minority.
    path_ : list of (float, float, float)
        All levels tried: share kept, share added, mean score.
    [seen]

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

    estimator: object = None
    _: KW_ONLY
    under_step: float = 0.1
    smote_step: float = 1.0
    max_smote: float = 10.0
    patience: int = 1
    k_neighbors: int = 5
    cv: object = None
    scoring: str = "roc_auc"
    random_state: int | np.random.RandomState | None = None

    def fit_resample(self, X, y):
        """Search for both levels, then resample the training set at them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples, numbers only.
        y : array-like of shape (n,)
            Labels of two classes.

        Returns
        -------
        (X, y)
        """
        self._validate_params()
        imbalanced_learn("over_sampling", self)
        values, labels = self._validate(X, y)
        code_labels(labels)  # raises unless there are two classes
        kinds, counts = np.unique(labels, return_counts=True)
        if counts.min() < 4:  # two in each half, so that a model is trained and tested on both
            raise ValueError(
                f"Class {str(kinds[counts.argmin()])!r} has {counts.min()} example(s), and the "
                "search for the levels needs four of each class; collect more examples."
            )
        random = check_random_state(self.random_state)
        self._seed = int(random.randint(SEEDS))
        cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=self._seed)
        folds = list(check_cv(self.cv or cv, labels, classifier=True).split(values, labels))
        for rows in (part for fold in folds for part in fold):
            if len(np.unique(labels[rows])) < 2:
                raise ValueError(
                    "A fold of cv has rows of only one class; use stratified folds, which have "
                    "both classes in each part."
                )
        self.path_ = []
        kept = 1.0 - self.under_step * np.arange(int(np.ceil(1.0 / self.under_step - 1e-9)))
        keep = self._climb([(share, 0.0) for share in kept], values, labels, folds)[0]
        added = self.smote_step * np.arange(int(self.max_smote / self.smote_step + 1e-9) + 1)
        levels = [(keep, share) for share in added]
        self.majority_share_, self.smote_share_ = self._climb(levels, values, labels, folds)
        sample = self._sample(values, labels, self.majority_share_, self.smote_share_)
        return like_given(sample[0], X), sample[1]

    def _climb(self, levels, X, y, folds):
        """The best level, searched until `patience` steps bring no improvement."""
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
        """Mean score on held-out rows, which are not resampled; each level is scored once."""
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
        """Resample some rows at the given levels."""
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
