"""Every kernel learner, with all its settings, in `stakes stream`."""

import inspect

import pytest

from payment_events import COSTS, events
from stakes import online_kernel
from stakes._core.model_file import load_model

LEARNERS = [
    name for name in online_kernel.__all__ if hasattr(getattr(online_kernel, name), "learn_one")
]
OTHERS = {  # settings that differ from the defaults, as far as a learner has them
    **dict(C="0.5", rho="0.1", gamma="0.2", kernel="poly", degree="2", coef0="1.0"),
    **dict(max_support_vectors="20", half_life="30", margin_loss="0.5", learning_rate="0.5"),
    **dict(radius="0.7", cost_rule="balanced", class_ratio="2.0", positive_weight="0.6"),
    **dict(normalize_costs="False", scale_C="False", zero_is_positive="True", n_jobs="1"),
    **dict(n_components="16", features="nystroem", passthrough="False", n_features="64"),
    **dict(n_passes="2", shuffle="True", random_state="3", estimator="arow"),
    **dict(fp_cost="2.0", fn_cost="3.0", tp_cost="0.5", tn_cost="0.25"),
}


@pytest.fixture
def table(tmp_path):
    events().head(40).write_csv(tmp_path / "events.csv")
    return tmp_path / "events.csv"


def stream(run, table, *more):
    result = run("stream", table, "--target", "fraud", *COSTS, *more)
    assert result.exit_code == 0, result.output


@pytest.mark.jit
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_setting_can_be_given_and_runs_repeat(run, table, tmp_path, learner):
    names = inspect.signature(getattr(online_kernel, learner)).parameters
    more = [f"--set={name}={OTHERS[name]}" for name in names]
    for k in range(2):
        stream(run, table, "--learner", learner, "--out", f"{k}.csv", "--checkpoint", f"{k}.skops")
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()
    stream(run, table, "--learner", learner, *more)
    model = load_model(tmp_path / "stream.skops").model
    assert {name: str(getattr(model, name)) for name in names} == {n: OTHERS[n] for n in names}
    assert (tmp_path / "decisions.csv").read_bytes() != (tmp_path / "0.csv").read_bytes()


def test_settings_of_the_learner_under_the_features(run, table, tmp_path):
    stream(run, table, "--learner", "kernel-features", "--set", "estimator__half_life=50")
    model = load_model(tmp_path / "stream.skops").model
    assert model.estimator_.half_life == 50 and model.random_state == 0
    for wrong in ("estimator__Q=1", "other__r=1"):
        result = run(
            *("stream", table, "--target", "fraud", "--learner", "kernel-features"),
            *("--set", wrong, "--out", "o.csv", "--checkpoint", "c.skops"),
        )
        assert result.exit_code != 0 and "has no parameter" in result.output
