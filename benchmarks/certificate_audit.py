"""Audit of certificates: every bound against the truth under laws that keep its assumption.

python -m benchmarks.certificate_audit prints the table of docs/certificates.md.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from benchmarks import _audit_curved
from stakes.uncertain import UncertainLogisticClassifier, UncertainMarginClassifier

D, POINTS, DRAWS = 4, 24, 6000
BERNSTEIN = ("MM-SMV", "MM-SMV-I", "MM-SM", "MM-SM-I")
BOUNDED_MEAN = ("MM-SBMV", "MM-SBMV-I", "MM-SBM", "MM-SBM-I")
EVERY_LAW = "every law with this mean and covariance"
GAUSSIAN = "Gaussian errors"
INDEPENDENT = "independent features in their support"


class Row(NamedTuple):
    """One line of the table: cases of one law, assumption and certificate."""

    law: str
    assumption: str
    certificate: str
    cases: int
    exceeded: int
    bound: float
    truth: float
    closest: float


def audit(seed=0):
    """Every row of the table.

    Parameters
    ----------
    seed : int
        Seed of the data, the learners and the draws.

    Returns
    -------
    list of Row
    """
    rng = np.random.default_rng(seed)
    found = {}
    for name, fit in LEARNERS.items():
        X, y = training(rng)
        models = {True: fit(X, y), False: fit(X, y).set_params(independent=False)}
        points = X[:POINTS] + 0.3 * rng.standard_normal((POINTS, D))
        for law, check in LAWS.items():
            for key, bound, truth, size in check(models, points, rng):
                found.setdefault((law, *key), []).append((name, bound, truth, size))
        for key, bound, truth, size in classical(fit, rng):
            found.setdefault(("classical: measurement = truth + error", *key), []).append(
                (name, bound, truth, size)
            )
    curved = np.random.default_rng(seed)
    for key, bound, truth, size in _audit_curved.cases(curved):
        found[key] = [(key[2], bound, truth, size)]
    rows = [as_row(key, cases) for key, cases in found.items()]
    rows += replicates(models[True], rng)
    for key, bound, truth in _audit_curved.replicated(curved):
        rows.append(with_confidence(key, bound, truth, _audit_curved.broken(bound, truth)))
    return rows


def as_row(key, cases):
    """Bounds, truths and their number, summed up over the learners."""
    bound = np.concatenate([case[1] for case in cases])
    truth = np.concatenate([case[2] for case in cases])
    size = cases[0][3]
    # 5 standard errors of a share of `size` draws; exact probabilities have none
    noise = 5 * np.sqrt(bound * (1 - bound) / size) + 10 / size if size else 1e-9
    useful = (bound < 1) & (bound > (10 / size if size else 0))  # else a ratio of single draws
    ratio = np.divide(truth, bound, out=np.zeros_like(truth), where=bound > 0)[useful]
    return Row(
        *key,
        len(bound),
        int((truth > bound + noise).sum()),
        float(bound.mean()),
        float(truth.mean()),
        float(ratio.max(initial=0.0)),
    )


def training(rng, n=200):
    y = np.arange(n) % 2
    X = rng.standard_normal((n, D)) + 1.2 * (2 * y[:, None] - 1) * rng.uniform(0.2, 1, D)
    return X, y


def margin(formulation):
    def fit(X, y, error_model="berkson", std=0.3):
        model = UncertainMarginClassifier(
            formulation=formulation if error_model == "berkson" else "MM-MC",
            max_error=0.7,
            error_model=error_model,
        )
        known = dict(std=std)
        if formulation == "MM-SMV-I" and error_model == "berkson":
            known |= dict(lower=X - 0.9, upper=X + 0.9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y, **known)
        return model

    return fit


def logistic(X, y, error_model="berkson", std=0.3):
    return UncertainLogisticClassifier(error_model=error_model).fit(X, y, std=std)


LEARNERS = {
    "margin, MM-MC": margin("MM-MC"),
    "margin, MM-SMV-I": margin("MM-SMV-I"),
    "logistic": logistic,
}


def flipped(model, points, draws):
    """Share of the draws (size, n, d) that are decided otherwise than their point."""
    w, b = model.coef_[0], model.intercept_[0]
    side = np.where(points @ w + b > 0, 1.0, -1.0)
    return ((draws @ w + b) * side <= 0).mean(axis=0)


def worst_case(models, points, rng):
    """Cantelli's law: all errors move together, to the boundary as often as the variance allows."""
    model = models[False]
    w, b = model.coef_[0], model.intercept_[0]
    score = points @ w + b
    std = rng.uniform(0.1, 0.8, points.shape)
    spread = std @ np.abs(w)
    kappa = np.abs(score) / spread
    truth = 1 / (1 + kappa**2)  # a law on two points, one of them at the boundary
    yield (EVERY_LAW, "best, any correlation"), model.predict_certificate(points, std=std), truth, 0
    direction = std * np.sign(w)
    cov = direction[:, :, None] * direction[:, None, :]
    bound = models[True].predict_certificate(points, cov=cov)
    yield (EVERY_LAW, "best, cov"), bound, truth, 0


def gaussian(models, points, rng):
    """Independent Gaussian errors."""
    std = rng.uniform(0.1, 1.2, points.shape)
    model = models[True]
    w, b = model.coef_[0], model.intercept_[0]
    truth = special.ndtr(-np.abs(points @ w + b) / np.sqrt(std**2 @ w**2))
    yield (
        ("independent features", "best, std"),
        model.predict_certificate(points, std=std),
        truth,
        0,
    )
    bound = model.predict_certificate(points, std=std, measure="gaussian")
    yield (GAUSSIAN, "gaussian, std"), bound, truth, 0


def correlated(models, points, rng):
    """Gaussian errors with a common drift."""
    std = rng.uniform(0.1, 0.8, points.shape)
    factor = np.concatenate([std[:, :, None], 0.1 * np.eye(D)[None].repeat(POINTS, 0)], axis=2)
    cov = factor @ np.swapaxes(factor, 1, 2)
    model = models[True]
    w, b = model.coef_[0], model.intercept_[0]
    spread = np.sqrt(np.einsum("njk,j,k->n", cov, w, w))
    truth = special.ndtr(-np.abs(points @ w + b) / spread)
    yield (EVERY_LAW, "best, cov"), model.predict_certificate(points, cov=cov), truth, 0
    bound = model.predict_certificate(points, cov=cov, measure="gaussian")
    yield (GAUSSIAN, "gaussian, cov"), bound, truth, 0
    var = np.diagonal(cov, axis1=1, axis2=2)
    free = models[False]
    bound = free.predict_certificate(points, var=var)
    yield (EVERY_LAW, "best, any correlation"), bound, truth, 0
    bound = free.predict_certificate(points, var=var, measure="gaussian")
    yield (GAUSSIAN, "gaussian, any correlation"), bound, truth, 0


def heavy(models, points, rng):
    """Student errors with three degrees of freedom, independent and with a common drift."""
    std = rng.uniform(0.1, 1.0, points.shape)
    model = models[True]
    draws = points + std * rng.standard_t(3, (DRAWS, *points.shape)) / np.sqrt(3)
    truth = flipped(model, points, draws)
    bound = model.predict_certificate(points, std=std)
    yield ("independent features", "best, std"), bound, truth, DRAWS
    draws = points + std * rng.standard_t(3, (DRAWS, POINTS, 1)) / np.sqrt(3)
    truth = flipped(model, points, draws)
    cov = std[:, :, None] * std[:, None, :]
    yield (EVERY_LAW, "best, cov"), model.predict_certificate(points, cov=cov), truth, DRAWS
    bound = models[False].predict_certificate(points, std=std)
    yield (EVERY_LAW, "best, any correlation"), bound, truth, DRAWS


def bounded(shape):
    """Independent features in a support, of a shape that keeps mean and variance."""

    def check(models, points, rng):
        model = models[True]
        below, above = rng.uniform(0.1, 1.2, (2, *points.shape))
        lower, upper = points - below, points + above
        var = rng.uniform(0.1, 0.9, points.shape) * below * above
        half, middle = (upper - lower) / 2, (upper + lower) / 2
        m, v = (points - middle) / half, var / half**2
        size = (DRAWS, *points.shape)
        if shape == "beta":
            p = (m + 1) / 2
            total = p * (1 - p) / (v / 4) - 1
            x = (
                2 * rng.beta(np.maximum(p * total, 1e-6), np.maximum((1 - p) * total, 1e-6), size)
                - 1
            )
        else:
            sign = 1 if shape == "up" else -1
            far = (sign * m - (v + m**2)) / (1 - sign * m)
            q = v / (v + (1 - sign * m) ** 2)
            x = sign * np.where(rng.random(size) < q, 1.0, far)
        truth = flipped(model, points, middle + half * x)
        known = dict(lower=lower, upper=upper, var=var)
        for name in ("best", "MM-MC", *BERNSTEIN):
            bound = model.predict_certificate(points, measure=name, **known)
            yield (INDEPENDENT, name), bound, truth, DRAWS
        moved = 0.3 * rng.random((2, *points.shape))
        known |= dict(mean_lower=points - moved[0] * below, mean_upper=points + moved[1] * above)
        for name in ("best", *BOUNDED_MEAN):
            bound = model.predict_certificate(points, measure=name, **known)
            yield (f"{INDEPENDENT}, bounds on the mean", name), bound, truth, DRAWS

    return check


def interval(models, points, rng):
    """Only the support is known: the law sits in its worst corner, or anywhere."""
    half = rng.uniform(0.05, 1.0, points.shape)
    model = models[False]
    w, b = model.coef_[0], model.intercept_[0]
    side = np.sign(points @ w + b)
    corner = points - side[:, None] * np.sign(w) * half
    known = dict(lower=points - half, upper=points + half)
    bound = model.predict_certificate(None, **known)
    truth = ((corner @ w + b) * side <= 0).astype(float)
    yield ("anywhere in the interval", "best, interval"), bound, truth, 0
    draws = points + half * rng.uniform(-1, 1, (DRAWS, *points.shape))
    truth = flipped(model, points, draws)
    yield ("anywhere in the interval", "best, interval (uniform law)"), bound, truth, DRAWS


LAWS = {
    "worst case of mean and variance": worst_case,
    "Gaussian": gaussian,
    "correlated Gaussian": correlated,
    "heavy tails": heavy,
    "two points, upwards": bounded("up"),
    "two points, downwards": bounded("down"),
    "beta": bounded("beta"),
    "interval": interval,
}


def classical(fit, rng, n=3000):
    """Gaussian true points, measured with errors of known size; the truth given the measurement."""
    mix = np.eye(D) + 0.4 * rng.standard_normal((D, D))
    Sigma = mix @ mix.T
    x = rng.standard_normal((n, D)) @ mix.T
    std = rng.uniform(0.2, 2.0, (n, D))
    m = x + std * rng.standard_normal((n, D))
    y = (x @ np.ones(D) + rng.standard_normal(n) > 0).astype(int)
    model = fit(m, y, error_model="classical", std=std)
    rows = slice(0, POINTS)
    total = Sigma + std[rows, :, None] ** 2 * np.eye(D)
    gain = np.linalg.solve(total, np.broadcast_to(Sigma, total.shape))
    mean = np.einsum("nkj,nk->nj", gain, m[rows])
    cov = Sigma - np.einsum("jk,nkl->njl", Sigma, gain)
    w, b = model.coef_[0], model.intercept_[0]
    side = np.where(model.predict(m[rows], std=std[rows]) == 1, 1.0, -1.0)
    spread = np.sqrt(np.einsum("njk,j,k->n", cov, w, w))
    truth = special.ndtr(-side * (mean @ w + b) / spread)
    assumption = "Gaussian truth and errors, population learned"
    # the population is learned from 3,000 rows: its error counts like that of 1,500 draws
    bound = model.predict_certificate(m[rows], std=std[rows])
    yield (assumption, "best, std"), bound, truth, n // 2
    bound = model.predict_certificate(m[rows], std=std[rows], measure="gaussian")
    yield (assumption, "gaussian, std"), bound, truth, n // 2


def replicates(model, rng, n=600):
    """Bounds that hold with a confidence of 95 %: the share of examples where they do not."""
    w, b = model.coef_[0], model.intercept_[0]
    size = np.linalg.norm(w)
    rows = []
    for law in ("Gaussian", "correlated Gaussian", "heavy tails", "skewed"):
        for r in (3, 5, 10):
            start = rng.uniform(-2, 2, n)
            points = (start - b)[:, None] * w / size**2  # with the score `start`
            R, truth_up = drawn(law, points, w, start, r, rng)
            decided = model.predict(None, replicates=R) == 1
            truth = np.where(decided, 1 - truth_up, truth_up)
            measures = ("gaussian", "counts") if "Gaussian" in law else ("counts",)
            for measure in measures:
                bound = model.predict_certificate(None, replicates=R, measure=measure)
                broken = int((truth > bound + 1e-9).sum())
                assumption = "Gaussian measurements" if measure == "gaussian" else "every law"
                key = f"{r} replicates, {law}", assumption, measure
                rows.append(with_confidence(key, bound, truth, broken))
    return rows


def with_confidence(key, bound, truth, broken):
    """A row of bounds that may be broken for 5 % of the examples."""
    n, (law, assumption, certificate) = len(bound), key
    allowed = int(stats.binom.ppf(1 - 1e-6, n, 0.05))
    assumption += f"; confidence 95 %, broken in {100 * broken / n:.1f} %"
    means = float(bound.mean()), float(truth.mean()), np.nan
    return Row(law, assumption, certificate, n, max(0, broken - allowed), *means)


def drawn(law, points, w, start, r, rng):
    """Replicates around points, and the probability that a further one has a positive score."""
    n, d = points.shape
    if law == "Gaussian":
        return points[:, None] + rng.standard_normal((n, r, d)), special.ndtr(
            start / np.linalg.norm(w)
        )
    if law == "correlated Gaussian":
        drift = rng.standard_normal((n, r, 1)) * np.sign(w)
        return points[:, None] + drift, special.ndtr(start / np.abs(w).sum())
    along = w / np.linalg.norm(w) ** 2  # moves the score by one
    if law == "heavy tails":
        move = rng.standard_t(2, (n, r, 1))
        return points[:, None] + move * along, stats.t.cdf(start, 2)
    move = rng.standard_exponential((n, r, 1)) - 1
    return points[:, None] + move * along, np.exp(-np.maximum(1 - start, 0))


def to_markdown(rows):
    """The table of docs/certificates.md."""
    lines = [
        "| law of the truth | assumption | certificate | cases | exceeded | mean bound | "
        "mean truth | largest truth / bound |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        closest = "" if np.isnan(row.closest) else f"{row.closest:.2f}"
        figures = f"{row.bound:.3f} | {row.truth:.3f} | {closest}"
        lines.append(
            f"| {row.law} | {row.assumption} | {row.certificate} | {row.cases} | {row.exceeded} | "
            f"{figures} |"
        )
    total, exceeded = (sum(getattr(row, name) for row in rows) for name in ("cases", "exceeded"))
    return "\n".join([*lines, f"| all | | | {total:,} | {exceeded} | | | |"])


if __name__ == "__main__":
    print(to_markdown(audit()))
