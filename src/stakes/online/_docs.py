"""The parameters and attributes that the linear online learners share, written once."""

from stakes._core.docs import SEEN
from stakes._core.docs import documented as _documented

STREAM = """\
    calibration : {"sigmoid"} or None, default="sigmoid"
        How `predict_proba` comes from the scores: a sigmoid learnt beside the learner, from scores
        of examples that were not learnt yet; None: the probit of the margin as it is.
    fit_intercept : bool, default=True
        Whether a constant feature is added.
    n_passes : int, default=1
        How often `fit` reads the data.
    shuffle : bool, default=False
        Whether `fit` reads in a random order instead of the given one.
    random_state : int, RandomState or None, default=None
        Seed of the shuffling.
    fp_cost, fn_cost : float, default=1.0
        What a false positive and a false negative cost where a call does not say.
    tp_cost, tn_cost : float, default=0.0
        What the right decisions cost.
"""
GAUSSIAN = """\
    covariance : {"diagonal", "full"}, default="diagonal"
        Full: O(d^2) a step, for features that go together.
    initial_variance : float, default=1.0
        Variance of every weight before the first example.
"""
NORMALIZE = """\
    weighting : {"class", "stake", "regret"}, default="class"
        What a cost does while learning. "class": an example weighs the mean regret of its class so
        far, so that all examples of a class count alike and costs may be given again at prediction
        without counting twice. "stake": that, times all that is at stake in its row. "regret": it
        weighs what its own mistake costs, so that the sign minimises cost but the probabilities
        are tilted by the costs.
    normalize_costs : bool, default=True
        Take each cost in units of the mean cost so far, so that the currency does not matter;
        False: the regrets as they are.
"""
FITTED = """\
    coef_ : ndarray of shape (1, d)
        Mean weights.
    intercept_ : ndarray of shape (1,)
        Mean weight of the constant.
    classes_ : ndarray of shape (2,)
        Labels; the second is the positive class.
    n_seen_, n_updates_ : int
        Examples with a cost that were read (kernel learners count all), and those that moved the
        weights.
    progressive_regret_ : dict of str -> float
        What decisions cost beyond the right ones, a mean over examples that were decided by
        expected cost before they were learnt: those of the learner, of "always negative" and of
        "always positive". With prices, `fit` warns if the learner's is not the least. NaN without
        `calibration`.
    [seen]
"""
COVARIANCE = """\
    covariance_ : ndarray of shape (d,) or (d, d)
        Variances, or the covariance, of the weights.
"""
documented = _documented(
    {
        "stream": STREAM,
        "gaussian": GAUSSIAN,
        "normalize": NORMALIZE,
        "fitted": FITTED,
        "covariance": COVARIANCE,
        "seen": SEEN,
    }
)
