"""Is the difference real? Ranks over data sets, and a paired bootstrap on one of them."""

from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class FriedmanResult:
    """Friedman's test over k learners and n blocks, with Iman and Davenport's sharper form.

    Attributes
    ----------
    statistic, p_value : float
        Friedman's chi-square with ties corrected, and its p-value.
    f_statistic, f_p_value : float
        Iman and Davenport's F form, less conservative.
    ranks : ndarray of shape (k,)
        Average rank of each learner; 1 is best.
    """

    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    ranks: np.ndarray


def average_ranks(costs):
    """Average rank of each column over the rows; the smallest cost has rank 1, ties share.

    Parameters
    ----------
    costs : array-like of shape (n_blocks, n_learners)
        What each learner cost on each data set (or fold).

    Examples
    --------
    >>> average_ranks([[1.0, 2.0, 3.0], [1.0, 3.0, 3.0]])
    array([1.  , 2.25, 2.75])
    """
    return stats.rankdata(np.asarray(costs, dtype=np.float64), axis=1).mean(axis=0)


def friedman_test(costs):
    """Test whether all learners are equally good.

    Parameters
    ----------
    costs : array-like of shape (n_blocks, n_learners)
        At least two blocks and three learners.

    Returns
    -------
    FriedmanResult

    References
    ----------
    .. [1] J. Demsar. "Statistical Comparisons of Classifiers over Multiple Data Sets". JMLR 2006.

    Examples
    --------
    >>> costs = [[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]]
    >>> round(friedman_test(costs).p_value, 3)
    0.039
    """
    costs = np.asarray(costs, dtype=np.float64)
    n, k = costs.shape
    if n < 2 or k < 3:
        raise ValueError(f"Friedman's test needs 2 blocks and 3 learners. Got {n} and {k} instead.")
    ranks = stats.rankdata(costs, axis=1)
    spread = ((ranks - (k + 1) / 2) ** 2).sum()
    if spread == 0:
        return FriedmanResult(0.0, 1.0, 0.0, 1.0, ranks.mean(axis=0))
    # with ties the variance of the ranks is smaller than (k^2 - 1) / 12
    chi2 = (k - 1) * n**2 * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum() / spread
    rest = n * (k - 1) - chi2
    f = np.inf if rest <= 0 else (n - 1) * chi2 / rest
    return FriedmanResult(
        float(chi2),
        float(stats.chi2.sf(chi2, k - 1)),
        float(f),
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        ranks.mean(axis=0),
    )


def critical_difference(n_learners, n_blocks, alpha=0.05):
    """Nemenyi's critical difference: average ranks that differ by less are not told apart.

    Examples
    --------
    >>> round(critical_difference(4, 14), 3)
    1.254
    """
    q = stats.studentized_range.ppf(1 - alpha, n_learners, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_learners * (n_learners + 1) / (6 * n_blocks)))


def cliques(ranks, difference):
    """Largest groups of learners, in order of rank, that lie within one critical difference.

    Returns
    -------
    list of (first, last)
        Positions in the order of rank.
    """
    ordered = np.sort(np.asarray(ranks))
    groups = []
    for first in range(len(ordered)):
        last = int(np.searchsorted(ordered, ordered[first] + difference, side="right")) - 1
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


def bootstrap_means(values, n_boot=1000, random_state=0):
    """Means over resampled examples, all columns on the same resamples.

    Differences of columns are then paired: what makes some examples dear cancels out.

    Parameters
    ----------
    values : array-like of shape (n, m)
        One row per example.
    n_boot : int, default=1000
        Number of resamples.
    random_state : int, default=0
        Seed.

    Returns
    -------
    ndarray of shape (n_boot, m)

    Examples
    --------
    >>> means = bootstrap_means(np.arange(101.0)[:, None])
    >>> low, high = interval(means[:, 0])
    >>> bool(low < 50.0 < high)
    True
    """
    values = np.asarray(values, dtype=np.float64)
    rng, n = np.random.default_rng(random_state), len(values)
    means = np.empty((n_boot, values.shape[1]))
    for b in range(n_boot):
        drawn = rng.integers(n, size=n, dtype=np.int32)
        means[b] = np.bincount(drawn, minlength=n).astype(np.float64) @ values / n
    return means


def interval(means, confidence=0.95):
    """Percentile interval of bootstrapped values."""
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return [float(low), float(high)]
