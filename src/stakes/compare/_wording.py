"""The words of the user's business: what the two decisions are called, and the currency."""

from dataclasses import dataclass

from stakes._core.words import money
from stakes.compare._contestants import CONSTANT_POLICIES

_SYMBOLS = "$€£¥"


@dataclass(frozen=True)
class Wording:
    """How a report calls the decisions and writes amounts.

    Parameters
    ----------
    positive_means, negative_means : str, default=None
        The two decisions, such as "refuse" and "accept"; None: positive and negative.
    currency : str, default=None
        A symbol, written before amounts, or a code such as SEK, written after them.

    Examples
    --------
    >>> words = Wording("refuse", currency="€")
    >>> words.say("Always negative costs least"), words.amount(-1234.5)
    ('Never refuse costs least', '-€1,234')
    """

    positive_means: str | None = None
    negative_means: str | None = None
    currency: str | None = None

    def amount(self, value):
        """An amount of money with its currency."""
        text = money(value)
        if not self.currency:
            return text
        if self.currency not in _SYMBOLS:
            return f"{text} {self.currency}"
        sign = "-" if text.startswith("-") else ""
        return f"{sign}{self.currency}{text.removeprefix('-')}"

    def summary(self, data):
        """What is at stake in a data set, in these words."""
        found = data.summary()
        return self.say(found.in_words(self.amount) if self.currency else str(found))

    def say(self, value):
        """Text, or all texts in a list or dict, with the decisions in these words."""
        if isinstance(value, dict):
            return {key: self.say(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.say(one) for one in value]
        if isinstance(value, str):
            for name, shown in self._policies().items():
                value = value.replace(name, shown)
                value = value.replace(name.capitalize(), shown[0].upper() + shown[1:])
        return value

    def _policies(self):
        negative, positive = CONSTANT_POLICIES
        shown = {}
        if self.positive_means:
            shown = {positive: f"always {self.positive_means}"}
            shown["say positive above"] = f"{self.positive_means} above"
            shown[negative] = f"never {self.positive_means}"
        if self.negative_means:
            shown[negative] = f"always {self.negative_means}"
        return shown
