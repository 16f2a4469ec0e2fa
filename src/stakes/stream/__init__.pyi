"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "ClassPrices",
    "ClassStream",
    "ClassTotals",
    "Decision",
    "DecisionStream",
    "DriftAlarm",
    "DriftTest",
    "FeatureRows",
    "FileStream",
    "LabelCounts",
    "Outcome",
    "PendingEvent",
    "PriceList",
    "Prices",
    "ProgressDisplay",
    "ProgressiveResult",
    "Records",
    "RowEncoder",
    "Totals",
    "open_records",
    "packed",
    "progressive",
    "unpacked",
]

class ClassPrices(tuple[Any, ...]):
    def at_stake(self, label: Any) -> Any: ...
    def expected(self, probability: Any, action: Any) -> Any: ...
    def paid(self, label: Any, action: Any) -> Any: ...

class ClassStream:
    learner: Any
    cost_matrix: Any
    options: Any
    totals: ClassTotals
    def __init__(self, learner: Any, *, cost_matrix: Any, **options: Any) -> None: ...
    @property
    def counts(self) -> Any: ...
    def decide(self, event: dict[str, Any], id: str | int | None = ...) -> Decision | None: ...
    def decide_many(self, events: list[Any], ids: list[Any] | int | None = ...) -> list[Any] | None: ...
    @property
    def first_repeated(self) -> Any: ...
    def is_complete(self, event: Any) -> Any: ...
    def knows(self, id: Any) -> Any: ...
    def label(self, id: str | int, y: Any) -> Outcome: ...
    def learn(self, event: dict[str, Any], y: Any = ..., id: str | int | None = ...) -> Decision | None: ...
    @classmethod
    def load(cls, path: str | Path, **changed: Any) -> Any: ...
    @property
    def n_pending(self) -> Any: ...
    @property
    def result_columns(self) -> Any: ...
    def result_of(self, decision: Any) -> Any: ...
    def save(self, path: str | Path, **extra: Any) -> Any: ...

class ClassTotals:
    events: int
    labels: int
    paid: float
    constant: ArrayLike
    def __init__(self, events: Any = ..., labels: Any = ..., paid: Any = ..., constant: Any = ...) -> None: ...

class Decision(tuple[Any, ...]):
    id: str | int
    action: int
    probability: float | ArrayLike | None
    break_even: float | None
    expected_cost: float | None

class DecisionStream:
    learner: Any
    fp_cost: float | str
    fn_cost: float | str
    tp_cost: float | str
    tn_cost: float | str
    target: str | None
    positive: str | float | None
    drop: list[Any]
    prior: float
    max_pending: int
    delay: int
    n_features: int | None
    max_features: int
    false_alarm_every: int | None
    encoder: RowEncoder | None
    totals: Totals
    drift: DriftTest
    labels: Any
    extra: dict[str, Any]
    def __init__(self, learner: Any, *, fp_cost: float | str = ..., fn_cost: float | str = ..., tp_cost: float | str = ..., tn_cost: float | str = ..., target: str | None = ..., positive: str | float | None = ..., drop: list[Any] = ..., prior: float = ..., max_pending: int = ..., delay: int = ..., n_features: int | None = ..., max_features: int = ..., false_alarm_every: int | None = ..., encoder: RowEncoder | None = ...) -> None: ...
    @property
    def counts(self) -> Any: ...
    def decide(self, event: dict[str, Any], id: str | int | None = ...) -> Decision | None: ...
    def decide_many(self, events: list[Any], ids: list[Any] | int | None = ...) -> list[Any] | None: ...
    @property
    def first_repeated(self) -> Any: ...
    def is_complete(self, event: Any) -> Any: ...
    def knows(self, id: Any) -> Any: ...
    def label(self, id: str | int, y: Any) -> Outcome: ...
    def learn(self, event: dict[str, Any], y: Any = ..., id: str | int | None = ...) -> Decision | None: ...
    @classmethod
    def load(cls, path: str | Path, **changed: Any) -> Any: ...
    @property
    def n_pending(self) -> Any: ...
    @property
    def result_columns(self) -> Any: ...
    def result_of(self, decision: Any) -> Any: ...
    def save(self, path: str | Path, **extra: Any) -> Any: ...

class DriftAlarm(tuple[Any, ...]):
    label: int
    since: int
    paid: float
    promised: float

class DriftTest:
    false_alarm_every: int | None
    tolerance: float
    alarms: int
    last: DriftAlarm | None
    def __init__(self, false_alarm_every: int | None = ..., tolerance: float = ...) -> None: ...
    def add(self, event: PendingEvent, label: int, paid: float) -> Any: ...
    def get_state(self) -> Any: ...
    def set_state(self, state: Any) -> Any: ...

class FeatureRows:
    fields: list[Any]
    texts: dict[str, Any]
    values: NDArray[Any]
    def __init__(self, fields: list[Any], texts: dict[str, Any], values: NDArray[Any]) -> None: ...
    def packed(self) -> Any: ...

class FileStream:
    records: Records
    out: str | Path
    checkpoint: str | Path
    target: str
    learner: str
    id: str | None
    keep: list[Any]
    max_pending: int
    drop: list[Any]
    parameters: dict[str, Any] | None
    skipped: str | Path | None
    options: Any
    stream: DecisionStream
    settings: dict[str, Any]
    changed: dict[str, Any]
    n_skipped: int
    columns: dict[str, Any]
    def __init__(self, records: Records, out: str | Path, checkpoint: str | Path, *, target: str, learner: str = ..., id: str | None = ..., keep: list[Any] = ..., max_pending: int = ..., drop: list[Any] = ..., skipped: str | Path | None = ..., parameters: dict[str, Any] | None = ..., **options: Any) -> None: ...
    def follow(self, every: int = ..., report: Callable[..., Any] | None = ..., batch: int = ...) -> Any: ...

class LabelCounts:
    late: int
    dropped: int
    too_late: int
    unknown: int
    repeated: int
    def __init__(self, late: Any = ..., dropped: Any = ..., too_late: Any = ..., unknown: Any = ..., repeated: Any = ...) -> None: ...

class Outcome(tuple[Any, ...]):
    id: str | int
    status: Literal["learned", "missing", "unknown", "too late", "repeated"]
    label: int | None
    paid: float | None

class PendingEvent(tuple[Any, ...]):
    def decision(self, id: Any) -> Any: ...
    @classmethod
    def of_state(cls, features: Any, prices: Any, probability: Any, action: Any) -> Any: ...

class PriceList:
    costs: dict[str, Any]
    target: str | None
    columns: Any
    def __init__(self, costs: dict[str, Any], target: str | None = ...) -> None: ...
    def of(self, event: dict[str, Any], given: dict[str, Any] | None = ...) -> Any: ...
    def of_many(self, events: Any) -> Any: ...

class Prices(tuple[Any, ...]):
    @property
    def break_even(self) -> Any: ...
    def expected(self, probability: Any, action: Any) -> Any: ...
    def keywords(self) -> Any: ...
    def paid(self, positive: Any, action: Any) -> Any: ...

class ProgressDisplay:
    progress: ProgressiveResult
    name: str | None
    line_: Any
    ax_: Any
    figure_: Any
    def __init__(self, progress: ProgressiveResult, *, name: str | None = ...) -> None: ...
    def plot(self, ax: Any = ..., *, name: str | None = ..., curve: Literal["cost", "regret", "savings", "weighted_sum"] = ..., **line_options: Any) -> ProgressDisplay: ...

class ProgressiveResult:
    positive: NDArray[Any]
    decided: NDArray[Any]
    probability: NDArray[Any]
    paid: NDArray[Any]
    never: NDArray[Any]
    always: NDArray[Any]
    model: Any
    def __init__(self, positive: Any, decided: Any, probability: Any, paid: Any, never: Any, always: Any, model: Any) -> None: ...
    @property
    def best_fixed(self) -> Any: ...
    @property
    def cost(self) -> Any: ...
    @property
    def regret(self) -> Any: ...
    @property
    def savings(self) -> Any: ...
    def weighted_sum(self, positive_weight: Any = ...) -> Any: ...

class Records:
    file: Any
    kind: Literal["csv", "jsonl"]
    id: str | None
    offset: int
    count: int
    header: list[Any] | None
    def __init__(self, file: Any, kind: Literal["csv", "jsonl"], id: str | None = ...) -> None: ...
    def next(self) -> Any: ...
    @property
    def ready(self) -> Any: ...
    def resume(self, offset: Any, count: Any) -> Any: ...
    def take(self, n: Any) -> Any: ...

class RowEncoder:
    max_features: int
    n_features: int | None
    state: dict[str, Any] | None
    def __init__(self, max_features: int = ..., n_features: int | None = ..., state: dict[str, Any] | None = ...) -> None: ...
    def encode(self, record: dict[str, Any], learn: bool = ..., skip: Any = ...) -> dict[str, Any]: ...
    def encode_many(self, records: Any, skip: Any = ...) -> FeatureRows | list[Any]: ...
    def follow(self, half_life: float | None) -> Any: ...
    def get_state(self) -> Any: ...

class Totals:
    events: int
    labels: int
    positives: int
    paid: float
    never: float
    always: float
    def __init__(self, events: Any = ..., labels: Any = ..., positives: Any = ..., paid: Any = ..., never: Any = ..., always: Any = ...) -> None: ...
    def book(self, prices: Any, positive: Any, paid: Any, sign: Any = ...) -> Any: ...

def open_records(source: str | Path, kind: Literal["csv", "jsonl"] | None = ..., id: str | None = ...) -> Any: ...
def packed(features: Any) -> Any: ...
def progressive(model: Any, X: Any, y: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., sample_weight: ArrayLike | None = ..., delay: int = ..., classes: ArrayLike | None = ..., decide: Literal["cost", "sign"] = ..., prior: float = ...) -> ProgressiveResult: ...
def unpacked(stored: str | dict[str, Any], event: dict[str, Any], skip: Any = ...) -> dict[str, Any]: ...