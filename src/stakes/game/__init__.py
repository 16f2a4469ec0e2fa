"""Games against an adversary: finite ones, moved distributions, moved examples."""

from stakes.game._exploitability import Exploitability, exploitability
from stakes.game._response import Response, best_response
from stakes.game._stackelberg import StackelbergClassifier

__all__ = [
    "Exploitability",
    "Response",
    "StackelbergClassifier",
    "best_response",
    "exploitability",
]
