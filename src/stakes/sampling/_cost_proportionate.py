"""Rejection sampling: examples are kept with a probability proportional to their cost."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import column_or_1d

from stakes._core.base import COST_CONSTRAINTS
from stakes._core.deciding import row_count
from stakes._core.docs import documented
from stakes._core.intake import check_weights, validate_data
from stakes._core.labels import code_labels
from stakes._core.sklearn_private import Interval, safe_indexing
from stakes.costs import COST_NAMES, Costs
from stakes.sampling._base import Sampler

MOST_ROWS = 2**31  # of a sample


@documented()
@dataclass(kw_only=True, eq=False, repr=False)
class CostProportionateSampler(Sampler):
    r"""Keeps each example with a probability proportional to the cost of misclassifying it.

    With the regrets :math:`c_i` and their maximum :math:`Z`, an example is kept with probability
    :math:`c_i / Z`. The error rate on the kept examples is then the cost on all of them:

    .. math:: E_{kept}[1\{h(x) \ne y\}] = \frac{E[c\, 1\{h(x) \ne y\}]}{E[c]} .

    No example is kept twice, so learners that memorize duplicates do not overfit.

    Parameters
    ----------
    ceiling : float, default=1.0
        Quantile of the regrets that is used as :math:`Z`. Below one, more examples are kept, and
        those that cost more than :math:`Z` repeatedly, :math:`c_i / Z` times on average.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    [costs]

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that were kept.
    [seen]

    Notes
    -----
    A pipeline of imbalanced-learn passes costs only with scikit-learn's metadata routing enabled
    (`sklearn.set_config(enable_metadata_routing=True)`).

    References
    ----------
    .. [1] B. Zadrozny, J. Langford, N. Abe. "Cost-Sensitive Learning by Cost-Proportionate Example
       Weighting". ICDM 2003.

    Examples
    --------
    >>> X, y = np.zeros((1000, 1)), np.repeat([0, 1], 500)
    >>> sampler = CostProportionateSampler(fp_cost=1, fn_cost=10, random_state=0)
    >>> _, kept = sampler.fit_resample(X, y)
    >>> np.bincount(kept).tolist()
    [50, 500]
    """

    _parameter_constraints = {
        "ceiling": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state"],
        **COST_CONSTRAINTS,
    }

    # read by pipelines of imbalanced-learn with metadata routing enabled
    __metadata_request__fit_resample = dict.fromkeys((*COST_NAMES, "sample_weight"), True)

    ceiling: float = 1.0
    random_state: int | np.random.RandomState | None = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    def fit_resample(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Draw the sample.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples; columns of any kind.
        y : array-like of shape (n,)
            Labels of two classes.
        [sample_weight]
        [fit_costs]

        Returns
        -------
        (X, y)
            The kept examples, in their order.
        """
        self._validate_params()
        given = dict(zip(COST_NAMES, (fp_cost, fn_cost, tp_cost, tn_cost), strict=True))
        own = {name: getattr(self, name) for name in COST_NAMES}
        costs = own | {name: cost for name, cost in given.items() if cost is not None}
        y = column_or_1d(y, warn=True)
        validate_data(self, X, skip_check_array=True)
        check_consistent_length(X, y)
        signs = code_labels(y)[1]
        regret = Costs.of(row_count(X), **costs).regret(signs > 0)
        if sample_weight is not None:
            regret = regret * check_weights(sample_weight, y, ensure_non_negative=True)
        random = check_random_state(self.random_state)
        self.sample_indices_ = draw(regret, self.ceiling, random)
        rows = self.sample_indices_
        X = X.tocsr() if sparse.issparse(X) else X
        return safe_indexing(X, rows), y[rows]


def draw(regret, ceiling, random):
    """Draw the rows that are kept, each c / Z times on average; ascending indices.

    Rows of zero regret use no random number, so removing them beforehand changes nothing.
    """
    at_stake = np.flatnonzero(regret > 0)
    if not len(at_stake):
        raise ValueError(
            "No example has a positive cost, so there is nothing to sample from; check fp_cost "
            "and fn_cost."
        )
    top = np.quantile(regret[at_stake], ceiling, method="higher")
    with np.errstate(over="ignore"):
        ratio = regret[at_stake] / top
    if not ratio.sum() <= MOST_ROWS:
        raise ValueError(
            f"The largest cost is {ratio.max():.1g} times the quantile of ceiling={ceiling:g}, so "
            f"the sample would have {ratio.sum():.1g} rows: raise ceiling, or cap the costs."
        )
    whole = np.floor(ratio)
    copies = whole + (random.uniform(size=len(ratio)) < ratio - whole)
    return np.repeat(at_stake, copies.astype(np.intp))
