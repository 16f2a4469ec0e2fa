"""The part of the report that answers back, in a real browser, against a computation in Python."""

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from stakes._core.words import count, money
from stakes.compare import Wording, compare
from stakes.compare._out_of_fold import OutOfFold
from stakes.compare._what_if import SHARES, factor
from stakes.compare.report._render import to_html
from stakes.decision import Capacity
from toy import toy

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
SETTINGS = [
    dict(fp=0, fn=0, rate=0, cap=0),
    dict(fp=2, fn=0, rate=0, cap=0),
    dict(fp=0, fn=4, rate=0, cap=0),
    dict(fp=-4, fn=4, rate=0, cap=0),
    dict(fp=4, fn=-4, rate=0, cap=0),
    dict(fp=0, fn=0, rate=-3, cap=0),
    dict(fp=1, fn=-1, rate=4, cap=0),
    dict(fp=0, fn=0, rate=0, cap=2),
    dict(fp=-1, fn=3, rate=2, cap=3),
    dict(fp=3, fn=1, rate=-2, cap=1),
]
DRIVER = """<script>
const seen = [], root = document.getElementById("what-if-0");
for (const setting of SETTINGS) {
  for (const key in setting) {
    const input = root.querySelector(`input[data-set=${key}]`);
    input.value = setting[key];
    input.dispatchEvent(new Event("input"));
  }
  const text = cell => cell.textContent, winner = text(root.querySelector(".winner"));
  const rows = [...root.querySelectorAll("tbody tr")].map(row => [...row.cells].map(text));
  seen.push({ rows, winner, drawn: root.querySelectorAll("polyline").length });
}
document.body.textContent = JSON.stringify(seen);
</script>"""


def by_hand(table, name, setting):
    """Cost, alerts, false alarms and misses per 1,000, row by row at the new prices and weights."""
    found, costs, y = table.of(name), table.costs, table.data.y == 1
    f, g, k = (factor(setting[key]) for key in ("fp", "fn", "rate"))
    new = replace(
        costs, fp=costs.tn + f * costs.negative_regret, fn=costs.tp + g * costs.positive_regret
    )
    rate = y.mean()
    then = k * rate / (k * rate + 1 - rate)
    weight = np.where(y, then / rate, (1 - then) / (1 - rate))
    p = found.probability
    if np.array_equal(found.decided, costs.decide(p)) and not name.startswith("always"):
        p = k * p / (k * p + 1 - p)
        decided = new.decide(p)
        order = p * new.positive_regret - (1 - p) * new.negative_regret
    else:
        decided, order = found.decided, p
    acted, used = np.zeros(len(y), bool), 0.0
    for i in sorted(np.flatnonzero(decided), key=lambda i: -order[i]):
        used += weight[i]
        if setting["cap"] and used > SHARES[setting["cap"]] * len(y) + 1e-9:
            break
        acted[i] = True
    mean = 1000 / len(y)
    return [
        mean * (weight * new.paid(y, acted)).sum(),
        mean * (weight * acted).sum(),
        mean * (weight * (acted & ~y)).sum(),
        mean * (weight * (~acted & y)).sum(),
    ]


def in_browser(page, tmp_path, settings=SETTINGS):
    path = tmp_path / "driven.html"
    script = DRIVER.replace("SETTINGS", json.dumps(settings))
    path.write_text(page.replace("</body>", script + "</body>"), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000"]
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    done = subprocess.run(
        [BROWSER, *flags, profile, "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    found = re.search(r"<body[^>]*>(.*)</body>", done.stdout, flags=re.DOTALL)
    return json.loads(html.unescape(found.group(1)))


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_the_browser_shows_what_python_computes(few, tmp_path):
    data = toy(400)
    results = compare(data, folds=3, tune=False, out=tmp_path / "run")
    page = results.report().read_text()
    table = OutOfFold(results, data)
    for setting, seen in zip(SETTINGS, in_browser(page, tmp_path), strict=True):
        hand = {name: by_hand(table, name, setting) for name in table.complete}
        for name, cost, *counts in seen["rows"]:
            assert cost == money(hand[name][0]), (setting, name)
            assert counts == [count(x) for x in hand[name][1:]], (setting, name)
        assert {row[0] for row in seen["rows"]} == set(hand)
        best = min(hand.values(), key=lambda one: one[0])[0]
        assert hand[seen["rows"][0][0]][0] == pytest.approx(best)
        assert money(best) in seen["winner"] and seen["drawn"] >= 2
        limit = 1000 * SHARES[setting["cap"]] + 1e-6
        assert all(one[1] <= limit for one in hand.values())  # alerts at the new base rate


def acted_by_hand(table, name, setting, capacity):
    """Cost, alerts, false alarms, misses and reviews per 1,000 under a capacity."""
    found, costs, y = table.of(name), table.costs, table.data.y == 1
    new = replace(
        costs,
        fp=costs.tn + factor(setting["fp"]) * costs.negative_regret,
        fn=costs.tp + factor(setting["fn"]) * costs.positive_regret,
    )
    follows = np.array_equal(found.decided, costs.decide(found.probability))
    if follows and name not in table.constant:
        action = capacity.act(found.probability, new)
    else:
        action = table.act(found.decided, found.probability, capacity)
    paid = capacity.paid(new, y, action).mean()
    passed, alert = action == 0, action == 1
    kinds = (alert, alert & ~y, passed & y, action == -1)
    return [1000 * paid, *(1000 * kind.mean() for kind in kinds)]


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
@pytest.mark.parametrize(
    "capacity, moved",
    [
        (Capacity(max_alerts=0.05), ("max_alerts", [0.0, 0.025, 0.05, 0.1, 0.2])),
        (
            Capacity(max_alerts=30, review_cost=0.3, max_reviews=20),
            ("max_reviews", [0, 10, 20, 40, 80]),
        ),
    ],
)
def test_a_comparison_under_a_capacity_answers_back(few, tmp_path, capacity, moved):
    data = toy(300)
    results = compare(data, folds=3, tune=False, out=tmp_path / "run", capacity=capacity)
    table = OutOfFold(results, data)
    settings = [
        dict(fp=fp, fn=fn, cap=cap) for fp, fn in [(0, 0), (4, -2), (-2, 4)] for cap in range(5)
    ]
    seen_at = in_browser(results.report().read_text(), tmp_path, settings)
    for setting, seen in zip(settings, seen_at, strict=True):
        name, amounts = moved
        at = replace(capacity, **{name: amounts[setting["cap"]]})
        for name, cost, *counts in seen["rows"]:
            hand = acted_by_hand(table, name, setting, at)
            assert cost == money(hand[0]), (setting, name)
            shown = hand[1:] if capacity.review_cost is not None else hand[1:-1]
            assert counts == [count(x) for x in shown], (setting, name)


def test_the_opening_speaks_the_words_of_the_business():
    plain, spoken = Wording().summary(toy()), Wording("refuse", "accept", "€").summary(toy())
    assert plain == str(toy().summary())
    assert "Always accept costs €" in spoken and "; always refuse costs €760." in spoken
    assert "\nRefuse above a probability of" in spoken


def test_the_page_is_small_and_whole_without_scripts(few, tmp_path):
    results = compare(toy(), folds=2, tune=False, out=tmp_path, wording=Wording("refuse"))
    page = results.report().read_text()
    assert len(page.encode()) < 2_000_000
    assert '<section class="what-if" id="what-if-0" hidden>' in page
    assert "http://" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", page).replace("www.w3.org", "")
    content = json.loads(
        re.search(r'<script type="application/json">(.*?)</script>', page).group(1)
    )
    assert "always refuse" in content["fixed"] and "always positive" not in content["fixed"]
    assert "always refuse" in content["policies"]
    assert "what_if" not in (tmp_path / "report.json").read_text()
    # at the stated settings the sums give the cost of the table
    part = results.summary()["datasets"][0]
    name = next(iter(part["what_if"]["sums"]))
    C, D, *_ = part["what_if"]["sums"][name][8][4][0]
    cost = sum(part["what_if"]["always_right"]) + C + D
    own = next(f for f in part["learners"] if f["learner"] == name)
    assert cost == pytest.approx(own["cost_per_1000"], rel=1e-9)


def test_no_text_of_the_data_ends_the_script(few, tmp_path):
    few[3] = replace(few[3], name="</script><b>")
    results = compare(toy(), folds=2, tune=False, out=tmp_path)
    page = to_html(results.shown() | {"command": "c", "currency": None})
    assert "</script><b>" not in page
