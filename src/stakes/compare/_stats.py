"""Significance of differences: ranks over data sets, and a paired bootstrap on one data set."""

from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class FriedmanResult:
    """Result of Friedman's test over k learners and n blocks, with Iman and Davenport's F form.

    Attributes
    ----------
    statistic, p_value : float
        Friedman's chi-square statistic, corrected for ties, and its p-value.
    f_statistic, f_p_value : float
        Iman and Davenport's less conservative F statistic, and its p-value.
    ranks : ndarray of shape (k,)
        Average rank of each learner; 1 is best.
    """

    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    ranks: np.ndarray


def average_ranks(costs):
    """Average rank of each column; the smallest cost in a row has rank 1, ties share ranks.

    Parameters
    ----------
    costs : array-like of shape (n_blocks, n_learners)
        Cost of each learner on each data set (or fold).

    Returns
    -------
    ndarray of shape (n_learners,)

    Examples
    --------
    >>> average_ranks([[1.0, 2.0, 3.0], [1.0, 3.0, 3.0]])
    array([1.  , 2.25, 2.75])
    """
    return stats.rankdata(np.asarray(costs, dtype=np.float64), axis=1).mean(axis=0)


def friedman_test(costs):
    """Friedman's test of the hypothesis that all learners are equally good.

    Parameters
    ----------
    costs : array-like of shape (n_blocks, n_learners)
        Cost of each learner on each block; at least two blocks and three learners.

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


def critical_difference(n_learners, n_blocks, confidence_level=0.95):
    """Nemenyi's critical difference: smaller differences of average ranks are not significant.

    Parameters
    ----------
    n_learners, n_blocks : int
        Size of the table of ranks.
    confidence_level : float, default=0.95
        Confidence level of the test.

    Returns
    -------
    float

    Examples
    --------
    >>> round(critical_difference(4, 14), 3)
    1.254
    """
    q = stats.studentized_range.ppf(confidence_level, n_learners, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_learners * (n_learners + 1) / (6 * n_blocks)))


def cliques(ranks, difference):
    """Maximal groups within one critical difference, as (first, last) positions by rank."""
    ordered = np.sort(np.asarray(ranks))
    groups = []
    for first in range(len(ordered)):
        last = int(np.searchsorted(ordered, ordered[first] + difference, side="right")) - 1
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


def mean_over_folds(differences, test_to_train):
    """Mean of a difference over the folds of a repeated cross-validation, and its standard error.

    Training parts overlap, so the differences are not independent; the variance is enlarged by the
    ratio of test to training rows [1]_.

    Parameters
    ----------
    differences : array-like of shape (n,)
        One difference per fold and repeat.
    test_to_train : float
        Ratio of test to training rows; with k folds 1 / (k - 1).

    Returns
    -------
    (float, float)
        The standard error of a single difference is infinite.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio. "Inference for the Generalization Error". Machine Learning 52,
       2003.

    Examples
    --------
    >>> mean_over_folds([1.0, 3.0], test_to_train=1.5)
    (2.0, 2.0)
    """
    differences = np.asarray(differences, dtype=np.float64)
    n = len(differences)
    if n < 2:
        return float(differences.mean()), float("inf")
    variance = differences.var(ddof=1) * (1 / n + test_to_train)
    return float(differences.mean()), float(np.sqrt(variance))


def bootstrap_means(values, n_boot=1000, random_state=0):
    """Bootstrapped means of several columns, all on the same resamples of the rows.

    Differences of columns are therefore paired: variation shared by the columns cancels out.

    Parameters
    ----------
    values : array-like of shape (n, m)
        One row per example.
    n_boot : int, default=1000
        Number of resamples.
    random_state : int, default=0
        Seed of the resampling.

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
        # counts of the drawn rows times all columns: one product per resample, no copy of the rows
        drawn = rng.integers(n, size=n, dtype=np.int32)
        means[b] = np.bincount(drawn, minlength=n).astype(np.float64) @ values / n
    return means


def interval(means, confidence_level=0.95):
    """Percentile interval of bootstrapped values."""
    low, high = np.quantile(means, [(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    return [float(low), float(high)]


class CriticalDifferenceDisplay:
    """Critical-difference diagram: average ranks on a line, with bars over insignificant ones.

    Parameters
    ----------
    names : list of str
        Names of the learners.
    ranks : array-like of shape (k,)
        Average ranks of the learners; 1 is best.
    difference : float
        Nemenyi's critical difference.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> display = CriticalDifferenceDisplay.from_costs([[1, 2, 3], [1, 3, 2]], ["a", "b", "c"])
    >>> display.ranks.tolist()
    [1.0, 2.5, 2.5]
    """

    def __init__(self, names, ranks, difference):
        self.names, self.ranks, self.difference = names, ranks, difference

    @classmethod
    def from_costs(cls, costs, names, *, confidence_level=0.95, ax=None):
        """Draw the diagram for a table of costs.

        Parameters
        ----------
        costs : array-like of shape (n_blocks, n_learners)
            Cost of each learner on each data set.
        names : sequence of str
            Names of the learners.
        confidence_level : float, default=0.95
            Confidence level of the Nemenyi test.
        ax : matplotlib Axes, default=None
            Axes to draw on; None: new ones.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        n, k = np.shape(costs)
        difference = critical_difference(k, n, confidence_level)
        return cls(list(names), average_ranks(costs), difference).plot(ax=ax)

    def plot(self, ax=None, *, color="black"):
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None: new ones.
        color : matplotlib color, default="black"
            Color of lines and text.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(8, 1 + 0.2 * len(self.names)))
        _draw_ranks(ax, self.names, self.ranks, self.difference, color)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _draw_ranks(ax, names, ranks, difference, color):
    """Draw the axis, a label for each learner, and the bars over insignificant differences."""
    order = np.argsort(ranks)
    ordered = np.asarray(ranks, dtype=np.float64)[order]
    k = len(ordered)
    # the better half is labeled on the left, the other on the right, both from the top down
    half, groups = (k + 1) // 2, cliques(ordered, difference)
    below = 0.5 + 0.4 * len(groups)
    ax.set(xlim=(0.0, k + 1.0), ylim=(-(below + half + 0.5), 1.6))
    ax.axis("off")
    ax.plot([1, k], [0, 0], color=color, linewidth=1)
    for tick in range(1, k + 1):
        ax.plot([tick, tick], [0, 0.2], color=color, linewidth=1)
        ax.text(tick, 0.3, str(tick), ha="center", va="bottom", color=color)
    for place, (rank, index) in enumerate(zip(ordered, order, strict=True)):
        left = place < half
        level = -(below + (place if left else k - 1 - place) + 0.3)
        end = 0.9 if left else k + 0.1
        ax.plot([rank, rank, end], [0, level, level], color=color, linewidth=0.8)
        text = f"{names[index]}  {rank:.2f}" if left else f"{rank:.2f}  {names[index]}"
        ax.text(end, level, text, ha="right" if left else "left", va="center", color=color)
    for number, (first, last) in enumerate(groups):
        level = -(0.3 + 0.4 * number)
        ends = [ordered[first] - 0.05, ordered[last] + 0.05]
        ax.plot(ends, [level, level], color=color, linewidth=3.5, solid_capstyle="round")
    ax.plot([1, 1 + difference], [1.3, 1.3], color=color, linewidth=1.5)
    ax.text(
        1 + difference / 2, 1.35, f"critical difference {difference:.2f}", ha="center", color=color
    )
