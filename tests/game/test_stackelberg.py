"""The classifier at equilibrium."""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import SelectFromModel

from naive import game as naive
from stakes.game import StackelbergClassifier, best_response, exploitability
from stakes.game._zero_sum import ZeroSumGame

LOSSES = ("logistic", "hinge")


def sample(rng, n=300, d=3):
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=n) > 0.3).astype(int)


@pytest.mark.parametrize("loss", LOSSES)
def test_equilibrium_is_not_exploitable(rng, loss):
    X, y = sample(rng)
    model = StackelbergClassifier(loss=loss, movement_price=0.3).fit(X, y)
    assert model.exploitability_ <= model.tol
    left = exploitability(
        model.coef_, model.intercept_[0], model.shift_, X, y, loss=loss, movement_price=0.3
    )
    assert left.exploitability <= 1.1 * model.tol
    assert left.value == pytest.approx(model.value_, rel=1e-3)
    moved = X + np.outer(y, model.shift_)
    value, *_ = naive.learner(moved, np.where(y == 1, 1.0, -1.0), loss, model.alpha)
    paid = 0.3 * y.mean() * model.shift_ @ model.shift_
    assert model.value_ + model.adversary_gain_ - (value - paid) <= model.tol * model.value_ + 1e-6


@pytest.mark.parametrize("loss", LOSSES)
def test_infinite_price_is_the_plain_classifier(loss):
    X, y = sample(np.random.default_rng(0))
    model = StackelbergClassifier(loss=loss, movement_price=np.inf, alpha=0.01).fit(X, y)
    value, w, b = naive.learner(X, np.where(y == 1, 1.0, -1.0), loss, 0.01)
    assert model.value_ == pytest.approx(value, rel=1e-5)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-2, atol=1e-3)
    assert not model.shift_.any()
    signs = naive.learner(X, np.where(y == 1, 1.0, -1.0), loss, 0.01)
    assert np.mean((X @ signs[1] + b > 0) == model.predict(X)) > 0.99


@pytest.mark.parametrize("loss", LOSSES)
def test_what_cannot_be_moved_gains_weight(rng, loss):
    X, y = sample(rng, d=2)
    plain = np.abs(StackelbergClassifier(loss=loss, movement_price=np.inf).fit(X, y).coef_[0])
    model = StackelbergClassifier(loss=loss, movement_price=0.1, movable=[True, False])
    held = np.abs(model.fit(X, y).coef_[0])
    assert held[1] / held[0] > 1.5 * plain[1] / plain[0]
    dearer = StackelbergClassifier(loss=loss, movement_price=[0.1, 10.0]).fit(X, y)
    assert abs(dearer.coef_[0, 1]) > abs(dearer.coef_[0, 0])


def test_sparse_rows_stay_sparse_and_give_the_same(rng):
    X, y = sample(rng)
    X *= rng.random(X.shape) < 0.5
    model = StackelbergClassifier(movement_price=0.5)
    dense = model.fit(X, y).coef_.copy()
    np.testing.assert_allclose(model.fit(sparse.csr_matrix(X), y).coef_, dense, rtol=1e-5)


def test_wide_rows_take_the_quasi_newton_fit():
    rng = np.random.default_rng(0)
    X = sparse.random(60, 400, 0.1, format="csr", random_state=0)
    y = (np.asarray(X[:, :5].sum(axis=1)).ravel() > 0.2).astype(int)
    model = StackelbergClassifier(alpha=0.01, movement_price=rng.uniform(1, 2, 400)).fit(X, y)
    assert model.exploitability_ <= model.tol


def test_twin_adversaries_are_one(rng):
    X, y = sample(rng)
    one = StackelbergClassifier(movement_price=0.5).fit(X, y)
    two = StackelbergClassifier(movement_price=[[0.5], [0.5]], adversary_share=[3, 1]).fit(X, y)
    np.testing.assert_allclose(two.coef_, one.coef_, rtol=1e-4)
    np.testing.assert_allclose(two.shift_, np.tile(one.shift_, (2, 1)), rtol=1e-4, atol=1e-6)


def test_adversaries_with_different_prices_move_differently():
    X, y = sample(np.random.default_rng(1))
    price = [[0.2, np.inf, np.inf], [np.inf, 0.2, np.inf]]
    model = StackelbergClassifier(movement_price=price).fit(X, y)
    assert model.exploitability_ <= model.tol
    assert model.shift_[0, 0] < 0
    assert not model.shift_[0, 1:].any()
    assert model.shift_[1, 1] < 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_play_ends_and_says_what_is_left():
    X, y = sample(np.random.default_rng(0))
    model = StackelbergClassifier(
        solver="play", movement_price=0.05, improvement=0.0, max_rounds=8
    ).fit(X, y)
    assert len(model.payoffs_) <= 9
    best = StackelbergClassifier(movement_price=0.05).fit(X, y)
    assert best.exploitability_ < model.exploitability_
    with pytest.warns(ConvergenceWarning, match="could still gain"):
        model.set_params(tol=1e-9).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_is_left_for_each_player():
    """Both gains of a played game, against the exact move and an independent fit."""
    X, y = sample(np.random.default_rng(0))
    model = StackelbergClassifier(solver="play", movement_price=0.05, max_rounds=2).fit(X, y)
    w, b, a = model.coef_[0], model.intercept_[0], model.shift_
    share, positive = y.mean(), X[y == 1]
    best = best_response(w, b, positive, movement_price=0.05).payoff
    now = np.logaddexp(0.0, -(positive + a) @ w - b).mean() - 0.05 * a @ a
    assert model.adversary_gain_ == pytest.approx(share * (best - now), abs=1e-9)
    value, *_ = naive.learner(X + np.outer(y, a), np.where(y == 1, 1.0, -1.0), "logistic", 1e-3)
    left = model.value_ - (value - 0.05 * share * a @ a)
    assert model.learner_gain_ == pytest.approx(left, abs=1e-5)
    both = (model.adversary_gain_ + model.learner_gain_) / model.value_
    assert model.exploitability_ == pytest.approx(both)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_round_that_gains_little_ends_the_play():
    """Line 19 of Algorithm 8 would go on for ever: above its start, zero, but by too little."""
    X, y = sample(np.random.default_rng(0))
    options = dict(solver="play", movement_price=0.5, max_rounds=1000)
    model = StackelbergClassifier(improvement=10.0, **options).fit(X, y)
    assert len(model.payoffs_) == 2
    assert 0.0 < model.payoffs_[1] < 10.0


def algorithm_8(ease, alpha, epsilon, passes):
    """As printed, but for a limit on the passes: the game, valid plays, their sum, all payoffs."""
    X, y = sample(np.random.default_rng(0))
    signs, eases = np.where(y == 1, 1.0, -1.0), np.full((1, 3), ease)
    game = ZeroSumGame(X, signs, np.ones(300), eases, np.ones(1), "logistic", alpha)
    total, highest, valid, payoffs = np.zeros((1, 3)), 0.0, [], []
    w = game.best_classifier(total, 1e-9, 200).W
    while len(payoffs) < passes:
        moves = game.best_moves(w)
        w = game.best_classifier(moves, 1e-9, 200, start=w).W
        payoffs.append(game.positive_loss(moves, w))
        if payoffs[-1] <= highest:
            break
        if payoffs[-1] - highest > epsilon:
            highest, total = payoffs[-1], total + moves
            valid.append((moves, w))
    return game, valid, total, payoffs


def test_line_19_of_algorithm_8_goes_on_for_ever():
    """No pass is counted, and from some pass on all are the same."""
    _, valid, _, payoffs = algorithm_8(ease=0.5, alpha=0.1, epsilon=1.0, passes=40)
    assert len(payoffs) == 40 and valid == []
    np.testing.assert_allclose(payoffs[20:], payoffs[20], rtol=1e-9)


def test_line_15_of_algorithm_8_adds_up_what_was_not_meant_to_be_added():
    """Each move starts from the original data; the sum is no answer, nor is it answered."""
    game, valid, total, payoffs = algorithm_8(ease=20.0, alpha=0.01, epsilon=1e-3, passes=40)
    assert len(valid) == 2 and len(payoffs) == 3
    moves, w = valid[-1]
    np.testing.assert_allclose(total, valid[0][0] + moves)
    assert game.value(total, valid[0][1]) < game.value(moves, valid[0][1]) - 0.1
    answer = game.best_classifier(total, 1e-9, 200).W
    assert game.value(total, answer) < game.value(total, w) - 0.1


def test_play_meets_the_equilibrium_where_moves_are_dear():
    X, y = sample(np.random.default_rng(2))
    options = dict(movement_price=20.0, alpha=0.1)
    played = StackelbergClassifier(solver="play", improvement=0.0, **options).fit(X, y)
    found = StackelbergClassifier(**options).fit(X, y)
    np.testing.assert_allclose(played.coef_, found.coef_, atol=2e-3)


def test_worst_case_is_convex_in_the_weights(rng):
    X, y = sample(rng, 60, 2)
    y = np.where(y == 1, 1.0, -1.0)
    for loss in LOSSES:
        game = ZeroSumGame(X, y, np.ones(60), np.full((1, 2), 20.0), np.ones(1), loss, 1e-3)
        for _ in range(20):
            W, V = rng.normal(size=(2, 3)) * 3
            middle = game.value_and_gradient(0.5 * (W + V))[0]
            ends = game.value_and_gradient(W)[0] + game.value_and_gradient(V)[0]
            assert middle <= 0.5 * ends + 1e-12
            value, slope = game.value_and_gradient(W)
            assert game.value_and_gradient(V)[0] >= value + slope @ (V - W) - 1e-9


def test_mixed_moves_where_no_pure_equilibrium_exists():
    """Up to w = 2 the positive example stays, beyond it jumps; the learner wants w = 5."""
    X = np.array([[-0.2], [-0.2], [3.0]])
    y = np.array([0, 0, 1])
    model = StackelbergClassifier(
        loss="hinge", alpha=1e-3, movement_price=0.2, fit_intercept=False
    ).fit(X, y)
    assert model.coef_[0, 0] == pytest.approx(2.0, abs=1e-3)
    assert model.exploitability_ <= model.tol
    assert len(model.move_probabilities_) == 2
    # the learner is indifferent at w = 2: slope -0.4/3 + 4e-3 of its own, 2/3 q from the jump
    jump = np.argmax(np.abs(model.moves_[:, 0, 0]))
    assert model.moves_[jump, 0, 0] == pytest.approx(-5.0, abs=0.02)
    assert model.move_probabilities_[jump] == pytest.approx(1.5 * (0.4 / 3 - 4e-3), abs=0.01)


def test_batches_are_the_new_position():
    rng = np.random.default_rng(0)
    X, y = sample(rng, 400, 2)
    model = StackelbergClassifier(movement_price=1.0, window=2)
    with pytest.raises(ValueError, match="pass both as classes="):
        model.partial_fit(X[y == 0], y[y == 0])
    model.partial_fit(X, y, classes=[0, 1])
    np.testing.assert_allclose(
        model.coef_, StackelbergClassifier(movement_price=1.0).fit(X, y).coef_, atol=1e-5
    )
    late = X + np.outer(y, [-2.0, 2.0])
    before = model.score(late, y)
    model.partial_fit(late, y)
    assert model.score(late, y) > before + 0.1
    model.partial_fit(X[y == 0], y[y == 0])
    assert len(model._memory["negative"]) == 2
    with pytest.raises(ValueError, match="not in classes"):
        model.partial_fit(X, y + 5)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_weight_counts_copies(rng, make):
    X, y = sample(rng)
    weight = rng.integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    model = StackelbergClassifier(movement_price=0.5, tol=1e-7)
    weighted = model.fit(make(X), y, sample_weight=weight).coef_.copy()
    value = model.value_
    copied = model.fit(make(X[rows]), y[rows])
    assert copied.value_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(copied.coef_, weighted, rtol=2e-3, atol=1e-3)


def test_selects_features_by_equilibrium_weights():
    X, y = sample(np.random.default_rng(0), d=4)
    model = StackelbergClassifier(movement_price=[0.05, np.inf, 1.0, 1.0])
    chosen = SelectFromModel(model, max_features=1, threshold=-np.inf).fit(X, y).get_support()
    assert chosen.tolist() == [False, True, False, False]


def test_bad_input_ends_in_a_sentence():
    X, y = sample(np.random.default_rng(0))
    with pytest.raises(ValueError, match="one positive number for each of the 1"):
        StackelbergClassifier(adversary_share=[1, 1]).fit(X, y)
    with pytest.raises(ValueError, match="No mistake costs anything"):
        StackelbergClassifier(fp_cost=0.0, fn_cost=0.0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StackelbergClassifier(movement_price=1.0).fit(X, y, fn_cost=np.where(y == 1, 0.0, 1.0))


def test_a_refused_first_batch_leaves_nothing_behind(rng):
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    model = StackelbergClassifier(movement_price=[1.0, 2.0])
    with pytest.raises(ValueError, match="each of the 3 features"):
        model.partial_fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.set_params(movement_price=1.0).partial_fit(X, y)
    want = StackelbergClassifier().partial_fit(X, y).coef_
    np.testing.assert_array_equal(model.coef_, want)
    with pytest.raises(ValueError, match="the stream started with"):
        model.partial_fit(X, y, [0, 2])
    model.partial_fit(X, y, fp_cost=0.0, fn_cost=0.0)  # teaches nothing
    np.testing.assert_array_equal(model.coef_, want)


def test_batches_may_be_dense_or_sparse_in_turn(rng):
    X, y = rng.normal(size=(2, 40, 3)), np.arange(40) % 2
    models = []
    for forms in (
        (np.asarray, np.asarray),
        (np.asarray, sparse.csr_matrix),
        (sparse.csr_array,) * 2,
    ):
        model = StackelbergClassifier()
        for batch, form in zip(X, forms, strict=True):
            model.partial_fit(form(batch), y)
        models.append(model.coef_)
    np.testing.assert_allclose(models[1], models[0], rtol=1e-5)
    np.testing.assert_allclose(models[2], models[0], rtol=1e-5)


@pytest.mark.parametrize("form", [sparse.coo_matrix, sparse.csc_array])
def test_what_is_left_does_not_depend_on_the_form_of_the_rows(form):
    X, y = np.array([[-1.0, 0.0], [1.0, 0.5]]), [0, 1]
    dense, thin = (exploitability([1.0, 0.2], 0.0, [0.0, 0.0], A, y) for A in (X, form(X)))
    assert thin.adversary_gain == pytest.approx(dense.adversary_gain)
    assert thin.learner_gain == pytest.approx(dense.learner_gain)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_integer_weights_are_repeated_rows(rng, loss):
    X = rng.normal(size=(60, 2))
    y = (X.sum(axis=1) + rng.normal(size=60) > 0).astype(int)
    weight = rng.integers(0, 3, 60)
    rows = np.repeat(np.arange(60), weight)
    fn = rng.uniform(1, 3, 60)
    settings = dict(loss=loss, movement_price=[1.0, 5.0], tol=1e-6)
    for method in ("fit", "partial_fit"):
        weighted, repeated = StackelbergClassifier(**settings), StackelbergClassifier(**settings)
        getattr(weighted, method)(X, y, sample_weight=weight, fn_cost=fn)
        getattr(repeated, method)(X[rows], y[rows], fn_cost=fn[rows])
        assert weighted.value_ == pytest.approx(repeated.value_, rel=1e-5)
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-2)


def test_a_batch_without_weight_is_ignored(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    model = StackelbergClassifier().partial_fit(X, y)
    before = model.coef_.copy()
    model.partial_fit(-X, y, sample_weight=np.zeros(30))
    np.testing.assert_array_equal(model.coef_, before)


def test_exploitability_takes_weights(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    weight = rng.integers(1, 4, 30)
    rows = np.repeat(np.arange(30), weight)
    w, b, shift = [1.0, 0.5], 0.1, [-0.1, 0.0]
    weighted = exploitability(w, b, shift, X, y, sample_weight=weight)
    repeated = exploitability(w, b, shift, X[rows], y[rows])
    assert weighted.value == pytest.approx(repeated.value)
    assert weighted.adversary_gain == pytest.approx(repeated.adversary_gain)


def shares(model, X, y):
    decided = model.predict(X)
    return decided[y == 1].mean(), decided[y == 0].mean()


@pytest.mark.parametrize("first", ["fit", "partial_fit"])
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("rows", [1, 40])
def test_batches_of_one_class_do_not_make_it_forget_the_other(first, label, rows):
    X, y = sample(np.random.default_rng(0), 300)
    model = getattr(StackelbergClassifier(window=2), first)(X, y)
    caught, alarms = shares(model, X, y)
    assert caught > 0.8
    one = X[y == label]
    for k in range(3):
        batch = one[k * rows : (k + 1) * rows]
        model.partial_fit(batch, np.full(rows, label), classes=[0, 1])
        now = shares(model, X, y)
        assert now[0] > caught - 0.15
        assert now[1] < alarms + 0.15


def test_a_small_batch_does_not_change_what_is_at_stake_in_each_class():
    X, y = sample(np.random.default_rng(0), 300)
    model = StackelbergClassifier().fit(X, y)
    caught, alarms = shares(model, X, y)
    two = np.array([np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]])
    now = shares(model.partial_fit(X[two], y[two]), X, y)
    assert now == pytest.approx((caught, alarms), abs=0.1)


def test_the_memory_survives_an_array_that_is_used_again():
    X, y = sample(np.random.default_rng(0), 200)
    want = StackelbergClassifier().partial_fit(X, y).partial_fit(X + 1.0, y).coef_
    buffer = X.copy()
    model = StackelbergClassifier().partial_fit(buffer, y)
    buffer += 1.0
    np.testing.assert_allclose(model.partial_fit(buffer, y).coef_, want)


def test_fit_remembers_a_limited_number_of_rows():
    X, y = sample(np.random.default_rng(0), 5000)
    model = StackelbergClassifier().fit(X, y)
    for k, side in enumerate(("negative", "positive")):
        [(rows, stakes)] = model._memory[side]
        assert rows.shape == (1000, 3)
        assert stakes.sum() == pytest.approx(np.sum(y == k))


WORDS = np.array(["legit", "fraud"])  # "fraud" is the smaller label


def test_the_adversaries_may_be_the_smaller_label():
    rng = np.random.default_rng(0)
    X, y = sample(rng)
    options = dict(movement_price=[0.5, 5.0, 1.0], fn_cost=9.0)
    numbers = StackelbergClassifier(**options)
    words = StackelbergClassifier(pos_label="fraud", **options)
    fp_cost = rng.uniform(0.5, 2, len(y))
    for method in ("fit", "partial_fit", "partial_fit"):
        getattr(numbers, method)(X, y, fp_cost=fp_cost)
        getattr(words, method)(X, WORDS[y], fp_cost=fp_cost)
        assert words.classes_.tolist() == ["fraud", "legit"]
        np.testing.assert_array_equal(words.shift_, numbers.shift_)
        np.testing.assert_array_equal(words.coef_, -numbers.coef_)
        np.testing.assert_array_equal(words.predict(X), WORDS[numbers.predict(X)])
        # costs refer to pos_label here too
        score = numbers.score(X, y, fp_cost=fp_cost)
        assert words.score(X, WORDS[y], fp_cost=fp_cost) == pytest.approx(score)
    with pytest.raises(ValueError, match="'scam' is not one of the classes"):
        StackelbergClassifier(pos_label="scam").fit(X, WORDS[y])


def test_prices_by_name():
    rng = np.random.default_rng(0)
    X, y = sample(rng)
    frame = pl.DataFrame(X, schema=["amount", "age", "hour"])
    by_name = StackelbergClassifier(movement_price={"hour": 2.0, "amount": 0.5}).fit(frame, y)
    want = StackelbergClassifier(movement_price=[0.5, np.inf, 2.0]).fit(X, y)
    np.testing.assert_array_equal(by_name.coef_, want.coef_)
    two = [{"amount": 0.5}, {"age": 0.5}]
    found = StackelbergClassifier(movement_price=two).fit(frame, y)
    assert (found.shift_ != 0).tolist() == [[True, False, False], [False, True, False]]
    with pytest.raises(ValueError, match="'speed', which is not a column"):
        StackelbergClassifier(movement_price={"speed": 1.0}).fit(frame, y)
    with pytest.raises(ValueError, match="X has no column names"):
        StackelbergClassifier(movement_price={"age": 1.0}).fit(X, y)
    with pytest.raises(ValueError, match="X has no column names"):
        best_response([1.0, 2.0, 3.0], 0.0, X, movement_price={"age": 1.0})


def test_a_named_series_of_prices_is_read_by_name():
    rng = np.random.default_rng(0)
    pandas = pytest.importorskip("pandas")
    X, y = sample(rng)
    frame = pandas.DataFrame(X, columns=["amount", "age", "hour"])
    price = pandas.Series({"hour": 2.0, "amount": 0.5, "age": 1.0})
    found = StackelbergClassifier(movement_price=price).fit(frame, y)
    want = StackelbergClassifier(movement_price=[0.5, 1.0, 2.0]).fit(X, y)
    np.testing.assert_array_equal(found.coef_, want.coef_)


def test_compare_does_not_tune_facts_about_the_opponent():
    facts = {"movement_price", "movable", "adversary_share", "pos_label"}
    assert not facts & set(StackelbergClassifier._info.grid)


def test_words_without_pos_label_are_not_silent():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = WORDS[(X[:, 0] > 0).astype(int)]
    with pytest.warns(UserWarning, match="'legit', the last in the alphabet.*pass pos_label"):
        StackelbergClassifier().fit(X, y)
    with pytest.warns(UserWarning, match="pass pos_label"):
        StackelbergClassifier().partial_fit(X, y)
    StackelbergClassifier(pos_label="fraud").fit(X, y)
