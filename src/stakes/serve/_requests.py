"""What clients send and what they get: the types that requests are checked against."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

MAX_BATCH = 1000
MAX_REASONS = 20  # for one event
_WORDS = r"^[^\x00-\x1f\x7f]*$"

Number = float | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Id = (
    Annotated[str, Meta(min_length=1, max_length=200, pattern=_WORDS)]
    | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
)
MAX_NAME = 200  # letters of a field's name
Value = Annotated[str, Meta(max_length=10_000)] | Number | bool | None
# names are checked once for a request, see _app: with a limit in the type each would be a new text
Event = Annotated[
    dict[str, Value],
    Meta(
        min_length=1,
        max_length=1000,
        extra_json_schema={"propertyNames": {"maxLength": MAX_NAME}},
    ),
]


class CostsGiven(Struct, forbid_unknown_fields=True, gc=False):
    """Prices that come with an event, instead of those of the service."""

    fp_cost: Number | None = None
    fn_cost: Number | None = None
    tp_cost: Number | None = None
    tn_cost: Number | None = None


class Decide(Struct, forbid_unknown_fields=True, gc=False):
    """An event to decide about; a repeated id gets its first answer again.

    `reasons` asks for the fields that speak most for the decision. `time` is when a past event
    happened, in seconds since 1970: its money is booked under that hour.
    """

    event: Event
    id: Id | None = None
    costs: CostsGiven | None = None
    reasons: Annotated[int, Meta(ge=0, le=MAX_REASONS)] = 0
    time: Annotated[float, Meta(ge=-1e11, le=1e11)] | None = None


class Reason(Struct):
    """What a field of an event adds to the advantage of acting over passing, in money."""

    field: str
    amount: float


class Decided(Struct, omit_defaults=True, gc=False):
    """What was decided about an event; reasons only if they were asked for."""

    id: str
    action: Literal["pass", "alert", "review"]
    probability: float | None
    break_even: float
    expected_cost: float | None
    model: str
    version: int
    propensity: float
    reasons: list[Reason] | None = None


class Label(Struct, forbid_unknown_fields=True, gc=False):
    """The label of an event: true and false, or the words of the data."""

    id: Id
    label: Annotated[str, Meta(min_length=1, max_length=200)] | Number | bool


class Labeled(Struct, gc=False):
    """What became of a label."""

    id: str
    status: Literal["learned", "early", "repeated", "corrected"]
    label: int
    paid: float | None


class Review(Struct):
    """An event that waits for a review, and what speaks for acting; None: not computed yet."""

    decision: Decided
    event: dict[str, Value] | None
    reasons: list[Reason] | None = None


class Lead(Struct):
    """What a challenger would have saved per labeled event, with a 95 % interval for all times."""

    labels: int
    saved: float
    interval: tuple[float, float] | None


class Money(Struct):
    """What the labeled events cost as one model would have decided, and under constant policies."""

    events: int
    labels: int
    positives: int
    paid: float
    never: float
    always: float
    lead: Lead | None = None


class Totals(Struct):
    """Money by model; the champion decides.

    The prices say what one more alert or review in the last period would have saved.
    """

    champion: str
    version: int
    models: dict[str, Money]
    open_reviews: int
    price_of_alert: float | None = None
    price_of_review: float | None = None


class Hour(Struct):
    """Money of the events that were decided in an hour since 1970."""

    hour: int
    events: int
    labels: int
    costs: dict[str, float]


class Page(Struct):
    """Everything that the page shows."""

    totals: Totals
    hours: list[Hour]
    alarms: list[str]
    last_label: float | None
    reviews: list[Review] | None


class Problem(Struct):
    """Why a request was refused, and what to do."""

    error: str


Decisions = Annotated[list[Decide], Meta(min_length=1, max_length=MAX_BATCH)]
Labels = Annotated[list[Label], Meta(min_length=1, max_length=MAX_BATCH)]
