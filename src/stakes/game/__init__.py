"""Games against an adversary: finite ones, moved distributions, moved examples."""

from stakes.game._exploitability import Exploitability, exploitability
from stakes.game._finite import Decision, FiniteGame, Rollback, matching_pennies, spammer_game
from stakes.game._nash import Nash
from stakes.game._response import Response, best_response
from stakes.game._stackelberg import StackelbergClassifier

__all__ = [
    "Decision",
    "Exploitability",
    "FiniteGame",
    "Nash",
    "Response",
    "Rollback",
    "StackelbergClassifier",
    "best_response",
    "exploitability",
    "matching_pennies",
    "spammer_game",
]
