"""A forest for streams."""

from dataclasses import dataclass
from numbers import Integral, Real
from operator import attrgetter

import numpy as np
from sklearn.utils import check_random_state

from stakes._core.base import COST_CONSTRAINTS, LearnerInfo
from stakes._core.jit.gain import CRITERIA
from stakes._core.labels import category_mask
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online_forest._base import StreamLearner
from stakes.online_forest._docs import documented
from stakes.online_forest._file_state import FILE_STATE, check_file_state
from stakes.online_forest._learn_jit import learn_row, learn_rows
from stakes.online_forest._memory_jit import buffer_of, new_forest, packed
from stakes.online_forest._scoring_parts import forest_parts
from stakes.online_forest._state import (
    ALWAYS,
    HALF_LIVES,
    N_COLUMNS,
    N_REPLACED,
    N_SEEN,
    NEVER,
    PAID,
    SHARES,
    SUM_NEG,
    SUM_POS,
    USED,
    WHERE,
    Forest,
    set_rule,
)
from stakes.online_forest._walk_jit import score_row, score_rows

# the first three and half_life="auto" give the arrays their form
_settings = attrgetter(
    *("n_estimators", "max_nodes", "max_features", "half_life", "criterion", "linear"),
    *("trial_length", "cost_rule", "calibration"),
)
SKEWED = {"hellinger", "ccp_entropy", "ccp_gini"}


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class StreamForestClassifier(StreamLearner):
    r"""A forest that learns a stream in one pass, with memory that never grows.

    The log-odds of the positive class are a sum,

    .. math:: \log\frac{p(x)}{1 - p(x)} = b + w^\top z(x) + \sum_{t} v_t(\ell_t(x)),

    of a linear part in the standardized features z and of the value of the leaf that x falls into
    in each tree. Every event moves w and the v by one Kalman step of a logistic regression, so that
    a tree learns what the others leave over, as in boosting. Leaves split when a skew-insensitive
    criterion of what is left over finds a significant cut; new branches start from their parent.

    Parameters
    ----------
    n_estimators : int, default=20
        Number of trees.
    max_nodes : int, default=255
        Maximum number of nodes of a tree, which bounds the memory, see `n_bytes_`.
    max_features : int, default=16
        Number of features, drawn at random, that a leaf chooses its split from.
    criterion : {"ccp_entropy", "ccp_gini", "hellinger"}, default="ccp_entropy"
        Criterion of the splits, as in `ConfidenceTreeClassifier`.
    linear : bool, default=True
        Whether there is a linear part.
    categorical_features : array-like of bool, int or str, default=None
        Features whose values are codes of categories, 0, 1, 2 and so on. A split takes one
        category out; from 16 on, several share a bin, which ones differs between trees.
    half_life : "auto", float or None, default="auto"
        Number of events after which an event counts half. "auto": three are followed (never, and
        two for streams that change) and weighted by their recent log loss. None: nothing is
        forgotten.
    trial_length : int or None, default=2000
        Number of events for which a new tree is tried as a replacement of one of the others, which
        take turns. It replaces it if decisions with it were cheaper in the second half of that
        time. None: trees stay.
    cost_rule : {"stake"} or None, default=None
        Weight of an event in training. None: all count the same, and costs act in decisions and in
        the replacement of trees. "stake": the sum of both regrets.
    calibration : {"sigmoid"} or None, default="sigmoid"
        Whether the log-odds are calibrated during training, on events that were not learned yet.
    n_features : int, default=256
        Number of columns of a stream of dicts. The first names have one each; later ones share the
        second half, by a hash of the name. Not used for arrays and tables.
    random_state : int, RandomState or None, default=None
        Seed of the features that leaves look at.
    [costs]

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels; of two, the second is the positive class.
    n_seen_ : int
        Number of events with a cost.
    n_nodes_ : ndarray of shape (n_estimators,)
        Number of nodes of each tree, all classes together.
    n_replaced_ : int
        Number of trees that were replaced.
    n_bytes_ : int
        Memory that the model takes, now and forever.
    half_life_shares_ : dict of float -> float
        Share of each half-life in the prediction; infinite: nothing is forgotten.
    progressive_regret_ : dict of str -> float
        Mean regret of the decisions during training, each made before its example was learned, next
        to "always negative" and "always positive". If costs were given and a constant policy was
        cheaper, `fit` warns.
    [seen]

    Notes
    -----
    More than two classes are as many forests, each for one class against the others. NaN is
    allowed: a split sends missing values to the side that fits better. Features need no scaling.

    References
    ----------
    .. [1] H. Gouk, B. Pfahringer, E. Frank. "Stochastic gradient trees". ACML 2019. (Splits by the
       gradient of the loss in a stream.)
    .. [2] A. Saffari, C. Leistner, J. Santner, M. Godec, H. Bischof. "On-line random forests". ICCV
       Workshops 2009. (Leaves that choose from random tests.)
    .. [3] M. Herbster, M. K. Warmuth. "Tracking the best expert". Machine Learning 32, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from stakes.online_forest import StreamForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(4000, 3))
    >>> y = (X[:, 0] * X[:, 1] > 0.5).astype(int)
    >>> model = StreamForestClassifier(random_state=0).fit(X, y)
    >>> model.predict([[1.5, 1.5, 0.0], [-1.5, 1.5, 0.0], [-1.5, -1.5, 0.0]])
    array([1, 0, 1])
    """

    n_estimators: int = 20
    max_nodes: int = 255
    max_features: int = 16
    criterion: str = "ccp_entropy"
    linear: bool = True
    categorical_features: object = None
    half_life: str | float | None = "auto"
    trial_length: int | None = 2_000
    cost_rule: str | None = None
    calibration: str | None = "sigmoid"
    n_features: int = 256
    random_state: int | np.random.RandomState | None = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    _info = LearnerInfo(family="online_forest", grid={"max_nodes": [31, 255]})
    _allow_nan = True
    _parameter_constraints = {
        **COST_CONSTRAINTS,
        "n_estimators": [Interval(Integral, 1, 10_000, closed="both")],
        "max_nodes": [Interval(Integral, 1, 1_000_000, closed="both")],
        "max_features": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions(SKEWED)],
        "linear": ["boolean"],
        "categorical_features": ["array-like", None],
        "half_life": [StrOptions({"auto"}), Interval(Real, 1, None, closed="left"), None],
        "trial_length": [Interval(Integral, 2, None, closed="left"), None],
        "cost_rule": [StrOptions({"stake"}), None],
        "calibration": [StrOptions({"sigmoid"}), None],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }
    _file_state = FILE_STATE
    _check_file_state = staticmethod(check_file_state)

    @property
    def n_seen_(self):
        """Number of events with a cost."""
        return int(self._parts()[0].head[N_SEEN])

    @property
    def n_nodes_(self):
        """Number of nodes of each tree."""
        return sum(f.trees[f.trees[:-1, WHERE], USED] for f in self._parts())

    @property
    def n_replaced_(self):
        """Number of trees that were replaced."""
        return int(sum(f.head[N_REPLACED] for f in self._parts()))

    @property
    def n_bytes_(self):
        """Memory of the model."""
        return sum(array.nbytes for f in self._parts() for array in f)

    @property
    def half_life_shares_(self):
        """Share of each half-life in the prediction of the first class's forest."""
        lives = [np.inf if h is None else float(h) for h in self._half_lives()]
        head = self._parts()[0].head
        return dict(zip(lives, head[SHARES : SHARES + len(lives)].tolist(), strict=True))

    def _parts(self):
        self._memory()
        return [Forest(*arrays) for arrays in self._forests]

    def _memory(self):
        """The buffers of the forests, one for two classes; a copy or a model file has none yet."""
        memory = [buffer_of(arrays) for arrays in self._forests]
        if memory[0] is None:  # then all of them
            self._forests = [tuple(packed(arrays)) for arrays in self._forests]
            memory = [buffer_of(arrays) for arrays in self._forests]
        return memory

    def _half_lives(self):
        return (None, *HALF_LIVES) if self.half_life == "auto" else (self.half_life,)

    def _begin(self, d, n_columns):
        names = getattr(self, "feature_names_in_", ())
        categorical = category_mask(self.categorical_features, d, names)
        if self._is_named and self.categorical_features is not None:
            raise ValueError(
                "categorical_features needs arrays or tables: in a stream of dicts, give each "
                "category a name of its own, such as {'country=FR': 1}."
            )
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        k = len(self.classes_)
        self._forests = [
            tuple(
                new_forest(
                    self.n_estimators,
                    self.max_nodes,
                    self.max_features,
                    categorical,
                    len(self._half_lives()),
                    seed + c,
                    n_columns,
                )
            )
            for c in range(1 if k == 2 else k)
        ]
        self._started_with = _settings(self)
        self._set_rule()

    def _check_settings(self):
        now = _settings(self)
        if now == self._started_with:
            return
        before = self._started_with
        if now[:3] != tuple(before[:3]) or (now[3] == "auto") != (before[3] == "auto"):
            raise ValueError(
                "n_estimators, max_nodes, max_features and half_life='auto' cannot change in a "
                "stream: set them back, call fit, or start a new model with sklearn.base.clone."
            )
        self._set_rule()
        self._started_with = now

    def _set_rule(self):
        if self.criterion not in SKEWED:
            raise ValueError(f"criterion must be one of {sorted(SKEWED)}, not {self.criterion!r}.")
        for f in self._parts():
            set_rule(
                f.head,
                criterion=CRITERIA[self.criterion],
                calibrate=self.calibration is not None,
                stake=self.cost_rule == "stake",
                trial=self.trial_length or 0,
                linear=self.linear,
                half_lives=self._half_lives(),
            )

    def _learn(self, X, index, c_pos, c_neg, weight):
        parts = self._memory()
        self._use_columns()
        out = np.empty((len(parts), len(X)))
        for c, memory in enumerate(parts):
            is_class = index == (1 if len(parts) == 1 else c)
            learn_rows(memory, X, is_class, c_pos, c_neg, weight, out[c])
        return out

    def _learn_one(self, row, index, c_pos, c_neg, weight):
        if self._is_named:
            self._use_columns()
        parts = self._memory()
        for c, memory in enumerate(parts):
            is_class = index == (1 if len(parts) == 1 else c)
            if not learn_row(memory, row, is_class, c_pos, c_neg, weight):
                self._checked(row)  # raises

    def _score_one(self, row):
        score = score_row(self._memory()[0], row)
        if score != score:
            self._checked(row)  # raises
        return score

    def _scoring_parts(self):
        """What the scores of two classes are made of, for the export of a model."""
        return forest_parts(self._parts()[0]), float(self._shift())

    def _use_columns(self):
        if self._is_named:
            for f in self._parts():
                f.head[N_COLUMNS] = len(self._columns)

    def _scores(self, X):
        parts = self._memory()
        out = np.empty((len(parts), len(X)))
        for c, memory in enumerate(parts):
            score_rows(memory, X, out[c])
        return out

    def _book(self):
        head = self._parts()[0].head
        return head[N_SEEN], head[PAID], head[NEVER], head[ALWAYS]

    def _shift(self):
        head = self._parts()[0].head
        if len(self._forests) > 1 or not (head[SUM_POS] > 0 and head[SUM_NEG] > 0):
            return 0.0
        return np.log(head[SUM_POS]) - np.log(head[SUM_NEG])  # their ratio may overflow
