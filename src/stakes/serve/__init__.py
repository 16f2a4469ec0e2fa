"""Decisions in production: an HTTP service that writes down, answers, learns and counts."""

from stakes.serve._app import App
from stakes.serve._difference import Difference
from stakes.serve._feed import feed
from stakes.serve._models import LearningModel, TrainedModel
from stakes.serve._policy import Capacity
from stakes.serve._report import as_json, totals_of
from stakes.serve._requests import Decide as DecideRequest
from stakes.serve._requests import Label as LabelRequest
from stakes.serve._run import run
from stakes.serve._service import NotWrittenError, Service, rebuild
from stakes.serve._sqlite import back_up
from stakes.serve._start import start
from stakes.serve._state import State
from stakes.serve._store import Entry, Store, open_store
from stakes.serve._tokens import Tokens, add_token

__all__ = [
    "App",
    "Capacity",
    "DecideRequest",
    "Difference",
    "Entry",
    "LabelRequest",
    "LearningModel",
    "NotWrittenError",
    "Service",
    "State",
    "Store",
    "Tokens",
    "TrainedModel",
    "add_token",
    "as_json",
    "back_up",
    "feed",
    "open_store",
    "rebuild",
    "run",
    "start",
    "totals_of",
]
