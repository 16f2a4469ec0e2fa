"""From model files or an empty learner to a service."""

import hashlib
from pathlib import Path

from stakes._core.learners import find_learner, seeded
from stakes._core.model_file import load_model
from stakes.costs import COST_NAMES
from stakes.errors import InputError, near_matches
from stakes.serve._models import LearningModel, model_of
from stakes.serve._policy import Capacity
from stakes.serve._rule import TODAYS_RULE, RuleModel
from stakes.serve._service import Service
from stakes.serve._state import State
from stakes.serve._store import open_store

_DEFAULTS = dict(fp_cost=1.0, fn_cost=1.0, tp_cost=0.0, tn_cost=0.0)


def start(
    url,
    models=(),
    *,
    learner=None,
    target=None,
    positive=None,
    drop=(),
    private=(),
    prior=0.5,
    capacity=None,
    costs=None,
    rule=None,
    label_delay=None,
    checkpoint_every=10_000,
    keep=None,
):
    """Open a store and the service in it: a new one, or the one that is there.

    Parameters
    ----------
    url : str or Path
        The store: a file or ``postgresql://...``.
    models : sequence of paths, default=()
        Model files of `stakes train`: the first decides, the others are challengers.
    learner : str, default=None
        Name of an online learner that starts empty, and decides if there is no model.
    target, positive : str, default=None
        Field of the label, and the positive label; None: as in training.
    drop : sequence of str, default=()
        Fields that are not features of the learner.
    private : sequence of str, default=()
        Fields that are not stored, nor features of the learner; prices and models see them.
    prior : float, default=0.5
        Probability of the positive class until the learner has its first label.
    capacity : Capacity, default=None
        How many alerts and reviews people can look at; None: no limit.
    costs : dict, default=None
        fp_cost, ... -> number or expression; those that are missing are as in training.
    rule : str, default=None
        What is done today without a model: a condition such as "amount > 500" for an alert. It is
        booked next to the models, without limits on alerts.
    label_delay : int, default=None
        `label_delay` of the learner, such as "blend": how many other labels usually come between a
        decision and its label.
    checkpoint_every : int, default=10000
        Entries between checkpoints.
    keep : float, default=None
        Seconds after which entries of the journal are forgotten; None: never.

    Returns
    -------
    Service
        If the store has one, the same models and settings must be given, or none; only costs may
        differ, and hold from now on.
    """
    asked = dict(
        models={Path(path).stem: _fingerprint(path) for path in models},
        learner=learner,
        drop=sorted(drop),
        prior=prior if learner else None,
        capacity=None if capacity is None else vars(capacity),
    )
    if private:
        asked["private"] = sorted(private)
    if rule:
        asked["rule"] = rule
    if label_delay is not None:
        asked["label_delay"] = label_delay
    store = open_store(url)
    known = store.setting("service")
    if known is not None:
        _check_same(known, asked, bool(models or learner))
        return Service(store, settings=costs or None, checkpoint_every=checkpoint_every, keep=keep)
    if not models and learner is None:
        raise InputError(
            f"There is no service in {str(url)!r} yet; name a model file or a learner."
        )
    stored = [load_model(path) for path in models]
    for path, one in zip(models, stored, strict=True):
        if not {"kinds", "costs", "target"} <= one.facts.keys():
            raise InputError(f"{str(path)!r} was not made by stakes train; train it there.")
    found = dict(zip(asked["models"], map(model_of, stored), strict=True))
    if len(found) < len(models):
        raise InputError("Two model files have the same name; rename one.")
    if learner is not None:
        found[learner] = LearningModel(_built(learner, label_delay), prior)
    facts = stored[0].facts if stored else {}
    if rule:
        found[TODAYS_RULE] = _checked_rule(rule, facts.get("kinds"))
    settings = dict(
        _costs(facts.get("costs") or _DEFAULTS, costs or {}),
        target=target or facts.get("target"),
        positive=positive or facts.get("positive"),
        asked=asked,
    )
    drop = [*drop, *filter(None, [settings["target"]])]
    state = State(found, capacity or Capacity(), drop, private)
    _check_probabilities(state)
    return Service(store, state, settings, checkpoint_every=checkpoint_every, keep=keep)


def _built(name, label_delay):
    learner = find_learner(name, "learn_one")
    if label_delay is None:
        return seeded(learner)
    if "label_delay" not in learner._get_param_names():
        raise InputError(
            f"{learner.__name__} has no use for {{parameter}}, the blend has; remove it.",
            "label_delay",
        )
    return seeded(learner, label_delay=label_delay)


def _costs(trained, given):
    costs = {name: given.get(name, trained.get(name)) for name in COST_NAMES}
    missing = tuple(name for name, cost in costs.items() if cost is None)
    if missing:
        raise InputError(
            "The model was trained on a data set that has its own costs; give those of the events: "
            f"{' and '.join(f'{{{name}}}' for name in missing)}.",
            missing,
        )
    return costs


def _checked_rule(text, kinds):
    rule = RuleModel(text)
    for name in rule.fields if kinds else ():
        if name not in kinds:
            raise InputError(
                f"{{parameter}} = {text!r} uses {name!r}, which is not a column of the training "
                "table: " + near_matches(name, kinds),
                "rule",
            )
    return rule


def _check_same(known, asked, has_models):
    if not has_models:
        return
    for name, value in asked.items():
        if known["asked"].get(name) != value:
            raise InputError(
                f"The store was started with other {name}; start it without a model to resume, use "
                "another {store}, or add models to the running service.",
                "store",
            )


def _check_probabilities(state):
    if not state.capacity.is_limited:
        return
    for name, contender in state.contenders.items():
        if not contender.model.has_probabilities and name != TODAYS_RULE:
            raise InputError(
                f"{name} does not predict probabilities, which limits on alerts and reviews need; "
                "use another learner."
            )


def _fingerprint(path):
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except FileNotFoundError:
        raise InputError(
            f"There is no model file {str(path)!r}; create one with stakes train."
        ) from None
