"""Games against an adversary: finite games, shifted distributions, moved examples."""

from stakes.game._answers import harden, without_moves
from stakes.game._attack import Attack, attack
from stakes.game._attack_report import AttackReport, attack_report
from stakes.game._attack_scorer import make_attack_scorer
from stakes.game._equilibrium import Equilibrium
from stakes.game._finite import Decision, FiniteGame, Rollback, matching_pennies, spammer_game
from stakes.game._gaussian_shift import GaussianShiftGame, ShiftEquilibrium
from stakes.game._infinite import InfiniteEquilibrium, InfiniteGame
from stakes.game._manipulation import ManipulationReport, manipulation_report
from stakes.game._moves import Lever, Moves, read_moves
from stakes.game._nash import Nash
from stakes.game._regret import stream_regret
from stakes.game._response import Response, best_response
from stakes.game._shift_payoffs import kl_divergence, thesis_divergence
from stakes.game._stackelberg import StackelbergClassifier
from stakes.game._zero_sum import ZeroSumGame, exploitability

__all__ = [
    "Attack",
    "AttackReport",
    "Decision",
    "Equilibrium",
    "FiniteGame",
    "GaussianShiftGame",
    "InfiniteEquilibrium",
    "InfiniteGame",
    "Lever",
    "ManipulationReport",
    "Moves",
    "Nash",
    "Response",
    "Rollback",
    "ShiftEquilibrium",
    "StackelbergClassifier",
    "ZeroSumGame",
    "attack",
    "attack_report",
    "best_response",
    "exploitability",
    "harden",
    "kl_divergence",
    "make_attack_scorer",
    "manipulation_report",
    "matching_pennies",
    "read_moves",
    "spammer_game",
    "stream_regret",
    "thesis_divergence",
    "without_moves",
]
