"""Money by the hour in which an event was decided, or happened if it says when."""

KEPT = 24 * 100  # hours
NEVER, ALWAYS = "never acting", "always acting"


class Hours:
    """Events, labels and costs by hour, of the last hundred days.

    Examples
    --------
    >>> hours = Hours()
    >>> hours.decided(at=7200.0)
    >>> hours.booked(7200.0, {"probit": 5.0, NEVER: 0.0, ALWAYS: 5.0}, 1)
    >>> hours.rows()
    [(2, 1, 1, {'probit': 5.0, 'never acting': 0.0, 'always acting': 5.0})]
    """

    def __init__(self, state=()):
        self._hours = {hour: [events, labels, dict(costs)] for hour, events, labels, costs in state}

    def decided(self, at, n=1):
        """Count n events."""
        hour = int(at // 3600)
        if hour not in self._hours:
            self._hours[hour] = [0, 0, {}]
            if len(self._hours) > KEPT:
                del self._hours[min(self._hours)]
        if hour in self._hours:  # not older than all that are kept
            self._hours[hour][0] += n

    def booked(self, at, costs, sign):
        """Add what an event cost under each policy, or take it back."""
        found = self._hours.get(int(at // 3600))
        if found is not None:
            found[1] += sign
            for name, cost in costs.items():
                found[2][name] = found[2].get(name, 0.0) + sign * cost

    def rows(self):
        """(hour since 1970, events, labels, policy -> cost), oldest first."""
        return [(hour, *found) for hour, found in sorted(self._hours.items())]
