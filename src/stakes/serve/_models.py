"""Models of a service: learners that go on learning, and trained models that stay as they are."""

import tempfile
from functools import cached_property
from pathlib import Path

import numpy as np

from stakes._core.deciding import decide_with_costs, final_step, takes_costs
from stakes._core.model_file import load_model, save_model
from stakes._core.stored.facts import check_trained
from stakes.costs import COST_NAMES
from stakes.errors import InputError
from stakes.serve._reasons import LearnerReasons, ModelReasons
from stakes.serve._rule import rule_of_bytes
from stakes.stream import FeatureRows
from stakes.tables import EventReader, ModelMatrix, TableEncoder

TOLERANCE = 1.25  # factor of the odds: probabilities that are estimated once are not exact


class LearningModel:
    """An online learner: scores one event after the other and learns every label.

    Parameters
    ----------
    learner : estimator with `learn_one`
        Changed in place.
    prior : float
        Probability of the positive class until the first label is learned.
    """

    learns = True
    tolerance = 1.0  # its probabilities follow the labels
    promised, ranges, rows = None, {}, 0  # what a model of `stakes train` knows of its training
    suffix = ".skops"

    def __init__(self, learner, prior):
        self.learner = learner
        self.prior = prior
        self._takes_costs = takes_costs(learner, "learn_one")
        self.has_probabilities = hasattr(learner, "predict_proba_one")
        self._takes_rows = self.has_probabilities and hasattr(learner, "predict_proba_rows")
        self._is_started = hasattr(learner, "classes_")
        self._classes = np.asarray(getattr(learner, "classes_", (0, 1))).tolist()

    def score(self, events, features, prices):
        """Probability (or None) and action for each event."""
        learner = self.learner
        if self._is_started and self._takes_rows and isinstance(features, FeatureRows):
            found = learner.predict_proba_rows(features.names, features.values).tolist()
            return [(p, int(p > price.break_even)) for p, price in zip(found, prices, strict=True)]
        return [self._score_one(*one) for one in zip(features, prices, strict=True)]

    def learn(self, features, label, prices):
        """Learn one label."""
        costs = prices.keywords() if self._takes_costs else {}
        self.learner.learn_one(features, self._classes[label], **costs)
        self._is_started = True

    def explain(self, event, features, prices):
        """Field -> what it adds to the advantage of acting; None without probabilities."""
        if not self.has_probabilities or not self._is_started:
            return None
        positive = self._classes[1]
        probability = self.learner.predict_proba_one
        return LearnerReasons(lambda x: probability(x)[positive]).of(event, features, prices)

    def to_bytes(self):
        """The learner as a model file."""
        return _file_bytes(self.learner, prior=self.prior, learns=True)

    def _score_one(self, features, prices):
        p = self.prior
        if self._is_started:
            positive = self._classes[1]
            if not self.has_probabilities:
                return None, int(self.learner.predict_one(features) == positive)
            p = float(self.learner.predict_proba_one(features).get(positive, p))
        return p, int(p > prices.break_even)


class TrainedModel:
    """A model of `stakes train`: scores many events at once and stays as it is.

    Parameters
    ----------
    stored : StoredModel
        What the model file holds.
    """

    learns = False
    tolerance = TOLERANCE
    suffix = ".skops"

    def __init__(self, stored):
        check_trained("model.skops", stored.facts)
        _check_two_classes(stored)
        self._stored = stored
        self._reasons = None
        self.promised = _pair(stored.facts.get("promised"))
        self.ranges = {n: _pair(one) for n, one in stored.facts.get("ranges", {}).items()}
        self.rows = stored.facts.get("rows", 0)
        self._reader = EventReader(stored.facts["kinds"], stored.facts.get("missing", []))
        _, before = final_step(stored.model)
        self._is_quick = bool(before) and isinstance(before[0], TableEncoder | ModelMatrix)
        self.has_probabilities = hasattr(stored.model, "predict_proba")

    def score(self, events, features, prices):
        """Probability (or None) and action for each event."""
        table = self._reader.rows(events)
        table = table if self._is_quick else table.frame()
        costs = dict(zip(COST_NAMES, map(list, zip(*prices, strict=True)), strict=True))
        decided, probability = decide_with_costs(self._stored.model, table, **costs)
        if probability is None:
            return [(None, int(action)) for action in decided.tolist()]
        return list(zip(probability.tolist(), map(int, decided.tolist()), strict=True))

    def explain(self, event, features, prices):
        """Field -> what it adds to the advantage of acting; None without probabilities."""
        if not self.has_probabilities or not self._stored.facts.get("background"):
            return None
        if self._reasons is None:
            self._reasons = ModelReasons(self._stored, self._reader)
        return self._reasons.of(event, features, prices)

    @cached_property
    def _content(self):
        return _file_bytes(self._stored.model, **self._stored.facts)

    def to_bytes(self):
        """The model as a model file."""
        return self._content  # for every checkpoint, and it never changes


def model_of_bytes(content):
    """A model from what `to_bytes` returned, checked like any model file."""
    rule = rule_of_bytes(content)
    if rule is not None:
        return rule
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        path.write_bytes(content)
        return model_of(load_model(path))


def model_of(stored):
    """The model that a model file holds."""
    if stored.facts.get("learns"):
        prior = stored.facts.get("prior")
        if not isinstance(prior, int | float) or not 0 <= prior <= 1:
            raise InputError("The model file is damaged: it has no prior.")
        if not hasattr(stored.model, "learn_one"):
            raise InputError("The model file is damaged: its model does not learn from events.")
        return LearningModel(stored.model, prior)
    return TrainedModel(stored)


def _check_two_classes(stored):
    decider = final_step(stored.model)[0]
    k = len(getattr(stored.model, "classes_", (0, 1)))
    if k != 2 or getattr(decider, "actions", None) is not None or stored.facts.get("cost_matrix"):
        raise InputError(
            f"A service decides between two classes, and this model has {k} classes or a cost "
            "matrix; use stakes stream or stakes predict."
        )


def _pair(bounds):
    """Low and high bound of a model file; None stays None."""
    if bounds is None:
        return None
    if len(bounds) != 2 or not bounds[0] <= bounds[1]:
        raise InputError("The model file is damaged: an interval needs a low and a high bound.")
    return tuple(bounds)


def _file_bytes(model, **facts):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        save_model(model, path, **facts)
        return path.read_bytes()
