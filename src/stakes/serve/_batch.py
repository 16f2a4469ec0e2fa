"""Events that are decided one after the other, as columns."""

from dataclasses import dataclass

from stakes.tables import Events


@dataclass
class Batch:
    """Events to decide about, none of which was decided before.

    Attributes
    ----------
    ids : list of str
        Their ids, all different.
    events : Events
        Their fields.
    prices : list of Prices
        What each of them may cost.
    reasons : list of int
        How many reasons each one asks for.
    times : list of float or None
        When each of them happened; None: now.
    ahead : dict
        Trained model -> its scores, which the journal does not change.
    """

    ids: list
    events: Events
    prices: list
    reasons: list
    times: list
    ahead: dict

    def take(self, rows):
        """Some of the events, in their order."""
        if len(rows) == len(self.ids):
            return self
        columns = [self.ids, self.events.rows, self.prices, self.reasons, self.times]
        columns = [[column[i] for i in rows] for column in (*columns, *self.ahead.values())]
        ids, events, prices, reasons, times, *scores = columns
        ahead = dict(zip(self.ahead, scores, strict=True))
        return Batch(ids, Events(events), prices, reasons, times, ahead)
