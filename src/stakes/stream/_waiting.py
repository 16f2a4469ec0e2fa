"""Events of a stream whose labels come later, in a record of their own with the same id."""

WORDS = {
    "later": ("label came later", "labels came later"),
    "waiting": ("event waits for its label", "events wait for their labels"),
    "given_up": ("event was given up unlabelled", "events were given up unlabelled"),
    "too_late": ("label came after that", "labels came after that"),
    "unknown": ("label had an id of no event", "labels had ids of no event"),
    "repeated": (
        "record repeated an event or a label and was passed over",
        "records repeated an event or a label and were passed over",
    ),
}
NEWS = {
    "given_up": "More than {limit:,} events wait for their labels: the oldest are given up, and "
    "--wait keeps more.",
    "repeated": "The id {name!r} has come before: such records are passed over, since an id names "
    "one event.",
}


class Waiting:
    """What is known about ids: which events wait for a label, and which are over.

    Parameters
    ----------
    limit : int
        At most so many events wait; one more, and the oldest is given up. The ids of as many
        events that are over are kept, so that a record that comes twice is known.
    state : dict, default=None
        What :meth:`get_state` gave: goes on from there.

    Examples
    --------
    >>> waiting = Waiting(limit=2)
    >>> waiting.receive("a", has_label=False)
    ('event', {})
    >>> waiting.receive("a", has_label=True), waiting.receive("a", has_label=True)
    (('label', {}), (None, None))
    >>> print(waiting)
    1 label came later, 0 events wait for their labels, 1 record repeated an event or a label and \
was passed over.
    """

    def __init__(self, limit, state=None):
        state = state or {"open": {}, "over": {}, "counts": {}}
        self.limit = limit
        self._open = state["open"]  # what is kept of each event, by its id, oldest first
        self._over = state["over"]  # whether each of the others has had its label
        self.counts = dict(later=0, given_up=0, too_late=0, unknown=0, repeated=0)
        self.counts |= state["counts"]
        self._news = {what: None for what in NEWS if self.counts[what]}

    def receive(self, name, *, has_label, is_complete=False):
        """What a record is: an event, a label, or (counted) neither; with the event it is about.

        Parameters
        ----------
        name : str
            The id of the record.
        has_label, is_complete : bool
            Whether it has a label, and whether it has all that an event needs as well.

        Returns
        -------
        role : {"event", "label", None}
        event : dict or None
            The same one for an event and for its label: what is to be kept goes into it.
        """
        if name in self._open and has_label:
            self._count("later", name)
            return "label", self._close(name, labelled=True)
        if name in self._open or self._over.get(name):
            self._count("repeated", name)
        elif name in self._over:
            self._count("too_late" if has_label else "repeated", name)
        elif has_label and not is_complete:
            self._count("unknown", name)
        else:
            event = self._open[name] = {}
            if has_label:
                self._close(name, labelled=True)
            elif len(self._open) > self.limit:
                self._close(next(iter(self._open)), labelled=False)
                self._count("given_up", name)
            return "event", event
        return None, None

    def _close(self, name, *, labelled):
        self._over[name] = labelled
        if len(self._over) > self.limit:
            del self._over[next(iter(self._over))]
        return self._open.pop(name)

    def _count(self, what, name):
        self.counts[what] += 1
        if what in NEWS and what not in self._news:
            self._news[what] = NEWS[what].format(limit=self.limit, name=name)

    def get_state(self):
        """Everything as dicts of plain values."""
        return {"open": self._open, "over": self._over, "counts": self.counts}

    def news(self):
        """Sentences about what has happened for the first time: a pipe may have no end."""
        said = [sentence for sentence in self._news.values() if sentence]
        self._news = dict.fromkeys(self._news)
        return said

    @property
    def n_open(self):
        """How many events wait."""
        return len(self._open)

    def __str__(self):
        counts = {"later": self.counts["later"], "waiting": self.n_open} | self.counts
        said = [
            f"{n:,} {WORDS[what][n != 1]}"
            for what, n in counts.items()
            if n or what in ("later", "waiting")
        ]
        return ", ".join(said) + "."
