"""Error bars from the command line to decisions with certificates."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from stakes._core.model_file import load_model
from stakes.compare import compare, fit_on_all
from stakes.compare._certified import certified
from stakes.compare._error_bars import BLEND
from stakes.compare._error_blend import ErrorColumnsBlend
from stakes.compare._error_columns import ErrorColumnsClassifier, blocks_of, standard_errors
from stakes.tables import ErrorMatrix, join_replicates, load_table, replicate_correlation
from stakes.uncertain import UncertainKernelClassifier, UncertainLogisticClassifier

NAMES = ["mass", "size"]


def lab(rng, n=150, r=4):
    """Samples, their replicates, and the standard error of each measurement."""
    y = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 2)) + 2.0 * y[:, None]
    spread = rng.choice([0.2, 3.0], (n, 2))
    R = x[:, None] + spread[:, None] * rng.normal(size=(n, r, 2))
    return y, R, spread / np.sqrt(r)


@pytest.fixture
def files(tmp_path):
    y, R, se = lab(np.random.default_rng(0))
    kind = np.where(y == 1, "B", "A")
    mean = pl.DataFrame(dict(zip(NAMES, R.mean(axis=1).T, strict=True)))
    errors = pl.DataFrame({f"{name}_se": se[:, j] for j, name in enumerate(NAMES)})
    low = pl.DataFrame({f"{name}_lo": mean[name] - se[:, j] for j, name in enumerate(NAMES)})
    high = pl.DataFrame({f"{name}_hi": mean[name] + se[:, j] for j, name in enumerate(NAMES)})
    rows = {name: R[:, :, j].ravel() for j, name in enumerate(NAMES)}
    rows |= {"sample": np.repeat(np.arange(len(y)), 4), "kind": np.repeat(kind, 4)}
    tables = {
        "se": pl.concat([mean, errors], how="horizontal").with_columns(kind=pl.Series(kind)),
        "box": pl.concat([mean, low, high], how="horizontal").with_columns(kind=pl.Series(kind)),
        "replicates": pl.DataFrame(rows),
    }
    paths = {}
    for name, table in tables.items():
        paths[name] = tmp_path / f"{name}.csv"
        table.write_csv(paths[name])
    return paths


OPTIONS = {
    "se": ["--error", "*=*_se"],
    "box": ["--error", "mass=mass_lo..mass_hi", "--error", "size=size_lo..size_hi"],
    "replicates": ["--replicates", "sample"],
}


@pytest.mark.parametrize("form", OPTIONS)
def test_train_and_predict_keep_error_bars(run, files, form, tmp_path):
    """The deployed model decides as the fitted one does, and certifies every decision."""
    out = tmp_path / "model.skops"
    words = ["--target", "kind", "--positive", "B", "--fn-cost", "3", *OPTIONS[form]]
    learners = {"se": "UncertainMargin", "box": "uncertain-logistic", "replicates": BLEND}
    learner = learners[form]
    result = run("train", files[form], *words, "--learner", learner, "--no-tune", "--out", out)
    assert result.exit_code == 0, (result.output, result.exception)
    new = tmp_path / "new.csv"
    pl.read_csv(files[form]).drop("kind").write_csv(new)
    result = run("predict", out, new, "--out", tmp_path / "d.csv", "--max-error", "0.1")
    assert result.exit_code == 0, (result.output, result.exception)
    got = pl.read_csv(tmp_path / "d.csv")
    assert got.height == 150
    assert got["certificate"].is_between(0, 1).all()
    np.testing.assert_array_equal(got["review"], (got["certificate"] > 0.1).cast(pl.Int8))
    assert 0 < got["review"].sum() < 150
    if form == "box":
        assert set(got["certificate"]) == {0.0, 1.0}
    settings = dict(errors=OPTIONS[form][1::2]) if form != "replicates" else {}
    settings |= dict(replicates="sample") if form == "replicates" else {}
    data = load_table(files[form], "kind", "B", **settings)
    stored = load_model(out).model
    p = stored.predict_proba(data.X)[:, 1]
    np.testing.assert_allclose(got["probability"], p, atol=1e-12)
    np.testing.assert_array_equal(got["decision"] == 1, p > 0.25)
    if form == "replicates":
        assert got["sample"].to_list() == list(range(150))


def test_compare_lets_only_some_learners_see_error_bars(files, tmp_path):
    data = load_table(files["se"], "kind", "B", errors=["*=*_se"], fn_cost=3.0)
    assert set(data.kinds) == {*NAMES}
    results = compare(data, learners=[BLEND], folds=2, tune=False, out=tmp_path / "a")
    rows = {row["learner"]: row["cost"] for row in results.rows if row["fold"] == 0}
    using = "logistic regression on shrunk means, Bayes decision"
    assert {using, BLEND, "UncertainLogisticClassifier", "UncertainMarginClassifier"} <= set(rows)
    plain = load_table(files["se"], "kind", "B", drop=["mass_se", "size_se"], fn_cost=3.0)
    without = compare(plain, learners=[], folds=2, tune=False, out=tmp_path / "b")
    same = {row["learner"]: row["cost"] for row in without.rows if row["fold"] == 0}
    nominal = "logistic regression, Bayes decision"
    assert rows[nominal] == same[nominal]
    cost = {name: sum(r["cost"] for r in results.rows if r["learner"] == name) for name in rows}
    assert cost["UncertainLogisticClassifier"] < cost[nominal]
    assert cost[BLEND] < cost[nominal]


def noisy(rng, n=150):
    """Points inside and outside of a ring, measured with different errors."""
    x = rng.normal(size=(n, 2))
    std = rng.choice([0.05, 0.5], x.shape)
    return np.hstack([x + std * rng.normal(size=x.shape), std]), (np.hypot(*x.T) > 1.2).astype(int)


def blend(error_form="std"):
    kernels = [ErrorColumnsClassifier(UncertainKernelClassifier(C=C)) for C in (1e-3, 1.0)]
    lines = [ErrorColumnsClassifier(UncertainLogisticClassifier())]
    return ErrorColumnsBlend([lines, kernels], error_form=error_form, random_state=0)


def test_each_member_counts_as_often_as_it_is_the_likeliest():
    """The weights against loops over resamples and members, the mean against its members."""
    Z, _ = noisy(np.random.default_rng(0))
    bent = Z[:, 0] + 0.5 * np.hypot(*Z[:, :2].T) + 0.7 * np.random.default_rng(5).normal(size=150)
    y = (bent > 1.25).astype(int)
    model = blend().fit(Z, y, fn_cost=3.0)
    members = [one for group in blend().groups for one in group]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    held = [cross_val_predict(one, Z, y, cv=folds, method="predict_proba") for one in members]
    counts = len(y) * np.random.default_rng(0).dirichlet(np.ones(len(y)), 200)
    expected = np.zeros(3)
    for count in counts:
        size = [np.prod(p[np.arange(len(y)), y] ** count) for p in held] * np.array([2.0, 1.0, 1.0])
        expected += size / size.sum() / len(counts)
    assert expected[1] < 0.03 < expected[0] < 0.97  # a kernel that is too smooth is left out
    assert [one.estimator.C for one in model.estimators_] == [1.0, 1.0]
    np.testing.assert_allclose(model.weights_, expected[[0, 2]] / expected[[0, 2]].sum(), rtol=1e-6)
    alone = [UncertainLogisticClassifier(), UncertainKernelClassifier()]
    found = [
        one.fit(Z[:, :2], y, std=Z[:, 2:]).predict_proba(Z[:, :2], std=Z[:, 2:]) for one in alone
    ]
    p = np.average(found, axis=0, weights=model.weights_)
    np.testing.assert_allclose(model.predict_proba(Z), p)
    p = model.predict_proba(Z)[:, 1]
    np.testing.assert_array_equal(model.predict(Z) == 1, p > 0.5)
    np.testing.assert_array_equal(model.predict(Z, fn_cost=3.0) == 1, p > 0.25)


def test_members_that_the_data_cannot_tell_apart_share_their_weight():
    Z, y = noisy(np.random.default_rng(0))
    one = ErrorColumnsClassifier(UncertainKernelClassifier())
    model = ErrorColumnsBlend([[one], [one, one]], random_state=0).fit(Z, y)
    np.testing.assert_allclose(model.weights_, [0.5, 0.25, 0.25])
    few = blend().fit(Z[:9], np.arange(9) < 2)  # too few for folds: the first of each group
    assert [type(one.estimator).__name__[9:] for one in few.estimators_] == [
        "LogisticClassifier",
        "KernelClassifier",
    ]
    assert few.estimators_[1].estimator.C == 1e-3 and few.weights_.tolist() == [0.5, 0.5]


def test_the_first_group_gives_the_true_points_of_certificates():
    """Also if its weight is zero, so that error bars mean the same on all data."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    Z, y = np.hstack([x, np.full_like(x, 0.05)]), (np.hypot(*x.T) > 1.2).astype(int)
    model = blend().fit(Z, y)
    assert model.weights_.tolist() == [0.0, 1.0]
    assert isinstance(model.estimators_[0].estimator, UncertainLogisticClassifier)
    far = Z[:20] * [1.0, 1.0, 200.0, 200.0]
    bound = model.predict_certificate(far)
    fresh = rng.standard_normal((4000, 2))
    draws = model.estimators_[0].estimator_._true_points(far[:, :2], fresh, std=far[:, 2:])
    pairs = zip(draws, model.predict(far) == 1, strict=True)
    turned = np.array([((model._exact(x) > 0.5) != one).mean() for x, one in pairs])
    np.testing.assert_allclose(bound, turned, atol=0.1)


def test_what_ignores_error_bars_is_the_same_for_all():
    Z, y = noisy(np.random.default_rng(0))
    model = ErrorColumnsClassifier(UncertainKernelClassifier(), uses_errors=False).fit(Z, y)
    longer = np.hstack([Z[:, :2], 9.0 * Z[:, 2:]])
    np.testing.assert_array_equal(model.predict_proba(Z), model.predict_proba(longer))
    assert not model.certifies_rows
    with pytest.raises(ValueError, match="A certificate needs the error bars"):
        model.predict_certificate(Z)


def test_certificates_of_a_mean_hold_for_fresh_true_points():
    """True points drawn again, as its first member sees them, are decided otherwise less often."""
    rng = np.random.default_rng(1)
    Z, y = noisy(rng)
    model = blend().fit(Z, y)
    new = Z[:40]
    for costs in ({}, dict(fn_cost=4.0)):
        bound, decided = model.predict_certificate(new, **costs), model.predict(new, **costs) == 1
        least = 1 / 5 if costs else 0.5
        fresh = rng.standard_normal((4000, 2))
        first = model.estimators_[0].estimator_
        draws = first._true_points(new[:, :2], fresh, std=new[:, 2:])
        pairs = zip(draws, decided, strict=True)
        turned = [((model._exact(x) > least) != one).mean() for x, one in pairs]
        assert (np.array(turned) <= bound + 0.01).all() and 0.1 < np.mean(bound < 0.05) < 0.95
    for i in (0, 7):  # the exact probability is that of a measurement without error
        x = new[i : i + 1, :2]
        exact = model.predict_proba(np.hstack([x, 0.0 * x]))[0, 1]
        np.testing.assert_allclose(model._exact(x)[0], exact, atol=1e-9)


def test_covariances_in_the_matrix():
    """The matrix of a table holds the covariance of each row's errors, in its own units."""
    rng = np.random.default_rng(0)
    ids = np.repeat(np.arange(30), 4)
    R = rng.normal(size=(120, 2)) @ [[1.0, 0.8], [0.0, 50.0]] + 9.0 * rng.normal(size=(30, 1))[ids]
    raw = pl.DataFrame({"id": ids, "mass": R[:, 0], "flat": 1.0, "size": R[:, 1], "site": "x"})
    raw = raw.with_columns(site=pl.when(pl.col("id") > 9).then(pl.lit("y")).otherwise("site"))
    frame, errors, _ = join_replicates(raw, "id")
    correlation = replicate_correlation(raw, "id", list(errors))
    away = R - R.reshape(30, 4, 2).mean(axis=1)[ids]
    expected = np.corrcoef(away.T)[0, 1] * 90 / 92  # the mean of the residuals is zero
    assert correlation["size"] == pytest.approx([expected, 1.0])
    known = dict(errors=errors, error_correlation=correlation)
    matrix = ErrorMatrix(**known).fit(frame.drop("id"))
    Z = matrix.transform(frame.drop("id"))
    d = len(matrix.matrix_.feature_names_out_)
    assert Z.shape == (30, d + d * d) and len(matrix.feature_names_out_) == d + d * d
    values, cov = blocks_of(Z, "cov")
    mass, size = (matrix.matrix_.feature_names_out_.index(name) for name in ("mass", "size"))
    plain = ErrorMatrix(errors=errors).fit_transform(frame.drop("id"))
    std = plain[:, d:]
    np.testing.assert_array_equal(values, plain[:, :d])
    np.testing.assert_allclose(standard_errors([cov]), std)
    np.testing.assert_allclose(cov[:, mass, size], expected * std[:, mass] * std[:, size])
    assert not cov[:, [j for j in range(d) if j not in (mass, size)]].any()  # the site is exact


@pytest.mark.parametrize(
    "name", ["UncertainLogisticClassifier", "UncertainMarginClassifier", BLEND]
)
def test_replicates_that_drift_together(name):
    """A drift of all measurements promised 0.02 where 12 % of the decisions were turned."""
    rng = np.random.default_rng(3)

    def drawn(n):
        y = rng.integers(0, 2, n)
        truth = rng.normal(size=(n, 6)) + 1.2 * y[:, None]
        drift = rng.normal(size=(n, 3, 1)) + 0.1 * rng.normal(size=(n, 3, 6))
        R = (truth[:, None] + drift).reshape(-1, 6)
        rows = pl.DataFrame(R, schema=[f"x{j}" for j in range(6)])
        return y, truth, rows.with_columns(id=pl.Series(np.repeat(np.arange(n), 3)))

    y, _, rows = drawn(200)
    table = load_table(rows.with_columns(kind=pl.Series(np.repeat(y, 3))), "kind", replicates="id")
    np.testing.assert_allclose(table.error_correlation["x1"], [0.97, 1.0, *4 * [0.97]], atol=0.03)
    model, _ = fit_on_all(name, table, tune=False)
    _, truth, rows = drawn(250)
    new, errors, _ = join_replicates(rows, "id", pooled=table.replicates["pooled"])
    exact = pl.DataFrame(truth, schema=list(errors)).with_columns(
        **{parts[0]: 0.0 for parts in errors.values()}
    )
    turned = model.predict(new) != model.predict(exact)
    bound = certified(model, new)
    assert turned.mean() > 0.1 and turned.mean() <= bound.mean() + 0.05
    sure = bound < 0.2
    assert sure.sum() > 60 and turned[sure].mean() <= bound[sure].mean() + 0.05


def test_intervals_are_certified_where_every_member_is_sure():
    rng = np.random.default_rng(2)
    Z, y = noisy(rng)
    x, half = Z[:, :2], rng.choice([1e-3, 1.0], (len(Z), 1))
    boxes = np.hstack([x, x - half, x + half])
    model = blend("interval").fit(boxes, y)
    bound, decided = model.predict_certificate(boxes), model.predict(boxes)
    assert set(bound) == {0.0, 1.0} and bound[half[:, 0] == 1.0].mean() > 0.5
    for t in rng.uniform(-1.0, 1.0, (20, len(Z), 2)):
        moved = (model._exact(x + t * half) > 0.5) != (decided == 1)
        assert not moved[bound == 0].any()


def test_advice_ends_in_a_command(run, files):
    result = run("advise", files["se"], "--target", "kind", "--positive", "B", "--error-bars")
    assert result.exit_code == 0
    last = result.stdout.strip().splitlines()[-1]
    assert last.startswith("Next: stakes compare") and "--error '*=*_se'" in last
    words = ["--target", "kind", "--positive", "B", "--replicates", "sample"]
    last = run("advise", files["replicates"], *words).stdout.strip().splitlines()[-1]
    assert "--replicates sample --learners UncertainLogisticClassifier" in last


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--error", "mass"], "does not name error bars; write COLUMN=ERROR_COLUMN"),
        (["--error", "mass=mas_se"], "The column 'mas_se' of --error is not in the table"),
        (["--error", "*=*_error"], "No column of the table has an error bar named like 'COLUMN_er"),
        (["--error", "m*=*_se"], "must have the form *=*_se"),
        (["--error", "mass=mass_se", "--error", "size=mass..size_se"], "give all in one form"),
        (["--error", "mass=size"], "is negative in row"),
        (["--error", "mass=kind"], "The column 'kind' of --error is not in the table"),
        (["--replicates", "id"], "The column 'id' of --replicates is not in the table"),
        (["--replicates", "mass"], "No number varies between rows of the same example"),
    ],
)
def test_bad_error_bars_end_in_a_sentence(run, files, options, said):
    result = run("train", files["se"], "--target", "kind", "--positive", "B", *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_mixed_labels_of_replicates_are_refused(run, files):
    table = pl.read_csv(files["replicates"])
    kind = table["kind"].to_list()
    kind[0] = "A" if kind[1] == "B" else "B"
    table.with_columns(kind=pl.Series(kind)).write_csv(files["replicates"])
    words = ["--target", "kind", "--positive", "B", "--replicates", "sample"]
    result = run("train", files["replicates"], *words)
    assert "The replicates of sample '0' have different labels" in " ".join(result.stderr.split())


@pytest.mark.jit
def test_settings_of_a_run_keep_error_bars(run, files, tmp_path):
    words = ["--target", "kind", "--positive", "B", "--error", "*=*_se", "--folds", "2"]
    words += ["--learners", "cw", "-j", "1", "--out", tmp_path / "run"]  # tuned
    result = run("compare", files["se"], *words)
    assert result.exit_code == 0, (result.output, result.exception)
    assert json.loads((tmp_path / "run" / "table.json").read_text())["errors"] == ["*=*_se"]
    out = tmp_path / "m.skops"
    result = run(
        "train", "--from", tmp_path / "run", "--learner", "uncertain-logistic", "--out", out
    )
    assert result.exit_code == 0, (result.output, result.exception)
    assert hasattr(load_model(out).model[-1], "predict_certificate")
