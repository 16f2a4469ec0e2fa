"""What the options say about a table: kept beside a run, so that `train` need not be told again."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from stakes.errors import InputError

NAME = "table.json"
DEFAULTS = {"fp_cost": "1", "fn_cost": "1", "tp_cost": "0", "tn_cost": "0"}


@dataclass(frozen=True)
class TableSettings:
    """Where the rows are, which column is the label, and what the outcomes cost.

    Parameters
    ----------
    data : str
        A file, or the name of a data set.
    target, positive : str or None
        The label's column and its positive label; None for a named data set.
    costs : dict
        Name -> expression, of those that were given.
    drop : list of str
        Columns that are not features.
    """

    data: str
    target: str | None = None
    positive: str | None = None
    costs: dict = field(default_factory=dict)
    drop: list = field(default_factory=list)

    @classmethod
    def of(cls, data, target, positive, fp_cost, fn_cost, tp_cost, tn_cost, drop):
        """From the options of a command."""
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        given = {name: cost for name, cost in given.items() if cost is not None}
        return cls(data, target, positive, given, list(drop or []))

    @property
    def is_file(self):
        """Whether the data is a file rather than the name of a data set.

        A folder that happens to be called like a data set does not hide it.
        """
        from stakes.datasets import CATALOG

        path = Path(self.data)
        if path.is_dir() and self.data in CATALOG:
            return False
        return path.exists() or bool(path.suffix) or "/" in self.data

    def load(self):
        """The priced data."""
        return self._load_file() if self.is_file else self.load_named()

    def _load_file(self):
        from stakes.tables import check_file, load_table

        check_file(self.data)
        if self.target is None:
            raise InputError(f"Say which column of {self.data!r} is the label: --target COLUMN.")
        return load_table(
            self.data, self.target, self.positive, **(DEFAULTS | self.costs), drop=self.drop
        )

    def load_named(self):
        """The data set of that name, with other costs where they are given."""
        from stakes.datasets import CATALOG, load
        from stakes.tables import as_frame, read_costs

        generated = self.data in CATALOG and CATALOG[self.data].source == "generated"
        data = load(self.data, **({"random_state": 0} if generated else {}))
        for option, value in [("target", self.target), ("positive", self.positive)]:
            if value is not None:
                raise InputError(
                    f"The data set {self.data!r} brings its own label, so --{option} cannot be "
                    "given with it."
                )
        if self.drop:
            raise InputError(
                f"Columns of the data set {self.data!r} cannot be dropped; leave --drop out."
            )
        if self.costs:
            given = {n: c for n, c in data.costs.items() if n not in self.costs}
            data = replace(data, **read_costs(as_frame(data.X), given | self.costs))
        return data

    @staticmethod
    def opening(priced):
        """What to say before work begins: the stakes, and which columns are left out."""
        return "\n".join([f"{priced.name}: {priced.summary()}", *priced.notes])

    def expressions(self, priced):
        """The four costs as text, None where a named data set brings one of its own per row."""
        if self.is_file:
            return DEFAULTS | self.costs
        own = {name: None if hasattr(c, "shape") else str(c) for name, c in priced.costs.items()}
        return own | self.costs

    def as_options(self):
        """The words that say the same on the command line."""
        words = [self.data]
        given = dict(target=self.target, positive=self.positive, **self.costs)
        for name, value in given.items():
            if value is not None:
                words += [f"--{name.replace('_', '-')}", value]
        return words + [word for column in self.drop for word in ("--drop", column)]

    def keep(self, folder):
        """Write them into the folder of a run."""
        from stakes._core.files import appearing

        settings = self
        if self.is_file:
            settings = replace(self, data=str(Path(self.data).resolve()))
        with appearing(Path(folder) / NAME) as partial:
            partial.write_text(json.dumps(asdict(settings), indent=1) + "\n")

    @classmethod
    def kept(cls, folder):
        """Read them from the folder of a run."""
        path = Path(folder) / NAME
        if not path.is_file():
            raise InputError(
                f"{str(folder)!r} is not the folder of a finished run; run stakes compare."
            )
        try:
            return cls(**json.loads(path.read_text()))
        except (ValueError, TypeError):
            raise InputError(f"{str(path)!r} is damaged; run stakes compare again.") from None
