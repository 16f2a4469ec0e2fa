"""Games against an adversary: finite games, shifted distributions, moved examples."""

from stakes.game._equilibrium import Equilibrium
from stakes.game._finite import Decision, FiniteGame, Rollback, matching_pennies, spammer_game
from stakes.game._gaussian_shift import GaussianShiftGame, ShiftEquilibrium
from stakes.game._manipulation import ManipulationReport, manipulation_report
from stakes.game._nash import Nash
from stakes.game._response import Response, best_response
from stakes.game._shift_payoffs import kl_divergence, thesis_divergence
from stakes.game._stackelberg import StackelbergClassifier
from stakes.game._zero_sum import ZeroSumGame, exploitability

__all__ = [
    "Decision",
    "Equilibrium",
    "FiniteGame",
    "GaussianShiftGame",
    "ManipulationReport",
    "Nash",
    "Response",
    "Rollback",
    "ShiftEquilibrium",
    "StackelbergClassifier",
    "ZeroSumGame",
    "best_response",
    "exploitability",
    "kl_divergence",
    "manipulation_report",
    "matching_pennies",
    "spammer_game",
    "thesis_divergence",
]
