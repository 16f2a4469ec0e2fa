"""Kernel machines, and learners that vote: what is not a line or a tree alone."""

import numpy as np
from scipy import sparse

from stakes._core.jit.prequential import line_of
from stakes.errors import InputError
from stakes.export._converters import Scores, convert, converts, two
from stakes.export._tree_models import add_sklearn_tree
from stakes.export._trees import Trees


def kernel_values(X, rows, kernel, gamma, coef0, degree, center=None):
    """The kernel between each row of X and each of some rows."""
    rows = rows.toarray() if sparse.issparse(rows) else np.asarray(rows, dtype=np.float64)
    if callable(kernel):
        raise InputError("A model with a kernel of your own cannot be exported to ONNX.")
    if kernel == "rbf":  # about their mean, where squared distances lose fewer digits
        center = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
    if center is not None:
        X, rows = X - center[None, :], rows - center
    product = X @ rows.T
    if kernel == "linear":
        return product
    if kernel == "rbf":
        squares = (X * X).op("ReduceSum", X.graph.vector([1]), keepdims=1)
        distance = squares + (rows**2).sum(axis=1)[None, :] - 2.0 * product
        return (distance.op("Max", 0.0) * -float(gamma)).op("Exp")
    inner = product * float(gamma) + float(coef0)
    if kernel == "poly":
        return inner.op("Pow", float(degree))
    if kernel == "sigmoid":
        return inner.op("Tanh")
    raise InputError(f"A model with kernel={kernel!r} cannot be exported to ONNX.")


@converts("stakes.svm._kernel_svc.KernelSVC")
def _kernel_svc(model, X):
    if model.constant_:
        return _squashed(model, X.take([0]) * 0.0 + model.intercept_[0])
    if hasattr(model, "feature_map_"):
        z = convert(model.feature_map_, X) @ model.coef_[0][:, None]
        return _squashed(model, z + model.intercept_[0])
    gram = model._gram(model.support_vectors_)
    beta, how = model.dual_coef_[0], (model.kernel, model.gamma_, model.coef0, model.degree)
    K = kernel_values(X, model.support_vectors_, *how, center=gram.center)
    return _squashed(model, K @ beta[:, None] + (gram.shift(beta) + model.intercept_[0]))


@converts("sklearn.kernel_approximation.RBFSampler")
def _random_features(model, X):
    angles = X @ model.random_weights_ + model.random_offset_[None, :]
    return angles.op("Cos") * np.sqrt(2.0 / model.n_components)


@converts("sklearn.kernel_approximation.Nystroem")
def _landmarks(model, X):
    how = model.kernel, model.gamma, model.coef0 or 0.0, model.degree or 0.0
    K = kernel_values(X, model.components_, *how)
    return K @ model.normalization_.T


@converts("stakes.svm._base.PricedSVC")
def _linear_svc(model, X):
    return _squashed(model, X @ model.coef_[0][:, None] + model.intercept_[0])


def _squashed(model, z):
    """The scores, and the probability by a link of what grows slowly beyond the margin."""
    if model.calibration is None:
        return Scores(score=z)
    size = z.op("Abs")
    far = z.op("Sign") * (1.0 + 0.25 * size.op("Max", 1.0).op("Log"))
    squashed = z.graph.where(size <= 1.0, z, far)
    (odds, *knots), slopes = model.calibration_.tolist()
    cuts = -np.inf, *knots, np.inf
    for slope, low, high in zip(slopes, cuts[:-1], cuts[1:], strict=True):
        piece = squashed.op("Max", low).op("Min", high) - float(np.clip(0.0, low, high))
        odds = piece * slope + odds
    return Scores(odds.sigmoid(), z)


@converts("stakes.qmean._kernel.KernelQuadraticMeanClassifier")
def _kernel_quadratic_mean(model, X):
    two(model)
    how = model.kernel, model.gamma_, model.coef0, model.degree
    z = kernel_values(X, model.landmarks_, *how) @ model.dual_coef_.T + model.intercept_
    if model.loss != "logistic":
        return Scores(score=z)
    return Scores((z - (model._log_weight[1] - model._log_weight[0])).sigmoid(), z)


@converts("stakes.online_kernel._base.KernelOnline")
def _kernel_online(model, X):
    z = X.take([0]) * 0.0
    if len(model.support_):
        how = model.kernel, model._store.support.gamma, model.coef0, model.degree
        z = kernel_values(X, model.support_vectors_, *how) @ model.dual_coef_.T
    z = z + model.intercept_
    scale, slope, offset = line_of(model._calibration)
    odds = offset + slope * (z / scale)
    return Scores(odds.sigmoid(), odds if model._log_odds else z)


@converts("stakes.game._stackelberg.StackelbergClassifier")
def _linear_scores(model, X):
    two(model)
    return Scores(score=X @ model.coef_[0][:, None] + model.intercept_[0])


@converts("stakes.sampling._costing.CostingClassifier")
def _costing(model, X):
    votes = []
    for one in model.estimators_:
        if len(one.classes_) == 1:
            votes.append(X.take([0]) * 0.0 + (1.0 if one.classes_[0] else -1.0))
            continue
        found = convert(one, X)
        if model.voting != "hard":
            votes.append(2.0 * found.probability - 1.0)
            continue
        positive = found.positive
        if positive is None:
            positive = found.score > 0.0 if found.score is not None else found.probability > 0.5
        votes.append(2.0 * positive.cast() - 1.0)
    mean = X.graph.join(votes).op("ReduceMean", X.graph.vector([1]), keepdims=1)
    return Scores(score=mean)


@converts("stakes.svm._boost.CostSensitiveBoost")
def _boost(model, X):
    """The sum of signed steps, and the closed form of the probability."""
    trees, graph = Trees(), X.graph
    for step, tree in zip(model.estimator_weights_, model.estimators_, strict=True):
        signs = tree.classes_[tree.tree_.value[:, 0, :].argmax(axis=1)]
        add_sklearn_tree(trees, tree.tree_, (step * signs)[:, None])
    z = trees.sum(X.cast(np.float32).cast())
    negative, positive = model.cost_levels_
    odds = graph.constant(0.0)
    for c, sign in ((negative, 1.0), (positive, -1.0)):
        if not (c > 0).any():
            odds = odds + sign * np.inf
            continue
        there = c[c > 0]
        exponent = z * (sign * there)[None, :] + np.log(there / len(c))[None, :]
        total = exponent.op("ReduceLogSumExp", graph.vector([1]), keepdims=1)
        odds = odds + sign * total
    return Scores(odds.sigmoid(), z)
