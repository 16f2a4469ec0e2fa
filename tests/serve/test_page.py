"""The page of a service, driven in a real browser."""

import pytest

from browser import browser_page
from serve.serving import decide, label, listening, make_events, new_service
from stakes.online import AROWClassifier, ProbitClassifier
from stakes.serve import Capacity, Tokens, add_token


@pytest.fixture
def service(tmp_path):
    clock = iter(range(0, 10**9, 600))
    service = new_service(
        tmp_path / "s.db",
        Capacity(review_cost=0.2, max_reviews=10),
        clock=lambda: float(next(clock)),
        champion=ProbitClassifier(),
        challenger=AROWClassifier(),
    )
    for id, event, y in make_events(300):
        service.handle([decide(id, event)])
        if id != "e299" and y is not None and int(id[1:]) < 290:
            service.handle([label(id, y)])
    return service


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_shows_the_money_and_takes_reviews(service, width):
    expected = service.report()
    waiting = [one.decision.id for one in service.reviews()]
    errors = []
    options = dict(viewport={"width": width, "height": 800})
    with listening(service) as address, browser_page(**options) as page:
        page.on("pageerror", lambda error: errors.append(error))
        page.on("console", lambda line: errors.append(line) if line.type == "error" else None)
        page.goto(address)
        page.wait_for_selector("#money tbody tr:nth-child(4)")
        text = page.inner_text("#money")
        assert f"{expected.models['champion'].paid:,.2f}" in text
        assert f"{expected.models['challenger'].paid:,.2f}" in text
        assert page.inner_text("#summary").startswith("300 events decided, 290 labeled.")
        assert page.locator("#chart polyline").count() == 4
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        shown = page.locator("#reviews tbody tr")
        assert shown.count() == len(waiting) > 0
        page.get_by_role("button", name=f"{waiting[0]} was positive").click()
        page.get_by_role("button", name=f"{waiting[0]} was positive").wait_for(state="detached")
        assert page.inner_text("#labels").startswith("291 labels")
        page.get_by_role("button", name="by day").click()
        assert page.get_attribute("#by-day", "aria-pressed") == "true"
        tree = page.locator("body").aria_snapshot()
        assert 'heading "Money"' in tree and 'button "by hour"' in tree
    assert errors == []


@pytest.mark.slow
def test_the_page_asks_for_a_token(service, tmp_path):
    token = add_token(tmp_path / "tokens.json", "me", "decide")
    with listening(service, Tokens(tmp_path / "tokens.json")) as address, browser_page() as page:
        page.goto(address)
        page.wait_for_selector("#login:not([hidden])")
        page.fill("#token", token)
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector("#money tbody tr:nth-child(3)")
        assert page.locator("#reviews tbody tr").count() == 0  # no right to see events
