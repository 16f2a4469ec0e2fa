"""A trained pipeline that decides at the costs of its training unless others are given."""

import numpy as np
from sklearn.pipeline import Pipeline

from stakes._core.deciding import predict_with_costs, takes_costs
from stakes._core.stored.facts import COST_MATRIX, COSTS
from stakes._core.stored.sklearn_checks import check_named_steps
from stakes._core.stored.spec import Mapping, Maybe, Text
from stakes.costs import COST_NAMES, CostMatrix
from stakes.errors import InputError
from stakes.tables import CostTable, as_frame, cast_like, read_costs


class PricedPipeline(Pipeline):
    """A pipeline with the costs of its training: `predict` uses them for what is not given.

    Parameters
    ----------
    steps, transform_input, memory, verbose
        As for scikit-learn's `Pipeline`.
    costs : dict, default=None
        fp_cost, fn_cost, tp_cost, tn_cost -> expression over the columns of the table; None where
        the costs of the training rows were not an expression.
    kinds : dict, default=None
        Column -> kind of the training table.
    cost_matrix : dict, default=None
        Instead of the costs, those of many classes (:meth:`stakes.tables.CostTable.to_dict`); the
        decisions are then its actions.

    Examples
    --------
    >>> import polars as pl
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stakes.decision import BayesDecisionClassifier
    >>> from stakes.tables import prepare
    >>> table = pl.DataFrame({"amount": [1.0, 2.0, 3.0, 4.0]})
    >>> model = prepare(BayesDecisionClassifier(LogisticRegression()), table)
    >>> model = model.fit(table, [0, 0, 1, 1])
    >>> costs = dict(fp_cost="1", fn_cost="20*amount", tp_cost="0", tn_cost="0")
    >>> priced = PricedPipeline(model.steps, costs=costs)
    >>> model.predict(table).tolist(), priced.predict(table).tolist()
    ([0, 0, 1, 1], [1, 1, 1, 1])
    """

    # all of it are parameters
    _file_state = {
        "costs": Maybe(COSTS),
        "kinds": Maybe(Mapping(Text())),
        "cost_matrix": Maybe(COST_MATRIX),
    }
    _check_file_state = staticmethod(check_named_steps)

    def __init__(
        self,
        steps,
        *,
        transform_input=None,
        memory=None,
        verbose=False,
        costs=None,
        kinds=None,
        cost_matrix=None,
    ):
        super().__init__(steps, transform_input=transform_input, memory=memory, verbose=verbose)
        self.costs = costs
        self.kinds = kinds
        self.cost_matrix = cost_matrix

    def predict(self, X, **given):
        """Decide at the costs of training, evaluated on the rows of X, or at those that are given.

        Parameters
        ----------
        X : data frame
            Rows with the columns of the training table.
        **given : float or array-like of shape (n,)
            fp_cost, fn_cost, tp_cost, tn_cost (with many classes cost_matrix, of shape (k, m) or
            (n, k, m)), instead of those of training.

        Returns
        -------
        ndarray of shape (n,)
            The labels.
        """
        plain = Pipeline(self.steps)
        if self.cost_matrix is not None:
            return self._decide_classes(plain, X, **given)
        if not takes_costs(plain):
            return plain.predict(X, **given)
        given = {name: cost for name, cost in given.items() if cost is not None}
        stored = {name: (self.costs or {}).get(name) for name in COST_NAMES if name not in given}
        unknown = tuple(name for name, cost in stored.items() if cost is None)
        if unknown:
            raise InputError(
                "The model was trained on rows with costs of their own; give those of the new "
                f"rows: {' and '.join(f'{{{name}}}' for name in unknown)}.",
                unknown,
            )
        table = cast_like(as_frame(X), self.kinds or {})
        if stored:
            given = read_costs(table, stored) | given
        return predict_with_costs(plain, table, **given)

    def _decide_classes(self, plain, X, cost_matrix=None):
        priced, rows = CostTable.of(**self.cost_matrix), cast_like(as_frame(X), self.kinds or {})
        if cost_matrix is None:
            cost_matrix = priced.evaluate(rows)
        costs = CostMatrix.of(cost_matrix, len(priced.classes), actions=priced.actions)
        P = plain.predict_proba(rows)
        if takes_costs(plain):
            return np.array(priced.actions)[costs.decide(P)]
        return np.array(priced.actions)[costs.answer(P.argmax(axis=1))]
