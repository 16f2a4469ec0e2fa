"""The learners of Chapter 5: with the thesis's settings, and with a tuned penalty."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from stakes.qmean import QuadraticMeanClassifier, QuadraticMeanRegressor
from stakes.sampling import SafeLevelSMOTE
from stakes.tree import ConfidenceTreeClassifier

THESIS_LAMBDA = 0.5
ALPHAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
SEARCHED = 3000  # rows of a training half used to tune alpha; fewer than all only for S.agnostic
# column -> loss and type of mean
THESIS = {
    "LogR": ("logistic", "arithmetic"),
    "LogRQ": ("logistic", "quadratic"),
    "Hinge": ("hinge", "arithmetic"),
    "HingeQ": ("hinge", "quadratic"),
    "Huber": ("huber", "arithmetic"),
    "HuberQ": ("huber", "quadratic"),
}
Z_SCORES = {f"{column}, z-scores": how for column, how in THESIS.items()}
TREES = {"CCPDT": "ccp_entropy", "HDDT": "hellinger"}
SAMPLED = {"LogR-S": "logistic", "Hinge-S": "hinge", "Huber-S": "huber"}
LIBLINEAR = {  # our name of its loss -> its own name, and its maximum number of iterations
    "squared_hinge": ("squared_hinge", 2000),
    "liblinear_hinge": ("hinge", 1000),
}
TUNED = {
    "LogR tuned": ("logistic", "arithmetic"),
    "LogR balanced, tuned": ("logistic", "balanced"),
    "LogRQ tuned": ("logistic", "quadratic"),
    "Liblinear balanced, tuned": ("squared_hinge", "balanced"),
    "Hinge balanced, tuned": ("liblinear_hinge", "balanced"),
}


def classifier(loss, kind, y, alpha, penalise_intercept):
    """One linear learner; the three kinds differ only in the mean over the losses."""
    settings = dict(
        loss=loss, alpha=alpha, regularize_intercept=penalise_intercept, tol=1e-4, max_iter=300
    )
    if kind == "quadratic":
        return QuadraticMeanClassifier(**settings)
    if kind == "balanced":
        return QuadraticMeanClassifier(p=1.0, **settings)
    # shares in proportion to the class sizes: the plain mean over all examples
    sizes = dict(fn_cost=float(y.sum()), fp_cost=float(len(y) - y.sum()))
    return QuadraticMeanClassifier(p=1.0, class_share="cost", **sizes, **settings)


def thesis_scores(column, X, y, X_test, seed):
    """Scores as in Section 5.6, lambda = 1/2 also on the intercept; in [0, 1] or as z-scores."""
    loss, kind = (THESIS | Z_SCORES)[column]
    scaler = (standard_scaler(X) if column in Z_SCORES else unit_scaler(X)).fit(X)
    model = fitted(classifier(loss, kind, y, THESIS_LAMBDA, True), scaler.transform(X), y)
    return model.decision_function(scaler.transform(X_test))


def liblinear_scores(column, X, y, X_test, seed):
    """LIBLINEAR at its defaults on features in [0, 1]."""
    scaler = unit_scaler(X).fit(X)
    model = fitted(LinearSVC(random_state=0), scaler.transform(X), y)
    return model.decision_function(scaler.transform(X_test))


def tuned_scores(column, X, y, X_test, seed):
    """Scores with standardised features, a free intercept and the best alpha of a 3-fold search."""
    scaler = standard_scaler(X).fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    best = _best_alpha(column, X[:SEARCHED], y[:SEARCHED], seed)
    return fitted(_tuned(column, y, best), X, y).decision_function(X_test)


def _best_alpha(column, X, y, seed):
    found = np.zeros(len(ALPHAS))
    for train, test in StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y):
        for place, alpha in enumerate(ALPHAS):
            model = fitted(_tuned(column, y[train], alpha), X[train], y[train])
            found[place] += average_precision_score(y[test], model.decision_function(X[test]))
    return ALPHAS[int(found.argmax())]


def _tuned(column, y, alpha):
    loss, kind = TUNED[column]
    if loss in LIBLINEAR:
        C = 1 / (2 * alpha * len(y))  # its objective is |w|^2 / 2 + C times the sum of the losses
        its_loss, passes = LIBLINEAR[loss]
        return LinearSVC(loss=its_loss, C=C, class_weight=kind, random_state=0, max_iter=passes)
    return classifier(loss, kind, y, alpha, False)


def tree_scores(column, X, y, X_test, seed):
    """Class-confidence and Hellinger trees of this library."""
    X, X_test = (M.toarray() if sparse.issparse(M) else M for M in (X, X_test))
    return tree(TREES[column]).fit(X, y).predict_proba(X_test)[:, 1]


def tree(criterion="ccp_entropy"):
    """A tree of this library, pruned by Fisher's test, with Laplace smoothing in its leaves."""
    return ConfidenceTreeClassifier(
        criterion=criterion,
        pruning="fisher",
        min_samples_leaf=2,
        smoothing=1.0,
        smoothing_target="uniform",
    )


def sampled_scores(column, X, y, X_test, seed):
    """A conventional learner after safe-level SMOTE, lambda = 1/2."""
    scaler = unit_scaler(X).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # no example is safe: nothing is added
        X_new, y_new = SafeLevelSMOTE(random_state=seed).fit_resample(scaler.transform(X), y)
    model = classifier(SAMPLED[column], "arithmetic", y_new, THESIS_LAMBDA, True)
    return fitted(model, X_new, y_new).decision_function(scaler.transform(X_test))


def regression(loss, kind, alpha, penalise_intercept):
    """One linear regression, over all examples or over the halves around the median."""
    return QuadraticMeanRegressor(
        loss=loss,
        n_groups=2 if kind == "quadratic" else 1,
        alpha=alpha,
        regularize_intercept=penalise_intercept,
        epsilon=0.01,
        tol=1e-4,
        max_iter=300,
    )


def unit_scaler(X):
    """To [0, 1]; sparse data keep their zeros."""
    return MaxAbsScaler() if sparse.issparse(X) else MinMaxScaler()


def standard_scaler(X):
    """To unit variance; sparse data are not centred."""
    return StandardScaler(with_mean=not sparse.issparse(X))


def fitted(model, X, y):
    """The fitted model, without convergence warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # 1e-4 of the objective is accurate enough
        return model.fit(X, y)
