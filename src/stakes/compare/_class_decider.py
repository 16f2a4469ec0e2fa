"""A trained model of many classes that decides about batches of new rows."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from stakes._core.deciding import final_step
from stakes._core.model_file import load_model
from stakes._core.stored.facts import check_trained
from stakes.compare._decider import BatchDecider
from stakes.costs import CostMatrix
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError, near_matches
from stakes.tables import CostTable, blank_out, cast_like


def load_decider(path, keep=(), *, max_error=0.05, verify=None, cost_matrix=None, **costs):
    """The model of a file as a :class:`BatchDecider`, or a :class:`ClassDecider` of many classes.

    Parameters
    ----------
    path : str or Path
        A file of :func:`train_to_file`.
    keep : sequence of str, default=()
        Columns to copy to the result.
    max_error : float, default=0.05
        As in :class:`BatchDecider`.
    verify : str or Path, default=None
        File of a public key that the model must be signed with.
    cost_matrix : str or Path, default=None
        CSV of costs that replace those of training; its decisions may be others.
    **costs : str
        fp_cost, fn_cost, tp_cost, tn_cost, for two classes.

    Returns
    -------
    BatchDecider or ClassDecider
    """
    stored = load_model(path, verify=verify)
    check_trained(path, stored.facts)
    trained = stored.facts.get("cost_matrix")
    if not trained:
        if cost_matrix is not None:
            raise InputError(
                "The model was trained for two classes; remove {parameter}.", "cost_matrix"
            )
        return BatchDecider.of(path, stored, keep, max_error=max_error, **costs)
    given = [name for name, cost in costs.items() if cost is not None]
    if given:
        raise InputError(
            "The model has a cost matrix; give {cost_matrix} instead of {" + given[0] + "}.",
            ("cost_matrix", given[0]),
        )
    table = CostTable.of(**trained)
    if cost_matrix is not None:
        table = _in_order(CostTable.read(cost_matrix), table.classes)
    missing = stored.facts.get("missing", [])
    return ClassDecider(stored.model, stored.facts["kinds"], table, list(keep), missing)


@dataclass
class ClassDecider:
    """Decides about batches of new rows with a model of many classes.

    Parameters
    ----------
    model : estimator
        The stored model.
    kinds : dict
        Column -> kind in training.
    table : CostTable
        The costs.
    keep : list of str
        Columns to copy to the result.
    missing : list of str, default=[]
        Texts that were missing values in training.

    Attributes
    ----------
    rows : int
        Decisions so far.
    cost : float
        Their expected cost.
    counts : dict
        Decision -> how often it was made.
    """

    model: object
    kinds: dict
    table: CostTable
    keep: list = field(default_factory=list)
    missing: list = field(default_factory=list)
    rows: int = 0
    cost: float = 0.0
    counts: dict = field(default_factory=dict)
    positive = None  # two classes have it
    replicates = None
    reasons = None

    @property
    def settings(self):
        """What the decisions depend on, for the record of a folder."""
        return self.table.to_dict()

    def decide(self, batch):
        """Rows of the result for one batch of a table."""
        self._check(batch)
        first = self.rows + 1
        rows = cast_like(blank_out(batch, self.missing), self.kinds, first_row=first)
        costs = CostMatrix(self.table.evaluate(rows, first_row=first))
        k, actions = len(self.table.classes), np.array(self.table.actions)
        P, decided = np.zeros((rows.height, k)), np.zeros(rows.height, dtype=np.intp)
        if rows.height:
            P = np.asarray(self.model.predict_proba(rows), dtype=np.float64)
            decided = costs.decide(P)
            if not isinstance(final_step(self.model)[0], BayesDecisionClassifier):
                decided = costs.answer(P.argmax(axis=1))  # by the most probable class
        expected = costs.expected(P)[np.arange(len(P)), decided]
        self.rows += rows.height
        self.cost += float(expected.sum())
        for j, n in enumerate(np.bincount(decided, minlength=len(actions)).tolist()):
            self.counts[self.table.actions[j]] = self.counts.get(self.table.actions[j], 0) + n
        names = [f"probability_{name}" for name in self.table.classes]
        return pl.DataFrame(
            {
                "row": np.arange(first, first + rows.height),
                **{name: batch[name] for name in self.keep},
                "decision": pl.Series(actions[decided].tolist(), dtype=pl.String),
                **dict(zip(names, P.T, strict=True)),
                "expected_cost": expected,
            }
        )

    def in_words(self, result):
        """The result itself: its decisions are words."""
        return result

    def fresh(self):
        """The same, with nothing decided yet."""
        return ClassDecider(self.model, self.kinds, self.table, self.keep, self.missing)

    def decide_within(self, *args):
        """Raise: limits are for two classes."""
        raise InputError("Limits and reviews are for two classes; this model has a cost matrix.")

    def with_reasons(self, *args):
        """Raise: reasons are for two classes."""
        raise InputError("Reasons are for two classes; this model has a cost matrix.")

    def _check(self, batch):
        own = {"row", "decision", "expected_cost"}
        own |= {f"probability_{name}" for name in self.table.classes}
        for name in self.keep:
            if name not in batch.columns:
                raise InputError(
                    f"The column {name!r} to keep is not in the table: "
                    + near_matches(name, batch.columns)
                )
            if name in own:
                raise InputError(
                    f"A kept column is called {name!r}, like one of the result; rename it."
                )


def _in_order(table, classes):
    """A table of costs with its rows in the order of the model's classes."""
    if sorted(table.classes) != sorted(classes):
        raise InputError(
            f"{{parameter}} has the classes {', '.join(table.classes)}, the model "
            f"{', '.join(classes)}; they must be the same.",
            "cost_matrix",
        )
    rows = [table.classes.index(name) for name in classes]
    return CostTable.of(classes, table.actions, [table.cells[i] for i in rows])
