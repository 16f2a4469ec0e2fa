"""A blend of stream learners."""

import copy
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.special import logit
from sklearn.base import clone
from sklearn.utils import check_random_state

from stakes._core.base import COST_CONSTRAINTS, LearnerInfo
from stakes._core.labels import code_positive
from stakes._core.learners import find_learner
from stakes._core.sklearn_private import Interval
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    FEATURES,
    Array,
    Flag,
    Listed,
    Mapping,
    Number,
    Part,
    Plain,
    Sometimes,
    labels,
)
from stakes._core.stored.state import same_classes
from stakes.costs import COST_NAMES
from stakes.online_forest._base import StreamLearner
from stakes.online_forest._blend_jit import (
    ALWAYS,
    FARTHEST,
    HEAD,
    INTERCEPT_VARIANCE,
    MOST_ODDS,
    N_COLUMNS,
    N_SEEN,
    NEVER,
    PAID,
    SUM_NEG,
    SUM_POS,
    WEIGHT_VARIANCE,
    blend_rows,
    blend_scores,
    standardize_rows,
)
from stakes.online_forest._docs import documented
from stakes.online_forest._scoring_parts import BlendParts, standard
from stakes.online_forest._walk_jit import HIGHEST

SMALLEST = 1e-15  # probability of a member
NOTHING = np.empty(0, bool)
_MEMBER = Part(methods=("learn_one", "predict_proba", "predict_proba_then_learn"))
LEAST_STEP = 256  # events between two copies of the members, which take a millisecond or more


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class StreamBlendClassifier(StreamLearner):
    r"""Several stream learners, weighted online by their own log loss.

    Each member learns every event. A logistic regression on the log-odds of the members, learned
    online, is one more member, and the probability is

    .. math:: p = \sum_k \pi_k p_k, \qquad \pi_k \propto \pi_k\, p_k(y \mid x)

    with a small share that moves back to each member after every event. So the log loss of the
    blend is never much worse than that of the member that is best at the time (fixed share), and
    it is better where the members know different things. The recommended learner for streams.

    Parameters
    ----------
    estimators : sequence of str or estimator, default=("probit", "forest", "kernel-features")
        The members, learners with `learn_one` and `predict_proba`, or their names. Their costs are
        set to those of the blend.
    label_delay : int or None, default=None
        Number of other labels that are learned between a decision and its own label. If labels
        resemble those just before them, a member that forgets fast looks good when a label arrives,
        and was bad when the decision was made. With a delay, members are judged by copies that are
        at least that old, and at most twice that or 256 labels older; the model takes three times
        the memory. None: the delay that a stream states (`stakes stream --delay`,
        `DecisionStream(delay=)`, `progressive(delay=)`), else 0.
    n_features : int, default=256
        Number of columns of a stream of dicts, as in `StreamForestClassifier`.
    random_state : int, RandomState or None, default=None
        Seed of the members.
    [costs]

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted members.
    shares_ : dict of str -> float
        Share of each member in the next prediction; "stack" is the logistic regression on them.
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive class.
    n_seen_ : int
        Number of events with a cost.
    progressive_regret_ : dict of str -> float
        As in `StreamForestClassifier`.
    [seen]

    Notes
    -----
    Features need no scaling: the members get standard deviations from the running mean. A missing
    value is replaced by the mean, except for members that take NaN.

    References
    ----------
    .. [1] M. Herbster, M. K. Warmuth. "Tracking the best expert". Machine Learning 32, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from stakes.online_forest import StreamBlendClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 2))
    >>> y = (X[:, 0] + np.abs(X[:, 1]) > 1).astype(int)
    >>> model = StreamBlendClassifier(estimators=["probit", "forest"], random_state=0).fit(X, y)
    >>> model.predict([[1.0, -1.0], [-1.0, 1.0], [-1.0, 3.0]])
    array([1, 0, 1])
    """

    estimators: object = ("probit", "forest", "kernel-features")
    label_delay: int | None = None
    n_features: int = 256
    random_state: int | np.random.RandomState | None = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    _info = LearnerInfo(family="online_forest")
    _allow_nan = True
    _parameter_constraints = {
        **COST_CONSTRAINTS,
        "estimators": ["array-like"],
        "label_delay": [Interval(Integral, 0, None, closed="left"), None],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }
    _file_state = FEATURES | {
        "classes_": labels(2),
        "estimators_": Listed(_MEMBER, "m"),
        "_head": Array("f8", (HEAD,), low=0),
        "_weights": Array("f8", (None,)),
        "_covariance": Array("f8", (None, None)),
        "_shares": Array("f8", (None,), low=0, high=1),
        "_scale": Array("f8", (2, "d"), infinite=True),
        "_past": Listed(Part((f"{__name__}.StreamBlendClassifier",))),
        "_age": Number(0, whole=True),
        "_started_with": Plain(),
        "_columns": Sometimes(Mapping(Number(0, whole=True))),
        "_is_named": Flag(),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "estimators_" not in state:
            return
        m, d = len(state["estimators_"]) + 1, scope.sizes["d"]
        shapes = [state[name].shape for name in ("_weights", "_shares", "_covariance")]
        if shapes != [(m,), (m,), (m, m)] or state["_head"][N_COLUMNS] > d:
            raise Damaged("the arrays of a stream blend do not fit together")
        if not abs(state["_shares"].sum() - 1.0) < 1e-6:
            raise Damaged("the shares of a stream blend do not add up to one")
        if not np.isfinite(state["_scale"]).all() or state["_scale"][1].min() < 0:
            raise Damaged("the scales of a stream blend are impossible")
        for member in state["estimators_"]:
            if member.state.get("n_features_in_", d) != d:
                raise Damaged("a member of a stream blend has another number of features")
            same_classes(member, scope)
        for one in state["_past"]:
            if len(one.state.get("estimators_", ())) != m - 1:
                raise Damaged("a copy in a stream blend has another number of members")
            if one.state.get("n_features_in_", d) != d:
                raise Damaged("a copy in a stream blend has another number of features")
            same_classes(one, scope)
        names = state.get("_columns", {})
        if state["_is_named"] and "_columns" not in state:
            raise Damaged("a stream blend does not know its columns")
        if sorted(names.values()) != list(range(len(names))) or len(names) > d:
            raise Damaged("the columns of a stream blend are damaged")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def n_seen_(self):
        """Number of events with a cost."""
        return int(self._head[N_SEEN])

    @property
    def shares_(self):
        """Share of each member in the next prediction."""
        names = [type(member).__name__ for member in self.estimators_]
        return dict(zip([*names, "stack"], self._shares.tolist(), strict=True))

    def _set_classes(self, y):
        if len(np.unique(np.asarray(y))) > 2:
            code_positive(y)  # raises, naming what to do
        super()._set_classes(y)

    def _begin(self, d, n_columns):
        rng = check_random_state(self.random_state)
        costs = {name: getattr(self, name) for name in COST_NAMES}
        self.estimators_ = []
        for one in self.estimators:
            member = find_learner(one, "learn_one")() if isinstance(one, str) else clone(one)
            if not (hasattr(member, "predict_proba_then_learn") and hasattr(member, "fp_cost")):
                raise ValueError(
                    f"{type(member).__name__} is no stream learner with costs and "
                    "probabilities; take members such as 'probit' or 'forest'."
                )
            seeded = "random_state" in member.get_params(deep=False)
            seed = {"random_state": rng.randint(2**31 - 1)} if seeded else {}
            self.estimators_.append(member.set_params(**costs, **seed))
        m = len(self.estimators_)
        if not m:
            raise ValueError("estimators must have at least one learner, such as 'probit'.")
        self._head = np.zeros(HEAD)
        self._head[N_COLUMNS] = n_columns
        self._weights = np.append(np.full(m, 1.0 / m), 0.0)
        self._covariance = np.diag(np.append(np.full(m, WEIGHT_VARIANCE), INTERCEPT_VARIANCE))
        self._shares = np.full(m + 1, 1.0 / (m + 1))
        self._scale = np.zeros((2, d))
        self._past = []  # what decisions are judged with, and a younger copy that is not yet old
        self._age = 0  # events since the youngest copy
        self._started_with = m

    def _check_settings(self):
        """Nothing changes the form of the state; a model file is mapped as it is, so copy it."""
        for name in ("_head", "_weights", "_covariance", "_shares", "_scale"):
            if not getattr(self, name).flags.writeable:
                setattr(self, name, getattr(self, name).copy())

    def _learn(self, X, index, c_pos, c_neg, weight):
        self._check_settings()
        if self._is_named:
            self._head[N_COLUMNS] = len(self._columns)
        out = np.empty((1, len(X)))
        for part in self._parts_of(len(X)):
            costs = (c if len(c) == 1 else c[part] for c in (c_pos, c_neg, weight))
            out[0, part] = self._learn_part(X[part], index[part], *costs)
        return out

    def _parts_of(self, n):
        """Slices of n rows, between which copies are made; one if labels are not late."""
        delay, start = self.label_delay or 0, 0
        step = max(delay, LEAST_STEP)
        while delay and start < n:
            due = delay if self._age < delay else step
            stop = min(n, start + max(due - self._age, 1))
            yield slice(start, stop)
            self._age += stop - start
            start = stop
            if self._age >= delay:
                self._past = self._past[-1:]  # old enough now, so the one before is not needed
            if self._age >= step:
                self._past.append(self._as_now())
                self._age = 0
        if start < n:
            yield slice(start, n)

    def _as_now(self):
        """A copy that stays as it is, without the copies of this one."""
        past, self._past = self._past, []
        try:
            return copy.deepcopy(self)
        finally:
            self._past = past

    def _learn_part(self, X, index, c_pos, c_neg, weight):
        positive = index == 1
        regret = weight * np.where(positive, c_pos, c_neg)
        teaches = np.broadcast_to(regret, len(X)) > 0
        judge = self._judge()
        then = np.empty((0, len(self.estimators_))) if judge is None else judge._member_odds(X)
        Z = np.empty_like(X)
        standardize_rows(X, teaches, self._head, self._scale, Z)
        learned = np.empty((len(self.estimators_), len(X)))
        for k, member in enumerate(self.estimators_):
            learned[k] = self._teach(member, self._for(member, Z, X), index, c_pos, c_neg, weight)
        out = np.empty(len(X))
        state = self._head, self._weights, self._covariance, self._shares
        blend_rows(_odds(learned), then, positive, teaches, c_pos, c_neg, state, out)
        return out

    def _judge(self):
        """The copy that knew as much as the decisions did whose labels arrive now, or None."""
        if not self.label_delay or len(self._past) <= (self._age < self.label_delay):
            return None
        self._past[0]._check_settings()
        return self._past[0]

    def _teach(self, member, Z, index, c_pos, c_neg, weight):
        """Probabilities of a member before it learns the rows."""
        first = not hasattr(member, "classes_")
        labels = self.classes_[index]
        if len(Z) > 1 or first:
            costs = {name: c if len(c) > 1 else c[0] for name, c in (("fn_cost", c_pos),
                     ("fp_cost", c_neg))}  # fmt: skip
            weights = np.broadcast_to(weight, len(Z))
            learn = member.predict_proba_then_learn
            return learn(Z, labels, self.classes_, weights, **costs, tp_cost=0.0, tn_cost=0.0)
        p = member.predict_proba_one(Z[0])[self.classes_[1].item()]
        member.learn_one(
            Z[0],
            labels[0],
            sample_weight=float(weight[0]),
            fp_cost=float(c_neg[0]),
            fn_cost=float(c_pos[0]),
            tp_cost=0.0,
            tn_cost=0.0,
        )
        return p

    def _for(self, member, Z, X):
        """Rows as a member takes them: missing values stay for those that know what to do."""
        if not getattr(member, "_allow_nan", False):
            return Z
        return np.where(np.isnan(X), np.nan, Z)

    def _scores(self, X):
        self._check_settings()
        out = np.empty(len(X))
        blend_scores(self._member_odds(X), self._weights, self._shares, out)
        return out[None]

    def _member_odds(self, X):
        """Log-odds of the members, (rows, members)."""
        Z = np.empty_like(X)
        standardize_rows(X, NOTHING, self._head, self._scale, Z)
        if len(X) == 1:
            positive = self.classes_[1].item()
            rows = ((one, self._for(one, Z, X)[0]) for one in self.estimators_)
            learned = [[one.predict_proba_one(row)[positive]] for one, row in rows]
        else:
            learned = [one.predict_proba(self._for(one, Z, X))[:, 1] for one in self.estimators_]
        return _odds(np.asarray(learned))

    def _scoring_parts(self):
        """What the scores are made of, for the export of a model."""
        parts = BlendParts(
            *standard(self._scale, self._head[N_SEEN], self._head[N_COLUMNS]),
            FARTHEST,
            [(one, bool(getattr(one, "_allow_nan", False))) for one in self.estimators_],
            SMALLEST,
            MOST_ODDS,
            self._weights,
            self._shares,
            HIGHEST,
        )
        return parts, float(self._shift())

    def _book(self):
        return self._head[N_SEEN], self._head[PAID], self._head[NEVER], self._head[ALWAYS]

    def _shift(self):
        c_pos, c_neg = self._head[SUM_POS], self._head[SUM_NEG]
        return np.log(c_pos) - np.log(c_neg) if c_pos > 0 and c_neg > 0 else 0.0


def _odds(probabilities):
    """Log-odds of the members, (members, rows) to (rows, members)."""
    return np.ascontiguousarray(logit(np.clip(probabilities, SMALLEST, 1.0 - SMALLEST)).T)
