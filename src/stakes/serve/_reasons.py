"""What each field of an event adds to the advantage of acting, in money."""

import numpy as np


class LearnerReasons:
    """Shapley values of one event against an average one, for a learner of single events.

    A number at its running mean and a text that is absent are features of zero, so the average
    event is the one without features.

    Parameters
    ----------
    probability : callable
        Features as a dict -> probability of the positive class.
    """

    def __init__(self, probability):
        self._probability = probability

    def of(self, event, features, prices):
        """Field -> money."""
        groups = _by_field(event, features)
        masks, weights = _subsets(len(groups))
        parts = list(groups.values())
        values = np.array(
            [
                self._probability(
                    {n: v for k, part in enumerate(parts) if mask[k] for n, v in part}
                )
                for mask in masks
            ]
        )
        return _in_money(groups, values @ weights, prices)


class ModelReasons:
    """Shapley values of one event against typical rows, for a model of `stakes train`.

    Parameters
    ----------
    stored : StoredModel
        With the typical rows that `stakes train` keeps.
    reader : EventReader
        Of its events.
    """

    def __init__(self, stored, reader):
        import polars as pl

        from stakes.compare import Reasons
        from stakes.tables import cast_like

        background, kinds = stored.facts["background"], stored.facts["kinds"]
        rows = cast_like(pl.DataFrame(background), {name: kinds[name] for name in background})
        model = stored.model
        self._reasons = Reasons(
            lambda table: np.asarray(model.predict_proba(table))[:, 1], rows, list(background)
        )
        self._reader = reader

    def of(self, event, features, prices):
        """Field -> money."""
        values = self._reasons.of_probability(self._reader.rows([event]).frame())[0]
        return _in_money(self._reasons.columns, values, prices)


def strongest(values, acts, k):
    """The k fields that speak most for what was decided, with their money.

    Examples
    --------
    >>> strongest({"a": 1.0, "b": -3.0, "c": 2.0}, acts=True, k=2)
    [('c', 2.0), ('a', 1.0)]
    >>> strongest({"a": 1.0, "b": -3.0, "c": 2.0}, acts=False, k=2)
    [('b', -3.0)]
    """
    sign = 1.0 if acts else -1.0
    found = sorted(values.items(), key=lambda item: -sign * item[1])[:k]
    return [(name, value) for name, value in found if sign * value > 0]


def _in_money(names, values, prices):
    at_stake = (prices.fn - prices.tp) + (prices.fp - prices.tn)
    return {name: float(at_stake * value) for name, value in zip(names, values, strict=True)}


def _by_field(event, features):
    """Field -> its features: a text or a date becomes several, named after it."""
    groups = {}
    for name, value in features.items():
        field = name if name in event else _field_of(name, event)
        groups.setdefault(field, []).append((name, value))
    return groups


def _field_of(name, event):
    ends = [i for i, c in enumerate(name) if c in "=."]
    return next((name[:i] for i in ends if name[:i] in event), name)


def _subsets(d):
    """Which fields are the event's own, and the weight of each outcome in each value."""
    import polars as pl

    from stakes.compare import Reasons

    one_row = pl.DataFrame({"average": [0]})
    return Reasons(None, one_row, range(d), n_orders=8).masks()
