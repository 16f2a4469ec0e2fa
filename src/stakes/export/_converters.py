"""From a class of models to the part of a graph that computes its scores and probabilities."""

from dataclasses import dataclass

import numpy as np

from stakes.errors import InputError
from stakes.export._graph import Value
from stakes.export._normal import normal_cdf

CONVERTERS = {}  # class, by module and name -> function of the model and its input
SKIPPED = (None, "passthrough")


@dataclass
class Scores:
    """What a model says about each row.

    Attributes
    ----------
    probability : Value or None
        With two classes the probability of the positive one, shape (n, 1); else all, (n, k).
    score : Value or None
        What `decision_function` returns, shape (n, 1).
    positive : Value or None
        Decisions of `predict` without costs, if they are not those of a positive score.
    """

    probability: Value = None
    score: Value = None
    positive: Value = None


def converts(*names):
    """Register a function for classes, by their qualified names."""

    def register(function):
        CONVERTERS.update(dict.fromkeys(names, function))
        return function

    return register


def name_of(cls):
    """Module and name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


def convert(model, X):
    """Scores, or the transformed table, of any model that can be exported."""
    for cls in type(model).__mro__:
        if name_of(cls) in CONVERTERS:
            return CONVERTERS[name_of(cls)](model, X)
    raise InputError(
        f"{type(model).__name__} cannot be exported to ONNX; the page on ONNX lists what can be."
    )


def two(model):
    """Raise unless a model has two classes."""
    if len(model.classes_) != 2:
        raise InputError(f"{type(model).__name__} can be exported with two classes only.")


def log_odds(p):
    """Log-odds of probabilities that are clipped as in the blends."""
    p = p.clip(1e-4, 1.0 - 1e-4)
    return (p / (1.0 - p)).op("Log")


@converts("sklearn.pipeline.Pipeline")
def _pipeline(model, X):
    for _, step in model.steps:
        if step not in SKIPPED and not hasattr(step, "fit_resample"):  # which only act in fit
            X = convert(step, X)
    return X


@converts("sklearn.model_selection._search.BaseSearchCV")
def _search(model, X):
    return convert(model.best_estimator_, X)


@converts(
    "sklearn.frozen._frozen.FrozenEstimator",
    "stakes.compare._early_stopping.EarlyStoppingClassifier",
)
def _wrapped(model, X):
    return convert(getattr(model, "estimator_", None) or model.estimator, X)


@converts("stakes.decision._bayes.BayesDecisionClassifier")
def _bayes(model, X):
    p = convert(model.estimator_, X).probability
    if p is None:
        raise InputError(
            f"{type(model.estimator_).__name__} does not predict probabilities, so there are none "
            "to export."
        )
    if model.prior_ is None:
        return Scores(p)
    two(model)
    before, now = np.asarray(model.training_prior_), np.asarray(model.prior_)
    share = p * (now[1] / before[1])
    return Scores(share / (share + (1.0 - p) * (now[0] / before[0])))


@converts("stakes.decision._blend.BlendClassifier")
def _blend(model, X):
    columns = [log_odds(convert(member, X).probability) for member in model.estimators_]
    z = X.graph.join(columns) @ model.weights_[:, None] + model.intercept_
    return Scores(z.sigmoid(), z)


@converts("stakes.compare._timed_blend.TimedBlendClassifier")
def _timed_blend(model, X):
    z = X.graph.constant(model.intercept_)
    for weight, models in zip(model.weights_, model.estimators_, strict=True):
        if weight > 0:
            columns = [log_odds(convert(one, X).probability) for one in models]
            mean = X.graph.join(columns).op("ReduceMean", X.graph.vector([1]), keepdims=1)
            z = z + weight * mean
    return Scores(z.sigmoid(), z)


@converts("stakes.online._gaussian.GaussianLinear")
def _gaussian(model, X):
    """The margin in units of its standard deviation, calibrated."""
    two(model)
    mu, variances, noise, line = model._scoring_parts()
    margin = X @ mu[:-1, None] + mu[-1]
    if variances.ndim == 2:
        Z = X.graph.join([X, X.take([0]) * 0.0 + 1.0])
        v = ((Z @ variances) * Z).op("ReduceSum", X.graph.vector([1]), keepdims=1).op("Max", 0.0)
    else:
        v = (X * X) @ variances[:-1, None] + variances[-1]
    return _calibrated_line(model, margin / (v + noise).op("Sqrt"), line)


@converts("stakes.online._first_order.FirstOrderLinear")
def _first_order(model, X):
    two(model)
    mu, line = model._scoring_parts()
    return _calibrated_line(model, X @ mu[:-1, None] + mu[-1], line)


def _calibrated_line(model, s, line):
    if line is None:
        return Scores(normal_cdf(s), s)
    scale, slope, offset, shift = line
    z = offset + slope * (s / scale)
    return Scores(z.sigmoid(), z + shift)


@converts("stakes.uncertain._margin.UncertainMarginClassifier")
def _uncertain_margin(model, X):
    """Exact points: a missing entry counts as its mean and variance in training."""
    if model.error_model != "berkson":
        raise InputError(
            f"{type(model).__name__} with error_model={model.error_model!r} cannot be exported to "
            "ONNX."
        )
    w, intercept, (mean, variance), independent, (a, c, spread) = model._scoring_parts()
    gap = X.is_missing()
    s = X.graph.where(gap, mean[None, :], X) @ w[:, None] + intercept
    size = np.sqrt(variance) * np.abs(w)
    v = gap.cast() @ (size**2 if independent else size)[:, None]
    v = v if independent else v * v
    return Scores(normal_cdf((a * s + c) / (1.0 + v * (spread * a * a)).op("Sqrt")), s)


@converts("stakes.qmean._classifier.QuadraticMeanClassifier")
def _quadratic_mean(model, X):
    z = X @ model.coef_.T + model.intercept_
    if model.loss != "logistic":
        two(model)
        return Scores(score=z)
    shift = model._log_weight
    if len(model.classes_) == 2:
        return Scores((z - (shift[1] - shift[0])).sigmoid(), z)
    return Scores((z - shift[None, :]).op("Softmax", axis=1))


@converts("sklearn.linear_model._base.LinearClassifierMixin")
def _linear(model, X):
    z = X @ model.coef_.T + model.intercept_[None, :]
    if not hasattr(model, "predict_proba"):
        two(model)
        return Scores(score=z)
    if len(model.classes_) > 2:
        return Scores(z.op("Softmax", axis=1))
    return Scores(z.sigmoid(), z)


@converts("sklearn.dummy.DummyClassifier")
def _dummy(model, X):
    if model.strategy not in ("constant", "prior", "most_frequent"):
        raise InputError(f"DummyClassifier(strategy={model.strategy!r}) cannot be exported.")
    share = np.asarray(model.class_prior_, dtype=np.float64)
    if model.strategy != "prior":
        at = model.constant if model.strategy == "constant" else model.classes_[share.argmax()]
        share = (model.classes_ == at).astype(np.float64)
    zero = X.take([0]) if isinstance(X, Value) else X.any_column()
    zero = X.graph.where(zero.is_missing(), 0.0, 0.0)
    p = zero + share[None, 1:] if len(share) == 2 else zero + share[None, :]
    return Scores(p, positive=None if len(share) > 2 else p > 0.5)


@converts("sklearn.calibration.CalibratedClassifierCV")
def _calibrated(model, X):
    two(model)
    total = None
    for one in model.calibrated_classifiers_:
        inner = convert(one.estimator, X)
        s = inner.score if hasattr(one.estimator, "decision_function") else inner.probability
        (calibrator,) = one.calibrators
        p = _interpolated(calibrator, s) if one.method == "isotonic" else _platt(calibrator, s)
        total = p if total is None else total + p
    return Scores(total / float(len(model.calibrated_classifiers_)))


def _platt(calibrator, s):
    return (-(calibrator.a_ * s + calibrator.b_)).sigmoid()


def _interpolated(calibrator, s):
    """Linear interpolation between the steps of an isotonic regression."""
    x, y = calibrator.X_thresholds_.astype(float), calibrator.y_thresholds_.astype(float)
    if len(x) == 1:
        return s * 0.0 + y[0]
    graph = s.graph
    s = s.clip(calibrator.X_min_, calibrator.X_max_)
    passed = s.op("GreaterOrEqual", x[None, 1:]).cast(np.int64)
    at = passed.op("ReduceSum", graph.vector([1]), keepdims=1)  # of the last step passed
    slope = np.append(np.diff(y) / np.diff(x), 0.0)
    return _looked_up(slope, at) * (s - _looked_up(x, at)) + _looked_up(y, at)


def _looked_up(table, at):
    return at.graph.vector(table, np.float64).op("Gather", at, axis=0)
