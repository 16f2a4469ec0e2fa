"""Damaged requests to a service: an answer of JSON below 500, and the service goes on.

Most requests go to the application as a server hands them over; some are damaged bytes that are
sent to a server which listens. The memory of the process must not grow with their number.
"""

import asyncio
import json
import resource
import socket
import tempfile
import threading
import warnings
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote

import uvicorn

from fuzz import model_files
from fuzz.fields import damaged_bytes, other_field, seeded
from fuzz.models import trained
from serve.serving import new_service
from stakes.serve import App, Capacity

VALUES = [None, True, [], {}, -1, 0, 1e308, 1e-320, 2**64, "a", "", "\x00", "\ud800", [[]], 1e100]
PATHS = ["/v1/decisions", "/v1/labels", "/v1/reviews", "/v1/totals", "/v1/page", "/metrics"]
PATHS += ["/v1/champion/probit", "/openapi.json", "/ready", "/v1/events/", "/v1/models/other", "/"]
KIND = [("content-type", "application/json")]
SETTLED = 3000  # cases after which a process has what it needs
GROWTH = 200  # MiB by which it may grow after that; pending events and caches have limits


class Service:
    """One service for all cases of a child."""

    def __init__(self):
        folder = Path(tempfile.mkdtemp())
        self.n_cases, self.settled_at = 0, None
        self._loop = asyncio.new_event_loop()
        self._app = _app(folder / "a.db")
        self._life = self._app.router.lifespan_context(self._app)
        self._loop.run_until_complete(self._life.__aenter__())
        config = uvicorn.Config(_app(folder / "b.db"), log_level="critical", lifespan="on")
        server, listener = uvicorn.Server(config), socket.create_server(("127.0.0.1", 0))
        self._address = listener.getsockname()
        job = dict(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        threading.Thread(**job).start()

    def ask(self, method, path, content=b"", headers=()):
        """Status, content type and content of the answer to one request."""
        path, _, query = path.partition("?")
        headers = [("host", "localhost"), ("content-length", str(len(content))), *headers]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode("utf-8", "replace"),
            "query_string": query.encode("utf-8", "replace"),
            "headers": [(name.encode(), value.encode()) for name, value in headers],
            "client": ("127.0.0.1", 1),
            "server": ("localhost", 80),
        }
        sent, waiting = [], [{"type": "http.request", "body": content, "more_body": False}]

        async def receive():
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        self._loop.run_until_complete(self._app(scope, receive, send))
        found = dict(sent[0]["headers"]).get(b"content-type", b"").decode()
        return sent[0]["status"], found, b"".join(one.get("body", b"") for one in sent[1:])

    def send_bytes(self, data):
        """What a server answers to some bytes, possibly nothing."""
        with socket.create_connection(self._address, timeout=60) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                found = b""
                while part := connection.recv(65536):
                    found += part
            except ConnectionError:  # it may hang up
                found = b""
        return found

    def grown(self):
        """By how many MiB the process has grown since it was settled."""
        self.n_cases += 1
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        if self.n_cases == SETTLED:
            self.settled_at = used
        return 0.0 if self.settled_at is None else used - self.settled_at


def _app(path):
    return App(new_service(path, Capacity(max_reviews=3, review_cost=0.1))).asgi()


@cache
def service():
    """The service of this process."""
    return Service()


def case(seed):
    """Send one odd request, then a good one."""
    rng = seeded(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = _sent(rng)
        if words in ("refused", "harmless"):
            id = f"good {seed // 2}"  # decided about, then labeled: few events stay pending
            good = {"id": id, "event": {"amount": 12.5, "country": "FR"}}
            path = "/v1/decisions"
            if seed % 2:
                good, path = {"id": id, "label": "0"}, "/v1/labels"
            status, _, content = service().ask("POST", path, json.dumps(good).encode(), KIND)
            if status != 200 and not (seed % 2 and status == 404):  # the first of a process
                return f"a good request gets {status}: {content[:200]}"
            if service().grown() > GROWTH:
                return f"the process has grown by {service().grown():.0f} MiB"
        return words


def _sent(rng):
    how = rng.randrange(40)
    if how == 0:
        return _on_the_wire(rng)
    if how < 3:  # any method on any path
        path = rng.choice(PATHS) + rng.choice(["", "", quote(other_field(rng, "a")[:100])])
        method = rng.choice(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"])
        status, kind, content = service().ask(method, path, _body(rng), _headers(rng))
    elif how < 5:  # a damaged model
        data = model_files.mutated(trained()[rng.choice(sorted(trained()))][1], rng)
        path = f"/v1/models/other{rng.randrange(4)}"  # as long as no file passes the check
        status, kind, content = service().ask("PUT", path, data)
    else:
        path = rng.choice(["/v1/decisions", "/v1/decisions", "/v1/labels"])
        body = _body(rng, path == "/v1/labels" if rng.random() < 0.95 else None)
        status, kind, content = service().ask("POST", path, body, _headers(rng))
    if status >= 500:
        return f"{status}: {content[:300]}"
    if "json" in kind and content:
        json.loads(content, parse_constant=lambda word: 1 / 0)
    return "harmless" if status < 400 else "refused"


def _on_the_wire(rng):
    """Bytes that are hardly HTTP."""
    body = _body(rng)
    lines = [f"POST {rng.choice(PATHS)} HTTP/1.1", "Host: localhost", ": ".join(*KIND)]
    lines += rng.choice([[f"Content-Length: {len(body)}"], ["Transfer-Encoding: chunked"], []])
    data = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
    found = service().send_bytes(damaged_bytes(rng, data))
    status = found[9:12]
    if status.startswith(b"5"):
        return f"{found[:300]}"
    return "harmless" if status.startswith(b"2") else "refused"


def _headers(rng):
    kinds = ["application/json"] * 20 + ["text/plain", "", "application/json; charset=utf-16"]
    return [("content-type", rng.choice(kinds))]


def _body(rng, labels=None):
    """A decision, labels, or many of them; None: either."""
    labels = rng.random() < 0.4 if labels is None else labels
    items = [_item(rng, labels) for _ in range(rng.choice([1, 1, 1, 3, 40]))]
    text = json.dumps(items[0] if len(items) == 1 and rng.random() < 0.8 else items).encode()
    return damaged_bytes(rng, text) if rng.random() < 0.2 else text


def _item(rng, is_label):
    id = rng.choice(["a", "b", 7, f"{rng.random()}"])
    if is_label:
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
