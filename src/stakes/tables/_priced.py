"""A data set: features, labels and the costs of decisions."""

import shlex
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl
from scipy import sparse

from stakes._core.deciding import row_count
from stakes.costs import COST_NAMES, Costs
from stakes.tables._alarms import known_afterwards, leak_sentence, leaks, row_alarms
from stakes.tables._column_facts import find_kinds
from stakes.tables._kinds import SHOWN, as_frame, stray_values, why_text
from stakes.tables._row_origin import RowOrigin

RARE = 500  # examples of the rarer class that a sample keeps


@dataclass(frozen=True, eq=False)
class PricedData:
    """Features, labels and costs; the return type of all loaders and generators.

    Parameters
    ----------
    name : str
        Name in reports.
    X : ndarray, CSR matrix or polars.DataFrame of n rows
        Features; a frame keeps names, categories, dates and missing values.
    y : ndarray of shape (n,)
        Labels 0 and 1; 1 is the positive class.
    fp_cost, fn_cost, tp_cost, tn_cost : float or ndarray of shape (n,)
        Costs of the four outcomes.
    positive : str, default="1"
        Meaning of the positive class.
    description : str, default=""
        Source, licence, and origin of the costs.
    dropped_alarms : tuple of str, default=()
        Alarms about columns of the table that are not features, see :attr:`alarms`.
    cost_kinds : dict, default={}
        Column -> kind of the columns of the table that the costs were computed from.
    errors : dict of str -> list of str, default={}
        Columns of X that hold error bars: measurement -> [column of standard errors] or [lower,
        upper]. Only learners that use error bars see them.
    replicates : dict, default={}
        If rows are means of replicates: the id `column` of the raw table and the standard
        deviation `pooled` of each measurement.
    origin : RowOrigin or None, default=None
        Time and group of the rows; folds then go forward in time and keep groups together.
    error_correlation : dict of str -> list of float, default={}
        Rows of the correlation matrix of the errors of its measurements; of all others, errors are
        independent.

    Examples
    --------
    >>> data = PricedData("toy", np.eye(2), np.array([0, 1]), fp_cost=1.0, fn_cost=np.array([5, 9]))
    >>> print(data.summary())
    2 examples, 1 positive (50.00%).
    Always negative costs 9.00; always positive costs 1.00.
    Say positive above a probability of 0.1333 (median; 0.1033 to 0.1633 in 90% of the examples).
    The top 1% of the examples hold 90.0% of the stakes.
    """

    name: str
    X: object
    y: np.ndarray
    fp_cost: float | np.ndarray = 1.0
    fn_cost: float | np.ndarray = 1.0
    tp_cost: float | np.ndarray = 0.0
    tn_cost: float | np.ndarray = 0.0
    positive: str = "1"
    description: str = ""
    dropped_alarms: tuple = ()
    cost_kinds: dict = field(default_factory=dict)
    errors: dict = field(default_factory=dict)
    replicates: dict = field(default_factory=dict)
    origin: RowOrigin | None = None
    error_correlation: dict = field(default_factory=dict)

    def __len__(self):
        return row_count(self.X)

    @property
    def costs(self):
        """The four costs by name, for `model.fit(data.X, data.y, **data.costs)`."""
        return {name: getattr(self, name) for name in COST_NAMES}

    @property
    def truth(self):
        """Which examples are positive, as the costs and metrics read it."""
        return self.y == 1

    def as_costs(self):
        """The costs as :class:`~stakes.costs.Costs`."""
        return Costs.of(len(self), **self.costs)

    def summary(self):
        """Sentences on the classes, the constant policies and the break-even probability."""
        return self.as_costs().summary(self.y == 1)

    @property
    def kinds(self):
        """Column -> kind of the columns that a model can use; None if X is not a frame."""
        return self._found[0]

    @cached_property
    def notes(self):
        """Sentences on columns that are left out, or are text because of a few values."""
        columns = [] if self.kinds is None else self.X.iter_columns()
        as_text = [_as_text(column, why) for column in columns if (why := why_text(column))]
        return [*self._found[1], *as_text, *self._cost_notes()]

    def _cost_notes(self):
        both = [name for name in self.cost_kinds if name in (self.kinds or {})]
        if not both:
            return []
        are = "is a feature" if len(both) == 1 else "are features"
        return [f"{' and '.join(map(repr, both))} of the costs {are} too."]

    @cached_property
    def alarms(self):
        """Sentences on what makes results look better than they will be, found before any fit.

        Columns that alone give the answer nearly perfectly, or are filled in for positives only;
        ids that repeat; dates.
        """
        found = [leak_sentence(*one) for one in self.leaks.items()]
        found += self._known_afterwards()
        return [*found, *row_alarms(*self._checked, self.origin), *self.dropped_alarms]

    @cached_property
    def leaks(self):
        """Columns that alone give the answer nearly perfectly -> area under the ROC curve."""
        frame, kinds = self._checked
        return leaks(frame, self.y, kinds)

    def _known_afterwards(self):
        frame, kinds = self._checked
        return known_afterwards(
            frame, self.y, {n: k for n, k in kinds.items() if n not in self.leaks}
        )

    @property
    def _checked(self):
        """The columns to check before any fit, and their kinds; none of a sparse matrix."""
        if self.kinds is not None:
            return self.X, self.kinds
        frame = pl.DataFrame() if sparse.issparse(self.X) else as_frame(self.X)
        return frame, find_kinds(frame)[0]

    @cached_property
    def _found(self):
        if not hasattr(self.X, "iter_columns"):
            return None, []
        return find_kinds(self.X.drop([one for parts in self.errors.values() for one in parts]))

    def take(self, rows):
        """Select rows by indices, a mask or a slice; columns keep the kinds of the whole table."""
        taken = self._take(rows)
        vars(taken)["_found"] = self._found  # a frozen dataclass has no other way to fill a cache
        return taken

    def _take(self, rows):
        # polars takes indices only
        rows = np.arange(len(self))[rows if isinstance(rows, slice) or len(rows) else slice(0)]
        costs = {name: cost[rows] if np.ndim(cost) else cost for name, cost in self.costs.items()}
        origin = None if self.origin is None else self.origin.take(rows)
        return replace(self, X=self.X[rows], y=self.y[rows], origin=origin, **costs)

    def sample(self, rows, *, random_state=None):
        """Draw at most `rows` rows at random, with costs that represent the whole table.

        Classes keep their shares, except that the rarer one keeps at least 500 examples if it has
        them (and if they are at most half of `rows`). The costs of each class are then scaled so
        that, in expectation, the mean cost of every policy and the best decision for every row
        stay the same.

        Parameters
        ----------
        rows : int
            Maximum number of rows.
        random_state : int or None, default=None
            Seed of the draw.

        Returns
        -------
        PricedData

        Examples
        --------
        >>> data = PricedData("toy", np.eye(4000), np.arange(4000) < 100, fn_cost=20.0)
        >>> small = data.sample(400)
        >>> len(small), int(small.y.sum()), small.fp_cost, small.fn_cost
        (400, 100, 1.3, 2.0)
        """
        n = len(self)
        if n <= rows:
            return self
        members = [np.flatnonzero(self.y != 1), np.flatnonzero(self.y == 1)]
        rarer = int(len(members[1]) < len(members[0]))
        share = round(len(members[rarer]) * rows / n)
        few = max(share, min(RARE, len(members[rarer]), rows // 2))
        sizes = [rows - few, few] if rarer else [few, rows - few]
        draw = np.random.default_rng(random_state)
        chosen = [draw.choice(m, k, replace=False) for m, k in zip(members, sizes, strict=True)]
        sampled = self._take(np.sort(np.concatenate(chosen)))
        if few == share:
            return sampled
        false, true = (len(m) / k * rows / n for m, k in zip(members, sizes, strict=True))
        factors = dict(fp_cost=false, tn_cost=false, fn_cost=true, tp_cost=true)
        return replace(sampled, **{c: factors[c] * cost for c, cost in sampled.costs.items()})


def _as_text(column, why):
    """Why a column is text, and how to have its stray values read as missing."""
    words = [shlex.quote(value.strip()) for value in stray_values(column)]
    if not words:
        return f"Column {column.name!r} is taken as text: {why}."
    options = " ".join(f"--missing {word}" for word in words[:SHOWN])
    fix = f"To read such values as missing: {options}."
    return f"Column {column.name!r} is taken as text: {why}. {fix}"
