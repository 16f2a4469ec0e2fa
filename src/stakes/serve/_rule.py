"""What is done without a model, as a contender: an alert wherever a condition holds."""

from stakes.errors import InputError
from stakes.tables import CostExpression

TODAYS_RULE = "today's rule"
_MARK = b"rule:"  # a model file, which is a zip archive, begins with other bytes


class RuleModel:
    """A rule over the fields of an event; it has no probabilities and knows no limits.

    Parameters
    ----------
    text : str
        Condition, written as in a cost expression. Where a field that it needs is missing, or of
        another kind, it does not hold.

    Examples
    --------
    >>> from stakes.tables import Events
    >>> rule = RuleModel('amount > 500 and country != "FR"')
    >>> events = Events([{"amount": 900.0, "country": "BR"}, {"amount": 900.0}])
    >>> rule.score(events, None, None)
    [(None, 1), (None, 0)]
    """

    learns = has_probabilities = False
    promised, ranges, rows, tolerance = None, {}, 0, 1.0
    suffix = ".txt"

    def __init__(self, text):
        try:
            self._alerts = CostExpression(f"where({text}, 1, 0)")
        except InputError as error:
            raise InputError(
                f"{{parameter}} = {text!r} is not a condition such as amount > 500: {error}", "rule"
            ) from None
        self.text = text

    @property
    def fields(self):
        """Fields that the rule uses."""
        return self._alerts.columns

    def score(self, events, features, prices):
        """No probability, and the action, for each event."""
        return [(None, self._action(event)) for event in events.rows]

    def explain(self, event, features, prices):
        """None: a rule explains itself."""

    def to_bytes(self):
        """The rule as text, with a mark."""
        return _MARK + self.text.encode()

    def _action(self, event):
        try:
            value = self._alerts.evaluate_one({name: event.get(name) for name in self.fields})
        except InputError:  # such as a text where a number was meant
            return 0
        return int(value > 0)


def rule_of_bytes(content):
    """The rule that :meth:`RuleModel.to_bytes` wrote; None if it is something else."""
    if not content.startswith(_MARK):
        return None
    try:
        return RuleModel(content.removeprefix(_MARK).decode())
    except UnicodeDecodeError:
        raise InputError("The rule is not UTF-8 text.") from None
