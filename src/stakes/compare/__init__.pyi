"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "BatchDecider",
    "CONSTANT_POLICIES",
    "ClassDecider",
    "Contestant",
    "CriticalDifferenceDisplay",
    "EXTERNAL",
    "Evaluation",
    "Explanation",
    "FolderDecisions",
    "FriedmanResult",
    "ModelRules",
    "RECOMMENDED",
    "Reasons",
    "Results",
    "TIMED",
    "TableSettings",
    "TimedBlendClassifier",
    "Wording",
    "adverse_action",
    "all_estimators",
    "attack_model",
    "average_ranks",
    "bootstrap_means",
    "compare",
    "contestants",
    "critical_difference",
    "find_contestant",
    "fit_on_all",
    "friedman_test",
    "load_decider",
    "predict_folder",
    "predict_spark",
    "recommended",
    "timed_blend",
    "train_parts_to_file",
    "train_to_file",
    "trainable",
    "winner_of",
]

class BatchDecider:
    model: Any
    kinds: dict[str, Any]
    costs: dict[str, Any]
    keep: list[Any]
    missing: list[Any]
    replicates: dict[str, Any]
    max_error: float
    rows: int
    positive: int
    reviewed: int
    cost: float | None
    words: Any
    reasons: Reasons | None
    def __init__(self, model: Any, kinds: dict[str, Any], costs: dict[str, Any], keep: list[Any] = ..., rows: Any = ..., positive: Any = ..., cost: Any = ..., missing: list[Any] = ..., replicates: dict[str, Any] = ..., max_error: float = ..., reviewed: Any = ..., words: Any = ..., reasons: Any = ...) -> None: ...
    def decide(self, batch: Any) -> Any: ...
    def decide_within(self, batches: Any, capacity: Any, review_cost: str | None = ..., time: str | None = ...) -> Any: ...
    def fresh(self) -> Any: ...
    def in_words(self, result: Any) -> Any: ...
    @classmethod
    def load(cls, path: Any, keep: Any = ..., *, max_error: Any = ..., verify: Any = ..., **costs: Any) -> Any: ...
    @classmethod
    def of(cls, path: Any, stored: Any, keep: Any = ..., *, max_error: Any = ..., **costs: Any) -> Any: ...
    def probability(self, table: Any) -> Any: ...
    @property
    def settings(self) -> Any: ...
    def with_reasons(self, batch: Any, result: Any, k: int, letters: bool = ...) -> Any: ...

CONSTANT_POLICIES: Any
class ClassDecider:
    model: Any
    kinds: dict[str, Any]
    table: Any
    keep: list[Any]
    missing: list[Any]
    rows: int
    cost: float
    counts: dict[str, Any]
    def __init__(self, model: Any, kinds: dict[str, Any], table: Any, keep: list[Any] = ..., missing: list[Any] = ..., rows: Any = ..., cost: Any = ..., counts: Any = ...) -> None: ...
    def decide(self, batch: Any) -> Any: ...
    def decide_within(self, *args: Any) -> Any: ...
    def fresh(self) -> Any: ...
    def in_words(self, result: Any) -> Any: ...
    @property
    def settings(self) -> Any: ...
    def with_reasons(self, *args: Any) -> Any: ...

class Contestant:
    name: str
    family: str
    estimator: Any
    grid: dict[str, Any]
    one_hot: bool
    scale: bool
    as_is: bool
    max_rows: int | None
    train_rows: int | None
    speed: Literal["quick", "timed", "fast", "medium", "slow"]
    defence: str | None
    error_bars: bool
    def __init__(self, name: str, family: str, estimator: Any, grid: dict[str, Any] = ..., one_hot: bool = ..., scale: bool = ..., as_is: bool = ..., max_rows: int | None = ..., train_rows: int | None = ..., speed: Literal["quick", "timed", "fast", "medium", "slow"] = ..., defence: str | None = ..., error_bars: bool = ...) -> None: ...
    @property
    def guarded(self) -> Any: ...
    @property
    def needs_inner_folds(self) -> Any: ...
    @property
    def settings(self) -> Any: ...

class CriticalDifferenceDisplay:
    names: list[Any]
    ranks: ArrayLike
    difference: float
    ax_: Any
    figure_: Any
    def __init__(self, names: list[Any], ranks: ArrayLike, difference: float) -> None: ...
    @classmethod
    def from_costs(cls, costs: ArrayLike, names: list[Any], *, confidence_level: float = ..., ax: Any = ...) -> CriticalDifferenceDisplay: ...
    def plot(self, ax: Any = ..., *, color: Any = ...) -> CriticalDifferenceDisplay: ...

EXTERNAL: str
class Evaluation:
    decisions: Any
    outcomes: Any
    target: str
    costs: dict[str, Any]
    positive: str | None
    by: str
    time: str | None
    challenger: Any
    wording: Wording
    def __init__(self, decisions: Any, outcomes: Any, target: str, costs: dict[str, Any], positive: str | None = ..., by: str = ..., time: str | None = ..., challenger: Any = ..., wording: Wording = ...) -> None: ...
    def summary(self) -> dict[str, Any]: ...

class Explanation:
    decider: BatchDecider
    table: Any
    target: str | None
    positive: str | None
    other_costs: dict[str, Any] | None
    wording: Wording
    random_state: int
    def __init__(self, decider: BatchDecider, table: Any, target: str | None = ..., positive: str | None = ..., other_costs: dict[str, Any] | None = ..., wording: Wording = ..., random_state: int = ...) -> None: ...
    def summary(self) -> dict[str, Any]: ...

class FolderDecisions:
    rows: int
    positive: int | None
    cost: float | None
    parts: int
    skipped: int
    def __init__(self, rows: Any, positive: Any, cost: Any, parts: Any, skipped: Any) -> None: ...

class FriedmanResult:
    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    ranks: NDArray[Any]
    def __init__(self, statistic: Any, p_value: Any, f_statistic: Any, f_p_value: Any, ranks: Any) -> None: ...

class ModelRules:
    path: str | Path
    data: str | Path | None
    costs: str | None
    heading: list[Any]
    def __init__(self, path: str | Path, data: str | Path | None = ..., **costs: Any) -> None: ...
    def frame(self) -> Any: ...
    def graphviz(self) -> Any: ...
    def json(self) -> Any: ...
    def plot(self) -> Any: ...
    def text(self) -> Any: ...

RECOMMENDED: str
class Reasons:
    probability: Callable[..., Any]
    background: Any
    columns: list[Any]
    n_orders: int
    random_state: int
    exact: Callable[..., Any] | None
    def __init__(self, probability: Callable[..., Any], background: Any, columns: list[Any], *, n_orders: int = ..., random_state: int = ..., exact: Callable[..., Any] | None = ...) -> None: ...
    def base(self, costs: Any) -> Any: ...
    def masks(self) -> Any: ...
    def of(self, X: Any, costs: Any) -> NDArray[Any]: ...
    def of_probability(self, X: Any) -> Any: ...

class Results:
    file: Any
    datasets: list[Any]
    refused: list[Any]
    unfinished: int
    today: ArrayLike | None
    capacity: Any
    wording: Wording
    def __init__(self, file: Any, datasets: Any, refused: Any, unfinished: Any, today: Any = ..., capacity: Any = ..., wording: Any = ..., _summary: Any = ...) -> None: ...
    def report(self, command: str | None = ...) -> Any: ...
    @property
    def rows(self) -> Any: ...
    def shown(self) -> Any: ...
    def summary(self) -> Any: ...
    def to_frame(self) -> Any: ...

TIMED: str
class TableSettings:
    data: str | None
    target: str | None
    positive: str | None
    costs: dict[str, Any]
    drop: list[Any]
    today: str | None
    missing: list[Any]
    errors: list[Any]
    replicates: str | None
    time: str | None
    group: str | None
    window: str | None
    label_delay: str | None
    cost_features: bool
    positive_means: str | None
    negative_means: str | None
    currency: str | None
    cost_matrix: dict[str, Any] | None
    sample: int
    def __init__(self, data: str | None, target: str | None = ..., positive: str | None = ..., costs: dict[str, Any] = ..., drop: list[Any] = ..., today: str | None = ..., missing: list[Any] = ..., errors: list[Any] = ..., replicates: str | None = ..., time: str | None = ..., group: str | None = ..., window: str | None = ..., label_delay: str | None = ..., cost_features: bool = ..., positive_means: str | None = ..., negative_means: str | None = ..., currency: str | None = ..., cost_matrix: dict[str, Any] | None = ..., sample: int = ...) -> None: ...
    def cost_table(self) -> Any: ...
    def expressions(self, priced: Any) -> Any: ...
    @property
    def is_file(self) -> Any: ...
    @property
    def is_folder(self) -> Any: ...
    def load(self) -> Any: ...
    @classmethod
    def load_from(cls, folder: Any) -> Any: ...
    def over(self, older: Any) -> Any: ...
    def read_decisions(self, positive: str) -> Any: ...
    def read_review_cost(self, priced: Any, expression: str | None) -> Any: ...
    def save(self, folder: Any) -> Any: ...
    def survey(self, sample_rows: Any, *, random_state: Any = ..., n_jobs: Any = ..., source: Any = ...) -> Any: ...
    def wording(self) -> Any: ...

class TimedBlendClassifier(ClassifierMixin, BaseEstimator):
    estimators: Any
    time_budget: float
    alpha: float
    cv: Any
    random_state: int | RandomState | None
    estimators_: list[Any]
    names_: list[Any]
    weights_: NDArray[Any]
    intercept_: float
    held_out_loss_: NDArray[Any]
    seconds_: NDArray[Any]
    classes_: NDArray[Any]
    def __init__(self, estimators: Any, *, time_budget: float = ..., alpha: float = ..., cv: Any = ..., random_state: int | RandomState | None = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike) -> Self: ...
    def get_params(self, deep: Any = ...) -> Any: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def set_params(self, **params: Any) -> Any: ...

class Wording:
    positive_means: str | None
    negative_means: str | None
    currency: str | None
    def __init__(self, positive_means: str | None = ..., negative_means: str | None = ..., currency: str | None = ...) -> None: ...
    def amount(self, value: Any) -> Any: ...
    def say(self, value: Any) -> Any: ...

def adverse_action(word: str, reasons: Any) -> str: ...
def all_estimators(folders: list[Any] = ...) -> Any: ...
def attack_model(model: str | Path, settings: TableSettings, moves: str | Path, out: str | Path, *, answers: bool = ..., case_seconds: float = ..., random_state: int = ..., command: str = ...) -> Any: ...
def average_ranks(costs: ArrayLike) -> NDArray[Any]: ...
def bootstrap_means(values: ArrayLike, n_boot: int = ..., random_state: int = ...) -> NDArray[Any]: ...
def compare(data: Any, *, learners: str | list[Any] | Contestant | None = ..., repeats: int = ..., folds: int = ..., tune: bool = ..., today: ArrayLike | None = ..., capacity: Any = ..., wording: Wording | None = ..., adversary: Any = ..., time_budget: float | None = ..., out: Path = ..., n_jobs: int = ..., random_state: int = ..., fresh: bool = ..., progress: Callable[..., Any] | None = ..., first_table: Callable[..., Any] | None = ...) -> Results: ...
def contestants(names: str | list[Any] | Contestant | None = ..., *, error_bars: bool = ...) -> list[Any]: ...
def critical_difference(n_learners: int, n_blocks: int, confidence_level: float = ...) -> float: ...
def find_contestant(name: str, *, error_bars: bool = ...) -> Contestant: ...
def fit_on_all(name: str, data: Any, *, random_state: int = ..., tune: bool = ..., time_budget: float | None = ...) -> Any: ...
def friedman_test(costs: ArrayLike) -> FriedmanResult: ...
def load_decider(path: str | Path, keep: list[Any] = ..., *, max_error: float = ..., verify: str | Path | None = ..., cost_matrix: str | Path | None = ..., **costs: Any) -> BatchDecider | ClassDecider: ...
def predict_folder(model: str | Path, source: str | Path, out: str | Path, *, keep: list[Any] = ..., n_jobs: int = ..., fresh: bool = ..., progress: Callable[..., Any] | None = ..., verify: str | Path | None = ..., **costs: Any) -> FolderDecisions: ...
def predict_spark(model: str | Path, frame: Any, *, keep: list[Any] = ..., verify: str | Path | None = ..., **costs: Any) -> Any: ...
def recommended(random_state: int | RandomState | None = ..., *, stream: bool = ...) -> Any: ...
def timed_blend(time_budget: float = ..., *, random_state: int | RandomState | None = ..., n_jobs: int = ...) -> Any: ...
def train_parts_to_file(path: str | Path, learner: str | None, settings: TableSettings, *, source: Any = ..., random_state: int = ..., tune: bool = ..., n_jobs: int = ..., key: Any = ..., run: Any = ...) -> Any: ...
def train_to_file(path: str | Path, learner: str, settings: TableSettings, data: Any, *, random_state: int = ..., tune: bool = ..., time_budget: float | None = ..., key: Any = ..., run: Path | None = ...) -> Path: ...
def trainable(name: str, data: Any, time_budget: float | None = ...) -> Any: ...
def winner_of(folder: Path, learner: str | None = ...) -> Any: ...