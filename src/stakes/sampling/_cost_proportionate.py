"""Rejection sampling: an example is kept with a chance proportional to what it costs."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import column_or_1d, validate_data

from stakes._core.base import COST_CONSTRAINTS
from stakes._core.deciding import row_count
from stakes._core.labels import code_labels
from stakes._core.sklearn_private import Interval, safe_indexing
from stakes.costs import COST_NAMES, Costs
from stakes.sampling._base import Sampler


class CostProportionateSampler(Sampler):
    r"""Keeps each example with a chance proportional to what getting it wrong costs.

    With the regrets :math:`c_i` and their maximum :math:`Z` an example is kept with probability
    :math:`c_i / Z`. A learner that errs seldom on the kept examples then costs little on all:

    .. math:: E_{kept}[1\{h(x) \ne y\}] = \frac{E[c\, 1\{h(x) \ne y\}]}{E[c]} .

    Nothing is kept twice, which learners that memorise copies would pay for.

    Parameters
    ----------
    ceiling : float, default=1.0
        Quantile of the regrets that is taken for :math:`Z`. Below one more examples are kept, and
        those dearer than :math:`Z` several times, :math:`c_i / Z` times on average.
    random_state : int, RandomState instance or None, default=None
        For the draws.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        What the four outcomes cost; arrays of one per example go to `fit_resample`.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The rows that were kept.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    In a pipeline of imbalanced-learn the costs reach it where scikit-learn's metadata routing is
    on (`sklearn.set_config(enable_metadata_routing=True)`); without, that pipeline drops them.

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

    # read by imbalanced-learn's pipelines where scikit-learn's metadata routing is on
    __metadata_request__fit_resample = dict.fromkeys(COST_NAMES, True)

    def __init__(
        self,
        *,
        ceiling=1.0,
        random_state=None,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.ceiling = ceiling
        self.random_state = random_state
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    def fit_resample(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Draw the sample.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples; they are only picked from, so anything with rows will do.
        y : array-like of shape (n,)
            Their labels, of two classes.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost.

        Returns
        -------
        (X, y) of the examples kept, in their order.
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
        random = check_random_state(self.random_state)
        self.sample_indices_ = draw(regret, self.ceiling, random)
        rows = self.sample_indices_
        X = X.tocsr() if sparse.issparse(X) else X
        return safe_indexing(X, rows), y[rows]


def draw(regret, ceiling, random):
    """The rows that are kept, each c / Z times on average.

    Parameters
    ----------
    regret : ndarray of shape (n,)
        What each row costs if got wrong; rows of zero are never kept, and take no draw, so that
        leaving them out beforehand changes nothing.
    ceiling : float
        Quantile of the positive regrets that is taken for Z.
    random : RandomState
        Where chance comes from.

    Returns
    -------
    ndarray of int, ascending
    """
    at_stake = np.flatnonzero(regret > 0)
    if not len(at_stake):
        raise ValueError(
            "No example has a positive cost: nothing to sample from; look at fp_cost and fn_cost."
        )
    ratio = regret[at_stake] / np.quantile(regret[at_stake], ceiling, method="higher")
    whole = np.floor(ratio)
    copies = whole + (random.uniform(size=len(ratio)) < ratio - whole)
    return np.repeat(at_stake, copies.astype(np.intp))
