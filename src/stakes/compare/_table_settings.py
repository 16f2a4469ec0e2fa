"""Which table to use and what it costs; saved with a run, so that training need not repeat it."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from stakes._core.files import appearing
from stakes.compare._wording import Wording
from stakes.datasets import CATALOG, load
from stakes.errors import InputError
from stakes.scale import Folder, survey
from stakes.tables import (
    ClassData,
    ClassReader,
    CostTable,
    LabelReader,
    as_frame,
    check_file,
    load_table,
    read_costs,
    read_table,
)

FILE = "table.json"
ORIGIN = ("time", "group", "window", "label_delay")
WORDS = ("positive_means", "negative_means", "currency")
DEFAULTS = {"fp_cost": "1", "fn_cost": "1", "tp_cost": "0", "tn_cost": "0"}


@dataclass(frozen=True)
class TableSettings:
    """Where the rows are, which column is the label, and what the outcomes cost.

    Parameters
    ----------
    data : str or None
        A file, a folder or glob of files, or the name of a data set.
    target, positive : str, default=None
        Label column and positive label; None for a named data set.
    costs : dict, default={}
        fp_cost, fn_cost, tp_cost, tn_cost -> expression, for those that were given.
    drop : list of str, default=[]
        Columns that are not features.
    today : str, default=None
        Column of today's decisions; not a feature.
    missing : list of str, default=[]
        Texts that are missing values, in addition to NA and the like.
    errors : list of str, default=[]
        Columns of error bars, as in :func:`~stakes.tables.load_table`.
    replicates : str, default=None
        Id column, if several rows are replicates of one example.
    time, group, window, label_delay : str, default=None
        Columns of the time and the group of the rows, the length of the training window and the
        delay of labels, see :class:`~stakes.tables.TimeGroupSplit`.
    cost_features : bool, default=True
        Whether columns used in the costs are features.
    positive_means, negative_means : str, default=None
        What the two decisions are in words, such as "refuse" and "accept".
    currency : str, default=None
        Currency of the costs, in the report.
    cost_matrix : dict, default=None
        Costs of more than two classes, as :meth:`~stakes.tables.CostTable.to_dict` gives them.
    sample : int, default=100000
        Of a folder of files: the number of rows to draw at random.

    Examples
    --------
    >>> print(TableSettings("german", costs={"fn_cost": "10"}).load().fn_cost)
    10.0
    """

    data: str | None
    target: str | None = None
    positive: str | None = None
    costs: dict = field(default_factory=dict)
    drop: list = field(default_factory=list)
    today: str | None = None
    missing: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    replicates: str | None = None
    time: str | None = None
    group: str | None = None
    window: str | None = None
    label_delay: str | None = None
    cost_features: bool = True
    positive_means: str | None = None
    negative_means: str | None = None
    currency: str | None = None
    cost_matrix: dict | None = None
    sample: int = 100_000

    @property
    def is_file(self):
        """Whether the data is a file rather than the name of a data set.

        A folder with the name of a data set does not hide it.
        """
        path = Path(self.data)
        if path.is_dir() and self.data in CATALOG:
            return False
        return path.exists() or bool(path.suffix) or "/" in self.data

    def wording(self):
        """What reports call the decisions, and the currency."""
        return Wording(self.positive_means, self.negative_means, self.currency)

    def load(self):
        """The rows with labels and costs, as :class:`~stakes.tables.PricedData`."""
        return self._load_file() if self.is_file else self._load_named()

    def cost_table(self):
        """The costs of more than two classes; None if there are two."""
        return None if self.cost_matrix is None else CostTable.of(**self.cost_matrix)

    @property
    def is_folder(self):
        """Whether the data is a folder or glob of files, of which a sample is loaded."""
        return self.is_file and Folder.is_meant(self.data)

    def survey(self, sample_rows, *, random_state=0, n_jobs=1, source=None):
        """Read a folder, or another `source`, once: see :func:`stakes.scale.survey`."""
        self._check_target()
        for name in ("today", "errors", "replicates", "cost_matrix", *ORIGIN):
            if getattr(self, name):
                raise InputError(
                    f"{{parameter}} is for one file; {self.data!r} is a folder. Put a sample into "
                    "one file, or remove it.",
                    {"errors": "error"}.get(name, name),
                )
        how = dict(drop=self.drop, missing=self.missing, cost_features=self.cost_features)
        how |= dict(sample_rows=sample_rows, random_state=random_state, n_jobs=n_jobs)
        costs = DEFAULTS | self.costs
        source = self.data if source is None else source
        return survey(source, self.target, self.positive, costs=costs, **how)

    def _check_target(self):
        if self.target is None:
            raise InputError(f"Name the label column of {self.data!r}: {{parameter}}.", "target")

    def _load_file(self):
        if self.is_folder:
            return self.survey(self.sample, n_jobs=-1).sample
        check_file(self.data)
        self._check_target()
        if self.replicates is not None and self.today is not None:
            raise InputError("Today's decisions cannot be joined with {parameter}.", "replicates")
        drop = [*self.drop, *([] if self.today is None else [self.today])]
        return load_table(
            self.data,
            self.target,
            self.positive,
            **(DEFAULTS | self.costs),
            cost_matrix=self._checked_table(),
            drop=drop,
            missing=self.missing,
            cost_features=self.cost_features,
            errors=self.errors,
            replicates=self.replicates,
            **{name: getattr(self, name) for name in ORIGIN},
        )

    def _checked_table(self):
        table = self.cost_table()
        given = [*self.costs, *(n for n in ("positive", *WORDS[:2]) if getattr(self, n))]
        if table is not None and given:
            raise InputError(
                "A cost matrix has all classes, decisions and costs; remove {parameter}.",
                given[0],
            )
        return table

    def _load_named(self):
        generated = self.data in CATALOG and CATALOG[self.data].source == "generated"
        data = load(self.data, **({"random_state": 0} if generated else {}))
        own = ("target", "positive", "drop", "today", "missing", "errors", "replicates", *ORIGIN)
        own = (*own, "cost_matrix")
        if isinstance(data, ClassData):
            own = (*own, "costs")
        for name in own:
            if getattr(self, name):
                raise InputError(
                    f"The data set {self.data!r} has its own columns and labels; remove "
                    "{parameter}.",
                    {"errors": "error", "costs": "fp_cost"}.get(name, name),
                )
        if self.costs:
            own = {name: cost for name, cost in data.costs.items() if name not in self.costs}
            data = replace(data, **read_costs(as_frame(data.X), own | self.costs))
        return data

    def read_decisions(self, positive):
        """Today's decisions as 0 and 1 (with many classes, their numbers), None if there are none.

        Parameters
        ----------
        positive : str
            Positive label of the target: the column holds yes and no, or labels of the target.
        """
        if self.today is None:
            return None
        decisions = read_table(self.data)[self.today]
        if self.cost_matrix is not None:
            return ClassReader(self.today, self.cost_table().actions).read_column(decisions)
        try:
            return LabelReader(self.today).read_column(decisions, one_class=True)[0]
        except InputError:
            return LabelReader(self.today, positive).read_column(decisions)[0]

    def read_review_cost(self, priced, expression):
        """The cost of a review, of all rows or of each; None if there is none.

        Parameters
        ----------
        priced : PricedData
            What :meth:`load` returned.
        expression : str or None
            A number, or an expression over the columns.
        """
        if expression is None:
            return None
        whole = self.is_file and not self.is_folder
        table = read_table(self.data, missing=self.missing) if whole else as_frame(priced.X)
        return read_costs(table, {"review_cost": expression}, self.target)["review_cost"]

    def expressions(self, priced):
        """The four costs as text; None where a data set has a cost per row, or many classes."""
        if isinstance(priced, ClassData):
            return dict.fromkeys(DEFAULTS)
        if self.is_file:
            return DEFAULTS | self.costs
        own = {name: None if hasattr(c, "shape") else str(c) for name, c in priced.costs.items()}
        return own | self.costs

    def over(self, older):
        """These settings, filled up with those of an earlier run."""
        return TableSettings(
            self.data or older.data,
            self.target or older.target,
            self.positive or older.positive,
            older.costs | self.costs,
            [*older.drop, *self.drop],
            self.today or older.today,
            [*older.missing, *self.missing],
            [*older.errors, *self.errors],
            self.replicates or older.replicates,
            cost_features=self.cost_features and older.cost_features,
            cost_matrix=self.cost_matrix or older.cost_matrix,
            sample=self.sample,
            **{name: getattr(self, name) or getattr(older, name) for name in (*ORIGIN, *WORDS)},
        )

    def save(self, folder):
        """Write them into the folder of a run."""
        settings = replace(self, data=str(Path(self.data).resolve())) if self.is_file else self
        with appearing(Path(folder) / FILE) as partial:
            partial.write_text(json.dumps(asdict(settings), indent=1) + "\n")

    @classmethod
    def load_from(cls, folder):
        """Read them from the folder of a run."""
        path = Path(folder) / FILE
        if not path.is_file():
            raise InputError(
                f"{str(folder)!r} is not the folder of a finished run; run stakes compare first."
            )
        try:
            return cls(**json.loads(path.read_text()))
        except (ValueError, TypeError):
            raise InputError(f"{str(path)!r} is damaged; run stakes compare again.") from None
