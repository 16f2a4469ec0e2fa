"""The rules of a trained tree or list, with the names of the table that it was trained on."""

from stakes._core.deciding import final_step
from stakes._core.model_file import load_model
from stakes.costs import COST_NAMES
from stakes.errors import InputError
from stakes.tables import cast_like, load_table

PER_ROW = (
    "Costs differ from row to row: a rule shows the decision at the mean costs of its training "
    "rows; a row is decided positive where a false negative costs more than cost_ratio times a "
    "false positive."
)


class ModelRules:
    """Rules of a model of :func:`train_to_file`.

    Parameters
    ----------
    path : str or Path
        The model file.
    data : str or Path or None, default=None
        Table with labels, to count examples and p-values on; None: the rows of training.
    **costs : str or None
        fp_cost, fn_cost, tp_cost, tn_cost as numbers, instead of those of training.

    Attributes
    ----------
    heading : list of str
        What the decisions mean, and at which costs they are made.
    """

    def __init__(self, path, data=None, **costs):
        stored = load_model(path)
        self._model, before = final_step(stored.model)
        if not hasattr(self._model, "rules"):
            raise InputError(
                f"{str(path)!r} has no rules: it is a {type(self._model).__name__}; train "
                "ConfidenceTreeClassifier or AssociationRuleClassifier with {learner}.",
                "learner",
            )
        facts = stored.facts
        if not {"kinds", "costs", "target"} <= facts.keys() or not before:
            raise InputError(f"{str(path)!r} was not made by stakes train; train it there.")
        prices = self._prices(facts["costs"], costs)
        encoder = before[-1]
        self._names = dict(
            feature_names=list(encoder.get_feature_names_out()),
            category_names={name: [*known, "other"] for name, known in encoder.categories_.items()},
        )
        self._more = dict(prices or {})
        if data is not None:
            self._more |= self._rows(data, encoder, facts)
        positive = facts.get("positive")
        what = "1" if positive is None else positive
        self.heading = [f"Decision 1: {facts['target'] or 'the label'} is {what}."]
        if prices is None:
            self.heading.append(PER_ROW)
        else:
            at = ", ".join(f"{name.replace('_', ' ')} {cost:g}" for name, cost in prices.items())
            self.heading.append(f"Costs: {at}.")

    def frame(self):
        """The rules as a data frame."""
        return self._model.rules(**self._names, **self._more)

    def text(self):
        """The rules as text."""
        return "\n".join([*self.heading, self._model.to_text(**self._names, **self._more)])

    def json(self):
        """The rules as JSON text."""
        return self._model.to_json(**self._names, **self._more)

    def graphviz(self):
        """The tree in the DOT language."""
        if not self._is_tree:
            raise InputError(
                f"{type(self._model).__name__} has rules but no tree; this needs "
                "ConfidenceTreeClassifier."
            )
        return self._model.to_graphviz(**self._names, **self._costs())

    def plot(self):
        """The tree, or the list of rules, as a matplotlib figure."""
        size = dict(max_depth=None) if self._is_tree else {}
        return self._model.plot(**size, **self._names, **self._costs()).figure

    @property
    def _is_tree(self):
        return hasattr(self._model, "to_graphviz")

    def _costs(self):
        return {name: cost for name, cost in self._more.items() if name in COST_NAMES}

    @staticmethod
    def _prices(trained, given):
        """The four costs as numbers; None if they differ from row to row."""
        texts = {name: given.get(name) or trained[name] for name in COST_NAMES}
        try:
            return {name: float(text) for name, text in texts.items()}
        except (TypeError, ValueError):
            if any(cost is not None for cost in given.values()):
                raise InputError(
                    "The costs of a rule must be numbers; give all that differ from row to row: "
                    "{fp_cost}, {fn_cost}, {tp_cost}, {tn_cost}.",
                    COST_NAMES,
                ) from None
            return None

    @staticmethod
    def _rows(data, encoder, facts):
        if facts["target"] is None:
            raise InputError(
                f"The model was trained on the data set {facts.get('data')!r}, which has no label "
                "column; leave out DATA."
            )
        missing = facts.get("missing", [])
        rows = load_table(data, facts["target"], facts.get("positive"), missing=missing)
        kinds = {name: kind for name, kind in facts["kinds"].items() if name in rows.X.columns}
        return dict(X=encoder.transform(cast_like(rows.X, kinds)), y=rows.y)
