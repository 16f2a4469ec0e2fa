"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

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

class Attack:
    moves: Moves
    method: Literal["linear", "trees", "blend", "search"]
    rows: NDArray[Any]
    gain: NDArray[Any]
    price: NDArray[Any]
    bound: NDArray[Any]
    levers: Any
    amounts: NDArray[Any]
    paid_before: NDArray[Any]
    paid_after: NDArray[Any]
    stakes: NDArray[Any]
    limit: NDArray[Any]
    n_positive: int
    decided_after: NDArray[Any]
    n_searched: int
    def __init__(self, moves: Any, method: Any, rows: Any, gain: Any, price: Any, bound: Any, levers: Any, amounts: Any, paid_before: Any, paid_after: Any, stakes: Any, limit: Any, n_positive: Any, decided_after: Any, n_searched: Any) -> None: ...
    @property
    def bill(self) -> Any: ...
    @property
    def bill_after(self) -> Any: ...
    @property
    def bill_bound(self) -> Any: ...
    def describe(self, i: Any) -> Any: ...
    @property
    def gap(self) -> Any: ...
    @property
    def past(self) -> Any: ...
    @property
    def spent(self) -> Any: ...

class AttackReport:
    outcomes: Any
    columns: Any
    curve: Any
    cheapest: Any
    attacks: list[Any]
    answer: str | None
    missing: list[Any]
    def __init__(self, outcomes: Any, columns: Any, curve: Any, cheapest: Any, attacks: Any, answer: Any, missing: Any) -> None: ...
    def plot(self, ax: Any = ...) -> Any: ...
    def sentences(self) -> Any: ...
    def to_markdown(self) -> Any: ...

class Decision:
    player: str
    actions: dict[str, Any]
    information: str | None
    def __init__(self, player: str, actions: dict[str, Any], information: str | None = ...) -> None: ...

class Equilibrium:
    W: NDArray[Any]
    moves: NDArray[Any]
    probabilities: NDArray[Any]
    value: float
    adversary_gain: float
    learner_gain: float
    payoffs: ArrayLike
    def __init__(self, W: Any, moves: Any, probabilities: Any, value: Any, adversary_gain: Any, learner_gain: Any, payoffs: Any = ...) -> None: ...
    @property
    def exploitability(self) -> Any: ...

class FiniteGame:
    root: Decision
    players: list[Any]
    def __init__(self, root: Decision, players: list[Any]) -> None: ...
    def commitment(self, leader: str | None = ...) -> Nash: ...
    def draw(self, ax: Any = ...) -> Any: ...
    @classmethod
    def from_matrices(cls, first: ArrayLike, second: ArrayLike, players: list[Any], first_actions: list[Any], second_actions: list[Any]) -> Any: ...
    def nash(self) -> list[Any]: ...
    def normal_form(self) -> Any: ...
    def plans(self, player: str) -> list[Any]: ...
    def rollback(self) -> Rollback: ...

class GaussianShiftGame:
    leader_mean: ArrayLike
    leader_sd: ArrayLike
    follower_mean: ArrayLike
    follower_sd: ArrayLike
    divergence_price: float
    boundary_price: float
    divergence: Literal["kl", "thesis"]
    move_deviations: bool
    def __init__(self, leader_mean: ArrayLike, leader_sd: ArrayLike, follower_mean: ArrayLike, follower_sd: ArrayLike, *, divergence_price: float = ..., boundary_price: float = ..., divergence: Literal["kl", "thesis"] = ..., move_deviations: bool = ...) -> None: ...
    @classmethod
    def from_data(cls, X: ArrayLike, y: ArrayLike, **options: Any) -> GaussianShiftGame: ...
    def gain_of(self, X: ArrayLike) -> float: ...
    def payoffs(self, mean_shift: ArrayLike, sd_shift: ArrayLike = ..., boundary: ArrayLike | None = ...) -> ShiftEquilibrium: ...
    def reply(self, mean_shift: ArrayLike, sd_shift: ArrayLike = ...) -> NDArray[Any]: ...
    def solve(self, method: Literal["exact", "genetic", "algorithm 7"] = ..., *, random_state: int | RandomState | None = ..., **options: Any) -> ShiftEquilibrium: ...

class InfiniteEquilibrium:
    leader_action: NDArray[Any]
    follower_action: NDArray[Any]
    leader_payoff: float
    follower_payoff: float
    def __init__(self, leader_action: Any, follower_action: Any, leader_payoff: Any, follower_payoff: Any) -> None: ...

class InfiniteGame:
    leader_payoff: Callable[..., Any]
    follower_payoff: Callable[..., Any]
    leader_bounds: list[Any] | float
    follower_bounds: list[Any] | float
    ties: Literal["worst", "best"]
    random_state: int
    def __init__(self, leader_payoff: Callable[..., Any], follower_payoff: Callable[..., Any], leader_bounds: list[Any] | float, follower_bounds: list[Any] | float, *, ties: Literal["worst", "best"] = ..., random_state: int = ...) -> None: ...
    def regret(self, equilibrium: InfiniteEquilibrium, n: int = ...) -> Any: ...
    def reply(self, leader_action: ArrayLike) -> NDArray[Any]: ...
    def solve(self) -> InfiniteEquilibrium: ...

class Lever:
    unit_price: float
    change_price: float
    lower: float
    upper: float
    direction: Literal["both", "up", "down"]
    integer: bool
    values: list[Any] | None
    fixed: bool
    columns: dict[str, Any] | list[Any] | None
    def __init__(self, unit_price: float = ..., change_price: float = ..., lower: float = ..., upper: float = ..., direction: Literal["both", "up", "down"] = ..., integer: bool = ..., values: list[Any] | None = ..., fixed: bool = ..., columns: dict[str, Any] | list[Any] | None = ...) -> None: ...
    @classmethod
    def of(cls, name: Any, given: Any, group: Any = ...) -> Any: ...
    @property
    def rates(self) -> Any: ...

class ManipulationReport:
    features: Any
    outcomes: Any
    exact: bool
    def __init__(self, features: Any, outcomes: Any, exact: Any) -> None: ...
    def plot(self, ax: Any = ..., top: int = ...) -> Any: ...
    def to_markdown(self, top: int = ...) -> Any: ...

class Moves:
    columns: dict[str, Any]
    groups: dict[str, Any]
    norm: Literal["l1", "l2"]
    max_price: float
    gain: float | str
    name: str
    def __init__(self, columns: dict[str, Any] = ..., groups: dict[str, Any] = ..., norm: Literal["l1", "l2"] = ..., max_price: float = ..., gain: float | str = ..., name: str = ...) -> None: ...
    def monotonic_cst(self, names: list[Any]) -> dict[str, Any]: ...

class Nash:
    strategies: Any
    payoffs: Any
    def __init__(self, strategies: Any, payoffs: Any) -> None: ...
    @property
    def pure(self) -> Any: ...

class Response:
    shift: NDArray[Any]
    payoff: float
    loss: float
    paid: float
    gain: float
    def __init__(self, shift: Any, payoff: Any, loss: Any, paid: Any, gain: Any) -> None: ...

class Rollback:
    path: Any
    payoffs: Any
    plans: dict[str, Any]
    pruned: list[Any]
    tied: list[Any]
    def __init__(self, path: Any, payoffs: Any, plans: Any, pruned: Any, tied: Any) -> None: ...

class ShiftEquilibrium:
    mean_shift: NDArray[Any]
    sd_shift: NDArray[Any]
    boundary: NDArray[Any]
    leader_payoff: float
    follower_payoff: float
    fnr: float
    fpr: float
    local: list[Any]
    trace: NDArray[Any]
    error_trace: NDArray[Any]
    def __init__(self, mean_shift: Any, sd_shift: Any, boundary: Any, leader_payoff: Any, follower_payoff: Any, fnr: Any, fpr: Any, local: Any = ..., trace: Any = ..., error_trace: Any = ...) -> None: ...
    @property
    def error_rate(self) -> Any: ...

class StackelbergClassifier(ClassifierMixin, BaseEstimator):
    loss: Literal["logistic", "hinge"]
    alpha: float
    movement_price: float | ArrayLike
    movable: ArrayLike | None
    adversary_share: ArrayLike | None
    solver: Literal["minimax", "play"]
    improvement: float
    max_rounds: int
    tol: float
    max_iter: int
    window: int
    fit_intercept: bool
    pos_label: Any
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    shift_: NDArray[Any]
    moves_: NDArray[Any]
    move_probabilities_: NDArray[Any]
    value_: float
    adversary_gain_: float
    learner_gain_: float
    exploitability_: float
    payoffs_: NDArray[Any]
    n_iter_: int
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, loss: Literal["logistic", "hinge"] = ..., alpha: float = ..., movement_price: float | ArrayLike = ..., movable: ArrayLike | None = ..., adversary_share: ArrayLike | None = ..., solver: Literal["minimax", "play"] = ..., improvement: float = ..., max_rounds: int = ..., tol: float = ..., max_iter: int = ..., window: int = ..., fit_intercept: bool = ..., pos_label: Any = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = ..., sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class ZeroSumGame:
    X: NDArray[Any]
    y: NDArray[Any]
    sample_weight: NDArray[Any]
    ease: NDArray[Any]
    share: NDArray[Any]
    loss: Literal["logistic", "hinge"]
    alpha: float
    fit_intercept: bool
    def __init__(self, X: NDArray[Any], y: NDArray[Any], sample_weight: NDArray[Any], ease: NDArray[Any], share: NDArray[Any], loss: Literal["logistic", "hinge"], alpha: float, fit_intercept: bool = ...) -> None: ...
    def after(self, moves: Any) -> Any: ...
    def best_classifier(self, moves: Any, tol: Any, max_iter: Any, start: Any = ...) -> Any: ...
    def best_moves(self, W: Any, f: Any = ...) -> Any: ...
    def gains_at(self, moves: NDArray[Any], W: NDArray[Any], tol: Any = ..., max_iter: Any = ...) -> Equilibrium: ...
    def paid(self, moves: Any) -> Any: ...
    def positive_loss(self, moves: Any, W: Any) -> Any: ...
    def ridge(self, W: Any) -> Any: ...
    def solve(self, tol: float = ..., max_iter: int = ...) -> Equilibrium: ...
    def value(self, moves: Any, W: Any) -> Any: ...
    def value_and_gradient(self, W: Any) -> Any: ...
    def worst_case(self, W: Any) -> Any: ...

def attack(model: Any, X: Any, y: ArrayLike, moves: Moves, *, pos_label: Any = ..., fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., settle: bool = ..., case_seconds: float = ..., time_budget: float | None = ..., progress: Callable[..., Any] | None = ...) -> Attack: ...
def attack_report(model: Any, X: Any, y: ArrayLike, moves: Moves | list[Any], *, pos_label: Any = ..., fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., answers: bool = ..., cv: int = ..., settle: bool = ..., case_seconds: bool = ..., time_budget: float | None = ..., progress: Callable[..., Any] | None = ..., random_state: int | None = ...) -> AttackReport: ...
def best_response(w: ArrayLike, b: float, X: Any, loss: Literal["logistic", "hinge"] = ..., movement_price: float | ArrayLike = ..., sample_weight: ArrayLike | None = ..., *, movable: ArrayLike | None = ...) -> Response: ...
def exploitability(w: ArrayLike, b: float, shift: ArrayLike, X: Any, y: ArrayLike, *, loss: Any = ..., alpha: Any = ..., movement_price: Any = ..., movable: Any = ..., sample_weight: ArrayLike | None = ..., tol: float = ..., max_iter: int = ...) -> Equilibrium: ...
def harden(model: Any, X: Any, y: ArrayLike, moves: Moves | list[Any], *, max_rounds: int = ..., pos_label: Any = ..., case_seconds: float = ..., time_budget: float | None = ..., progress: Callable[..., Any] | None = ..., fresh: bool = ..., **costs: Any) -> Any: ...
def kl_divergence(mean: float | NDArray[Any], sd: float | NDArray[Any], moved_mean: float | NDArray[Any], moved_sd: float | NDArray[Any]) -> float | NDArray[Any]: ...
def make_attack_scorer(moves: Moves | list[Any], *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., pos_label: Any = ..., case_seconds: float = ...) -> Any: ...
def manipulation_report(model: Any, X: Any, y: ArrayLike, movement_price: float | ArrayLike = ..., *, movable: ArrayLike | None = ..., loss: Literal["logistic", "hinge"] = ..., alpha: float = ..., pos_label: Any = ..., fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., max_evaluations: int = ..., cv: int = ..., random_state: int | None = ...) -> ManipulationReport | AttackReport: ...
def matching_pennies() -> Any: ...
def read_moves(path: str | Path) -> list[Any]: ...
def spammer_game() -> Any: ...
def stream_regret(model: StackelbergClassifier, batches: Any) -> Any: ...
def thesis_divergence(mean: float | NDArray[Any], variance: float | NDArray[Any], moved_mean: float | NDArray[Any], moved_variance: float | NDArray[Any]) -> float | NDArray[Any]: ...
def without_moves(model: Any, X: Any, y: ArrayLike, moves: Moves | list[Any], **costs: Any) -> Any: ...