"""Audit of the certificates of a kernel and of more than two classes, by simulation."""

import numpy as np

from stakes.uncertain import (
    UncertainKernelClassifier,
    UncertainLogisticClassifier,
    UncertainOneVsRestClassifier,
)

D, POINTS, DRAWS, REPLICATED = 3, 24, 4000, 200
TOGETHER = np.array([1.0, -1.0, 1.0])  # direction in which correlated errors move


def cases(rng):
    """Every case as (law, assumption, certificate), bounds, truths and the number of draws."""
    for name, model in models(rng).items():
        points = rng.standard_normal((POINTS, D))
        std = rng.uniform(0.05, 0.6, points.shape)
        move = TOGETHER * std
        drift = move[:, :, None] * move[:, None, :]
        noise = rng.standard_normal((2, DRAWS, POINTS, D))
        measure = {} if name == "kernel" else dict(measure="gaussian")
        known = dict(std=std)
        bound, decided = certified(model, points, known, measure)
        truth = flipped(model, points + std * noise[0], decided)
        yield ("Gaussian", "Gaussian errors", f"{name}, std"), bound, truth, DRAWS
        known = dict(cov=drift)
        bound, decided = certified(model, points, known, measure)
        truth = flipped(model, points + move * noise[1][:, :, :1], decided)
        yield ("correlated Gaussian", "Gaussian errors", f"{name}, cov"), bound, truth, DRAWS
        if name != "kernel":
            bound, decided = certified(model, points, known, {})
            heavy = rng.standard_t(3, (DRAWS, POINTS, 1)) / np.sqrt(3)
            truth = flipped(model, points + move * heavy, decided)
            assumption = "every law with this mean and covariance"
            yield ("heavy tails", assumption, f"{name}, cov"), bound, truth, DRAWS
        known = dict(lower=points - std, upper=points + std)
        bound, decided = certified(model, None, known, {})
        corners = points + std * np.sign(noise[0])
        truth = (flipped(model, corners, decided) > 0).astype(float)
        assumption = "anywhere in the interval"
        yield ("interval", assumption, f"{name}, worst corner drawn"), bound, truth, 0


def replicated(rng):
    """Bounds from replicates: (law, assumption, certificate), bounds, and truths."""
    for name, model in models(rng).items():
        for r in (3, 10):
            points = rng.standard_normal((REPLICATED, D))
            skewed = rng.standard_exponential((REPLICATED, r + DRAWS // 4, 1)) - 1
            R = points[:, None] + 0.5 * skewed * TOGETHER
            known = dict(replicates=R[:, :r])
            measure = {} if name == "kernel" else dict(measure="counts")
            bound, decided = certified(model, None, known, measure)
            truth = flipped(model, np.swapaxes(R[:, r:], 0, 1), decided)
            yield (f"{r} replicates, skewed", "every law", f"{name}, counts"), bound, truth


def broken(bound, truth):
    """Number of bounds below the truth, less what the simulation may do."""
    noise = 3 * np.sqrt(truth * (1 - truth) / (DRAWS // 4))
    return int((truth - noise > bound).sum())


def models(rng):
    X = rng.standard_normal((150, D))
    ring = (np.linalg.norm(X, axis=1) > 1.5).astype(int)
    kernel = UncertainKernelClassifier(C=3.0).fit(X, ring, std=0.2)
    linear = UncertainLogisticClassifier(C=10.0, error_model="berkson")
    classes = UncertainOneVsRestClassifier(linear).fit(X, X.argmax(axis=1), std=0.2)
    return {"kernel": kernel, "three classes": classes}


def certified(model, X, known, measure):
    return model.predict_certificate(X, **known, **measure), model.predict(X, **known)


def flipped(model, draws, decided):
    """Share of the draws (size, n, d) that are decided otherwise."""
    later = model.predict(draws.reshape(-1, draws.shape[2])).reshape(draws.shape[:2])
    return (later != decided).mean(axis=0)
