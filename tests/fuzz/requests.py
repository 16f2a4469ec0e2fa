"""Damaged requests to a service: an answer of JSON below 500, and the service goes on."""

import json
import tempfile
import warnings
from functools import cache
from pathlib import Path
from urllib.parse import quote

from starlette.testclient import TestClient

from fuzz import model_files
from fuzz.fields import damaged_bytes, other_field, seeded
from fuzz.models import models
from serve.serving import new_service
from stakes.serve import App, Capacity

VALUES = [None, True, [], {}, -1, 0, 1e308, 1e-320, 2**64, "a", "", "\x00", "\ud800", [[]], 1e100]
PATHS = ["/v1/decisions", "/v1/labels", "/v1/reviews", "/v1/totals", "/v1/page", "/metrics"]
PATHS += ["/v1/champion/probit", "/openapi.json", "/ready", "/v1/events/", "/v1/models/other", "/"]


@cache
def client():
    """One service for all cases of a child."""
    folder = tempfile.mkdtemp()
    service = new_service(Path(folder) / "s.db", Capacity(max_reviews=3, review_cost=0.1))
    found = TestClient(App(service).asgi(), raise_server_exceptions=False)
    found.__enter__()
    return found


def case(seed):
    """Send one odd request, then a good one."""
    rng = seeded(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = _sent(rng)
        if words in ("refused", "harmless"):
            good = {"id": f"good {seed}", "event": {"amount": 12.5, "country": "FR"}}
            answer = client().post("/v1/decisions", json=good)
            if answer.status_code != 200:
                return f"a good request gets {answer.status_code}: {answer.text[:200]}"
        return words


def _sent(rng):
    how = rng.randrange(20)
    if how == 0:  # any method on any path
        path = rng.choice(PATHS) + rng.choice(["", "", quote(other_field(rng, "a")[:100])])
        method = rng.choice(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"])
        answer = client().request(method, path, content=_body(rng), headers=_headers(rng))
    elif how == 1:  # a damaged model
        name = rng.choice(sorted(models()))
        data = model_files.mutated(models()[name][1], rng)
        answer = client().put("/v1/models/other", content=data)
    else:
        path = rng.choice(["/v1/decisions", "/v1/decisions", "/v1/labels"])
        answer = client().post(path, content=_body(rng), headers=_headers(rng))
    if answer.status_code >= 500:
        return f"{answer.status_code}: {answer.text[:300]}"
    if "json" in answer.headers.get("content-type", "") and answer.content:
        json.loads(answer.content, parse_constant=lambda word: 1 / 0)
    return "harmless" if answer.status_code < 400 else "refused"


def _headers(rng):
    kinds = ["application/json"] * 20 + ["text/plain", "", "application/json; charset=utf-16"]
    return {"content-type": rng.choice(kinds)}


def _body(rng):
    items = [_item(rng) for _ in range(rng.choice([1, 1, 1, 3, 40]))]
    text = json.dumps(items[0] if len(items) == 1 and rng.random() < 0.8 else items).encode()
    return damaged_bytes(rng, text) if rng.random() < 0.2 else text


def _item(rng):
    id = rng.choice(["a", "b", 7, f"{rng.random()}"])
    if rng.random() < 0.4:
        item = {"id": id, "label": rng.choice([0, 1, "yes", "no", True])}
    else:
        item = {"id": id, "event": {"amount": rng.lognormvariate(3, 1), "country": "FR"}}
        if rng.random() < 0.2:
            item["costs"] = {"fp_cost": rng.choice([1, 2.5]), "fn_cost": 7}
    inner = item.get("event") if rng.random() < 0.5 else item.get("costs")
    target = inner or item
    for _ in range(rng.choice([0, 1, 1, 2])):
        name = rng.choice(list(target) or ["id"])
        how = rng.randrange(4)
        if how == 0:
            target.pop(name, None)
        elif how == 1:
            target[name] = rng.choice(VALUES)
        elif how == 2:
            target[other_field(rng, name)[:300]] = rng.choice(VALUES)
        else:
            target[name] = other_field(rng, str(target.get(name)))[:20_000]
    return item
