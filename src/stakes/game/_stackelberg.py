"""Linear classifier at the equilibrium of a game against adversaries that move the positives."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.utils.validation import column_or_1d

from stakes._core.base import (
    CostSensitiveClassifier,
    LearnerInfo,
    at_stake,
    canonical,
    unchanged_if_it_fails,
)
from stakes._core.deciding import spread_rows
from stakes._core.docs import documented
from stakes._core.intake import check_weights, validate_data
from stakes._core.labels import check_same_classes, positive_among, stream_classes
from stakes._core.plotting import column_of
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    COUNT,
    FEATURES,
    FIGURE,
    Array,
    Either,
    Listed,
    Mapping,
    Number,
    Together,
    labels,
)
from stakes.costs import COST_NAMES, Costs
from stakes.game._equilibrium import minimax, play, warn_if_exploitable
from stakes.game._memory import recalled, remember
from stakes.game._prices import price_rows, prices_of
from stakes.game._response import moving_ease
from stakes.game._target import warn_of_words
from stakes.game._zero_sum import ZeroSumGame

_KEPT = 1000  # rows of each class of `fit` that a later `partial_fit` remembers

# rows of one class in one batch and what is at stake in them
_BATCH = Together((Array("f8", (None, "d"), sparse=True), Array("f8", (None,), low=0)))


@documented()
@dataclass(kw_only=True, eq=False, repr=False)
class StackelbergClassifier(CostSensitiveClassifier):
    r"""Linear classifier that anticipates adversaries who move the positives at a price.

    An adversary adds a move :math:`a` to every positive example and pays :math:`p_j a_j^2`. With
    shares :math:`c_i` of the costs and :math:`\pi` their sum over the positives, the learner solves

    .. math:: \min_{w,b}\ \max_a\ \alpha(\|w\|^2 + b^2) + \sum_{y_i<0} c_i\, l(-f(x_i))
              + \sum_{y_i>0} c_i\, l(f(x_i + a)) - \pi \sum_j p_j a_j^2 .

    The problem is convex in :math:`w` and the best move is found exactly, so the solution is
    global; bounds on what either player could still gain are reported.

    Parameters
    ----------
    loss : {"logistic", "hinge"}, default="logistic"
        Loss :math:`l` of one example.
    alpha : float, default=1e-3
        Ridge penalty, :math:`\lambda` in the thesis (1/2 there).
    movement_price : float, array-like of shape (d,) or (K, d) or (K, 1), or dict, default=1.0
        Price of moving a feature by one, :math:`p_j`, in units of the loss; `numpy.inf` if it
        cannot be moved. One row for each of K adversaries. A dict or a list of K dicts gives prices
        by column name; columns that it does not name cannot be moved.
    movable : array-like of bool of shape (d,), default=None
        Mask of the movable features; None: all with a finite price.
    adversary_share : array-like of shape (K,), default=None
        Share of the positives of each adversary; None: equal shares.
    solver : {"minimax", "play"}, default="minimax"
        "minimax": the problem above. "play": Algorithm 8, rounds of best replies, which may end
        far from an equilibrium.
    improvement : float, default=1e-4
        Smallest increase of the adversary's payoff that continues "play".
    max_rounds : int, default=50
        Maximum number of rounds of "play".
    tol : float, default=1e-4
        Exploitability, relative to the value of the game, above which a `ConvergenceWarning` is
        issued.
    max_iter : int, default=500
        Maximum number of steps of each solver.
    window : int, default=3
        Number of batches with negatives that `partial_fit` remembers; see there.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    pos_label : label, default=None
        Positive class, that of the adversaries, to which the costs refer; None: `classes_[1]`, the
        larger label, with a warning if the labels are words such as "fraud" and "legit".
    [costs]

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels, sorted.
    coef_ : ndarray of shape (1, d)
        Weights of the score of `classes_[1]` at the equilibrium; `SelectFromModel` can rank by
        them.
    intercept_ : ndarray of shape (1,)
        Intercept.
    shift_ : ndarray of shape (d,), or (K, d) for several adversaries
        Move of the adversaries; the mean if they mix several moves.
    moves_, move_probabilities_ : ndarray of shape (m, K, d) and (m,)
        Moves of the mixed strategy and their probabilities; m is usually one.
    value_ : float
        Regularized loss at the equilibrium minus the price of the moves.
    adversary_gain_, learner_gain_ : float
        Upper bounds on what each player could still gain.
    exploitability_ : float
        Sum of both gains relative to the value.
    payoffs_ : ndarray
        Payoff after each round: the objective above for "minimax", the mean loss of the moved
        positives for "play" (line 11 of Algorithm 8).
    n_iter_ : int
        Number of rounds.
    [seen]

    Notes
    -----
    The set-up of the thesis, with equal numbers of examples of both classes,
    :math:`\lambda' = 1/2` and :math:`C' = 1/n`, is `movement_price=1.0` and `alpha=0.5` here: the
    price is per positive example, so it does not depend on the number of negatives.

    Line 19 of Algorithm 8 can loop forever, and line 15 accumulates moves although each was
    computed from the original data; here a round without gain ends the game, and moves are not
    accumulated. With "minimax" the learner commits first. If a pure equilibrium exists, as for
    high enough prices, that makes no difference; if none exists, the adversary mixes moves.

    References
    ----------
    .. [1] W. Liu, S. Chawla. "Mining Adversarial Patterns via Regularized Loss Minimization".
       Machine Learning 81, 2010. Chapter 7 of W. Liu's thesis.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = (X.sum(axis=1) + 0.5 * rng.normal(size=500) > 0).astype(int)
    >>> model = StackelbergClassifier(movement_price=[0.05, np.inf]).fit(X, y)
    >>> model.exploitability_ < 1e-4
    True
    >>> model.coef_.round(1)  # the feature that cannot be moved gets the weight
    array([[0.3, 1.5]])
    """

    _file_state = FEATURES | {
        "classes_": labels(2),
        "_memory": Mapping(Either((Listed(_BATCH), Listed(Together((Number(0), Number(0))))))),
        "coef_": Array("f8", (1, "d")),
        "intercept_": Array("f8", (1,)),
        "moves_": Array("f8", ("m", None, "d")),
        "move_probabilities_": Array("f8", ("m",), low=0, high=1),
        "shift_": Array("f8", ("d",)),
        **dict.fromkeys(("value_", "exploitability_", "adversary_gain_", "learner_gain_"), FIGURE),
        "payoffs_": Array("f8", (None,)),
        "n_iter_": COUNT,
    }

    @staticmethod
    def _check_file_state(state, scope):
        memory = state.get("_memory", {})
        if memory and memory.keys() != {"negative", "positive", "totals"}:
            raise Damaged("the memory of a StackelbergClassifier has unknown parts")
        for side in ("negative", "positive"):
            for batch in memory.get(side, ()):
                if not isinstance(batch[1], np.ndarray) or batch[0].shape[0] != len(batch[1]):
                    raise Damaged("a batch has arrays of different lengths")

    _accept_sparse = "csr"
    _parameter_constraints = {
        **CostSensitiveClassifier._parameter_constraints,
        "loss": [StrOptions({"logistic", "hinge"})],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "movement_price": [Interval(Real, 0, np.inf, closed="right"), "array-like", dict],
        "movable": [None, "array-like"],
        "adversary_share": [None, "array-like"],
        "solver": [StrOptions({"minimax", "play"})],
        "improvement": [Interval(Real, 0, None, closed="left")],
        "max_rounds": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "window": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "pos_label": [None, Real, str, "boolean"],
    }
    __metadata_request__partial_fit = dict.fromkeys(COST_NAMES, True)
    _info = LearnerInfo(
        family="game",
        gives_probability=False,
        # the price is a fact about the opponent: rows that nobody moved would choose the highest
        grid={"alpha": [1e-4, 1e-3, 1e-2]},
    )

    loss: str = "logistic"
    alpha: float = 1e-3
    movement_price: float = 1.0
    movable: object = None
    adversary_share: float | None = None
    solver: str = "minimax"
    improvement: float = 1e-4
    max_rounds: int = 50
    tol: float = 1e-4
    max_iter: int = 500
    window: int = 3
    fit_intercept: bool = True
    pos_label: object = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Find the equilibrium for these examples.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples before any move.
        y : array-like of shape (n,)
            Labels of two classes.
        [sample_weight]
        [fit_costs]

        Returns
        -------
        self
        """
        X, y = self._validate_Xy(X, y)
        warn_of_words(self.classes_, self.pos_label)
        costs = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost)
        X, y, stakes = self._at_stake(X, y, costs, sample_weight)
        self._solve(X, y, stakes)
        rows, weight = spread_rows(y > 0, _KEPT)
        self._memory = remember(None, self.window, X[rows], y[rows], stakes[rows] * weight)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X,
        y,
        classes=None,
        sample_weight=None,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Find the equilibrium for a new batch, in which the adversaries may have moved.

        The positives are those of the newest batch that has any, because earlier ones show where
        the adversary was; the negatives are those of the last `window` batches that have any. Of
        either class, older rows are kept until there are 30. So batches with a single class never
        make the model forget the other one, and how much is at stake in each class is learned only
        from batches with both: the last `window` of these. Data of `fit` count as a batch, of
        which at most 1,000 evenly spaced rows of each class are remembered. All remembered rows
        are stored in the model, also in its file. A batch in which nothing is at stake is ignored.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples of the batch.
        y : array-like of shape (n,)
            Labels.
        classes : array-like of shape (2,), default=None
            Both labels; required in the first call unless y contains both.
        [sample_weight]
        [fit_costs]

        Returns
        -------
        self
        """
        first = not hasattr(self, "_memory")
        with unchanged_if_it_fails(self):
            X, y = validate_data(
                self, X, y, reset=first, accept_sparse="csr", dtype=np.float64, order="C"
            )
            y = column_or_1d(y)
            if first:
                self.classes_ = stream_classes(y if classes is None else classes)
                warn_of_words(self.classes_, self.pos_label)
            else:
                check_same_classes(classes, self.classes_.tolist())
            signs = np.where(positive_among(y, self.classes_), 1.0, -1.0)
            costs = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost)
            # an idle batch; scikit-learn's check of the weights would refuse it
            weightless = sample_weight is not None and not np.asarray(sample_weight).any()
            if not first and (weightless or not costs.regret(signs > 0).any()):
                return self
            batch = self._at_stake(canonical(X), signs, costs, sample_weight)
            self._memory = remember(None if first else self._memory, self.window, *batch)
            start = None if first else self._side() * np.append(self.coef_[0], self.intercept_)
            return self._solve(*recalled(self._memory), start)

    def decision_function(self, X):
        """Score each row; above zero means the positive class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        X = self._validate_X(X)
        return X @ self.coef_[0] + self.intercept_[0]

    def _solve(self, X, y, regret, start=None):
        ease, share = self._adversaries(X.shape[1])
        game = ZeroSumGame(X, y, regret, ease, share, self.loss, self.alpha, self.fit_intercept)
        if self.solver == "play":
            found = play(game, self.tol, self.max_rounds, self.max_iter, self.improvement)
        else:
            found = minimax(game, self.tol, self.max_iter, start)
        warn_if_exploitable(found, self.tol)
        W = self._side() * found.W
        self.coef_, self.intercept_ = W[None, :-1], W[-1:]
        self.moves_, self.move_probabilities_ = found.moves, found.probabilities
        shift = np.tensordot(found.probabilities, found.moves, axes=1)
        self.shift_ = shift[0] if len(shift) == 1 else shift
        self.value_, self.exploitability_ = float(found.value), found.exploitability
        self.adversary_gain_ = float(found.adversary_gain)
        self.learner_gain_ = float(found.learner_gain)
        self.payoffs_, self.n_iter_ = np.array(found.payoffs), max(1, len(found.payoffs) - 1)
        return self

    def _adversaries(self, d):
        """One over the prices, one row per adversary, and the shares of the adversaries."""
        names = getattr(self, "feature_names_in_", None)
        rows = [prices_of(row, d, names) for row in price_rows(self.movement_price)]
        ease = np.array([moving_ease(row, d, self.movable) for row in rows])
        if self.adversary_share is None:
            return ease, np.full(len(ease), 1.0 / len(ease))
        share = np.asarray(self.adversary_share, dtype=np.float64)
        if share.shape != (len(ease),) or not (share > 0).all():
            raise ValueError(
                f"adversary_share must have one positive number for each of the {len(ease)} "
                "adversaries, the rows of movement_price."
            )
        return ease, share / share.sum()

    def _side(self):
        """1.0 if the adversaries are `classes_[1]`, -1.0 if they are `classes_[0]`."""
        return 1.0 if column_of(self, self.pos_label) == 1 else -1.0

    def _costs_of(self, n, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Costs of n examples in terms of `classes_[1]`; those given refer to `pos_label`."""
        costs = super()._costs_of(n, fp_cost, fn_cost, tp_cost, tn_cost)
        if self._side() > 0:
            return costs
        # a false negative of one class is a false positive of the other
        return Costs(fp=costs.fn, fn=costs.fp, tp=costs.tn, tn=costs.tp)

    def _at_stake(self, X, y, costs, sample_weight):
        """Examples with a positive weighted regret, signs (+1: adversaries), and this regret."""
        stakes = costs.regret(y > 0)
        if sample_weight is not None:
            stakes = stakes * check_weights(sample_weight, X, ensure_non_negative=True)
        used = at_stake(stakes)
        y = self._side() * y
        return (X, y, stakes) if used.all() else (X[used], y[used], stakes[used])
