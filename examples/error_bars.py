"""
The scientist: measurements with error bars
===========================================

Eighty samples were measured three times each by an instrument with a known error range. Which of
two species are they, and for which samples can we be certain?

A scientist's features come with an uncertainty: mean and standard deviation of replicates, and a
range that the instrument guarantees. The scaler transforms all of these together, the classifier
trains on sets instead of points, and each prediction comes with a bound on the probability that the
measurement error has flipped it.
"""

import matplotlib.pyplot as plt
import numpy as np

from stakes.metrics import certified_error, nominal_error
from stakes.uncertain import UncertainMarginClassifier, UncertainScaler, moments_from_replicates

# %%
# Two species, three features in very different units; the third is the most informative one and has
# the largest measurement error.
rng = np.random.default_rng(0)
y = np.repeat([0, 1], 40)
true = rng.normal(size=(80, 3)) + y[:, None] * [2.2, 2.2, 3.0]
ranges = np.array([0.2, 0.3, 2.5]) * rng.uniform(0.5, 1.5, (80, 3))
units = np.array([1.0, 250.0, 0.001])
replicates = units * (true[:, None, :] + ranges[:, None, :] * rng.uniform(-1, 1, (80, 3, 3)))

# %%
# We know the replicates, and that no error exceeds the instrument's range. The mean comes from the
# replicates; support and variance come from the instrument, since three replicates do not reveal a
# range. A measurement and the mean of others differ by at most two ranges.
known = moments_from_replicates(replicates)
support = dict(lower=known.mean - 2 * units * ranges, upper=known.mean + 2 * units * ranges)
information = dict(support, var=units**2 * ranges**2 / 3)

# %%
# Scale measurements and uncertainty together; train on one half, test on the other.
train, test = np.arange(80) % 2 == 0, np.arange(80) % 2 == 1
scaler = UncertainScaler().fit(known.mean[train])
X = scaler.transform(known.mean)
information = scaler.transform_uncertainty(**information)


def part(rows):
    """Uncertainty of some of the samples."""
    return {name: array[rows] for name, array in information.items()}


# %%
# An ordinary margin uses points; MM-SMV-I uses support, mean and variance.
for formulation, max_error in (("MM-M", 1.0), ("MM-SMV-I", 0.8)):
    model = UncertainMarginClassifier(formulation=formulation, max_error=max_error, C=1.0)
    model.fit(X[train], y[train], **part(train))
    guess = model.predict(X[test])
    bound = model.predict_certificate(X[test], **part(test))
    weight = np.abs(model.coef_[0]) / np.abs(model.coef_).sum()
    print(
        f"{formulation:9s} nominal error {nominal_error(y[test], guess):.3f}, "
        f"certified error {certified_error(y[test], guess, bound):.3f}, "
        f"weight of the noisy feature {weight[2]:.2f}"
    )

# %%
# Send uncertain cases to manual review: those whose prediction may have been flipped by the
# measurement error with a probability above 10 %.
review = model.needs_review(X[test], max_error=0.1, **part(test))
sure = ~review
print(
    f"{review.sum()} of {review.size} samples go to review; of the other {sure.sum()} "
    f"wrong: {int((guess != y[test])[sure].sum())}"
)

# %%
# The farther a sample is from the boundary, in units of its own error, the smaller the bound on the
# probability that this error has flipped its prediction.
order = np.argsort(bound)
wrong = (guess != y[test])[order]
position = np.arange(bound.size)
plt.plot(position, bound[order], "o", color="tab:blue", label="right")
plt.plot(position[wrong], bound[order][wrong], "o", color="tab:red", label="wrong")
plt.axhline(0.1, color="grey", linestyle=":", label="send to review above")
plt.xlabel("samples, most certain first")
plt.ylabel("bound on the probability of a flip")
plt.legend()
plt.show()
