"""The HTTP face of a service."""

import asyncio
import logging
import math
import time
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Route

from stakes.errors import InputError
from stakes.serve import _requests as types
from stakes.serve._groups import Groups, Overloaded
from stakes.serve._metrics import Metrics
from stakes.serve._openapi import document
from stakes.serve._rates import Rates
from stakes.serve._service import NotWrittenError

MAX_BYTES = 1_000_000  # of a request
MAX_MODEL = 200_000_000  # of a model file
MAX_EXPLAINED = 20  # events with reasons in a request: each takes milliseconds
READ_SECONDS = 10
ANSWER_SECONDS = 30
FOLLOW_SECONDS = 1.0
_LOCAL = {"localhost", "127.0.0.1", "[::1]", "testserver"}
_PAGE = Path(__file__).parent / "page"
_KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_LOG = logging.getLogger("stakes.serve")
_decisions = msgspec.json.Decoder(types.Decide | types.Decisions)
_labels = msgspec.json.Decoder(types.Label | types.Labels)
_encode = msgspec.json.Encoder().encode


class App:
    """The endpoints of a service.

    Parameters
    ----------
    service : Service
        Used by one thread of the application, which closes it in the end.
    tokens : Tokens, default=None
        Who may do what; None: everyone who reaches it by a name of this machine.
    max_rate : float, default=None
        Requests in a second that a token, or an address without tokens, may send; None: no limit.
    """

    def __init__(self, service, tokens=None, max_rate=None):
        self._service = service
        self._tokens = tokens
        self._rates = None if max_rate is None else Rates(max_rate)
        self._groups = Groups(service)
        self._metrics = Metrics()
        self._openapi = _encode(document())

    def asgi(self):
        """The ASGI application."""
        routes = [
            self._route("/v1/decisions", self._decide, "decide", "POST"),
            self._route("/v1/decisions/{id:path}", self._decision, "read", "GET"),
            self._route("/v1/labels", self._label, "label", "POST"),
            self._route("/v1/reviews", self._reviews, "review", "GET"),
            self._route("/v1/totals", self._totals, "read", "GET"),
            self._route("/v1/models/{name}", self._add, "admin", "PUT"),
            self._route("/v1/champion/{name}", self._promote, "admin", "PUT"),
            self._route("/v1/events/{id:path}", self._erase, "admin", "DELETE"),
            self._route("/v1/page", self._page, "read", "GET"),
            self._file("/", "index.html"),
            self._file("/page.js", "page.js"),
            self._file("/page.css", "page.css"),
            self._route("/metrics", self._show_metrics, "read", "GET"),
            self._route("/openapi.json", self._document, None, "GET"),
            self._route("/health", self._health, None, "GET"),
            self._route("/ready", self._ready, None, "GET"),
        ]
        handlers = {HTTPException: self._refuse, Exception: self._fail}
        return Starlette(routes=routes, lifespan=self._lifespan, exception_handlers=handlers)

    def _route(self, path, endpoint, right, method):
        async def guarded(request):
            self._check(request, right)
            return await endpoint(request)

        return Route(path, guarded, methods=[method])

    def _file(self, path, name):
        """A part of the page: the same for everyone, without any data."""
        content = (_PAGE / name).read_bytes()
        kind = _KINDS[name.rpartition(".")[2]]

        async def show(request):
            return Response(content, media_type=kind, headers=_PAGE_HEADERS)

        return self._route(path, show, None, "GET")

    @asynccontextmanager
    async def _lifespan(self, app):
        tasks = [asyncio.create_task(one) for one in (self._groups.run(), self._follow())]
        yield
        await self._groups.stop()
        for task in tasks:
            task.cancel()

    async def _follow(self):
        """Take in what other processes write, so that little is left to do when a request comes."""
        while True:
            await asyncio.sleep(FOLLOW_SECONDS)
            try:
                await self._groups.ask(self._service.catch_up)
            except Exception as error:
                _LOG.warning("The journal cannot be read: %s", error)

    def _check(self, request, right):
        """Refuse whoever may not do this."""
        request.state.rights = None
        if self._tokens is None:
            # a page of the web must not reach a service on localhost under a name of its own
            if request.headers.get("host", "").rsplit(":", 1)[0] not in _LOCAL:
                raise HTTPException(403, "Without tokens only this machine may send requests.")
        elif right is not None:
            kind, _, token = request.headers.get("authorization", "").partition(" ")
            rights = self._tokens.rights(token) if kind.lower() == "bearer" else None
            if rights is None:
                headers = {"WWW-Authenticate": "Bearer"}
                raise HTTPException(401, "Send a valid token: Authorization: Bearer ...", headers)
            request.state.rights = rights
            if right not in rights:
                raise HTTPException(403, f"This token has no right to {right}.")
        if self._rates is not None and right is not None:
            address = request.client.host if request.client else ""
            client = request.headers.get("authorization", address) if self._tokens else address
            if wait := self._rates.wait(client):
                headers = {"Retry-After": str(math.ceil(wait))}
                raise HTTPException(429, "Too many requests; send fewer in a second.", headers)

    async def _decide(self, request):
        body = await _read_json(request, _decisions)
        asked = body if isinstance(body, list) else [body]
        if sum([one.reasons > 0 for one in asked]) > MAX_EXPLAINED:
            raise HTTPException(
                422, f"Ask for the reasons of at most {MAX_EXPLAINED} events in a request."
            )
        if max(map(len, set().union(*[one.event for one in asked]))) > types.MAX_NAME:
            raise HTTPException(
                422, f"The name of a field has more than {types.MAX_NAME} letters; shorten it."
            )
        return await self._answer(request, body)

    async def _label(self, request):
        return await self._answer(request, await _read_json(request, _labels))

    async def _decision(self, request):
        id = request.path_params["id"]
        found = await self._ask(self._service.decision, id)
        if found is None:
            raise HTTPException(404, f"There is no decision about {id!r}.")
        return _json(found)

    async def _reviews(self, request):
        return _json(await self._ask(self._service.reviews))

    async def _totals(self, request):
        return _json(await self._groups.ask(self._service.report))

    async def _page(self, request):
        rights = request.state.rights
        with_reviews = rights is None or "review" in rights
        return _json(await self._ask(self._service.page, with_reviews))

    async def _add(self, request):
        content = await _read(request, MAX_MODEL)
        return await self._change(self._service.add, request.path_params["name"], content)

    async def _promote(self, request):
        return await self._change(self._service.promote, request.path_params["name"])

    async def _erase(self, request):
        return await self._change(self._service.erase, request.path_params["id"])

    async def _change(self, function, *arguments):
        try:
            await self._ask(function, *arguments)
        except InputError as error:
            raise HTTPException(422, str(error)) from None
        _LOG.info(function.__name__, extra={"facts": {"name": arguments[0]}})
        return _json(await self._groups.ask(self._service.report))

    async def _ask(self, function, *arguments):
        """Call a function of the service; without its store, say so."""
        try:
            return await self._groups.ask(function, *arguments)
        except self._service.store_errors as error:
            _LOG.warning("The store cannot be used: %s", error)
            raise HTTPException(503, "The store cannot be used; try again later.") from None

    async def _show_metrics(self, request):
        page = await self._ask(self._service.page, False)
        text = self._metrics.text(page.totals, len(page.alarms))
        return Response(text, media_type=self._metrics.content_type)

    async def _document(self, request):
        return Response(self._openapi, media_type="application/json")

    async def _health(self, request):
        return _json({"alive": True})

    async def _ready(self, request):
        await self._ask(self._service.check)
        return _json({"ready": True})

    async def _answer(self, request, body):
        start = time.perf_counter()
        many = isinstance(body, list)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answers = await self._groups.submit(body if many else [body])
        except Overloaded:
            raise HTTPException(503, "Too many requests wait; send it again later.") from None
        except TimeoutError:
            message = f"No answer within {ANSWER_SECONDS} seconds; send it again with the same id."
            raise HTTPException(503, message) from None
        for i, answer in enumerate(answers):
            if isinstance(answer, InputError):
                if not many:
                    raise HTTPException(422, str(answer))
                answers[i] = types.Problem(str(answer))
            elif isinstance(answer, NotWrittenError):
                raise HTTPException(503, f"Not written down ({answer}); send it again.")
            elif isinstance(answer, Exception):
                raise answer
        self._metrics.answered(request.url.path, answers, time.perf_counter() - start)
        return _json(answers if many else answers[0])

    async def _refuse(self, request, error):
        self._metrics.refused(error.status_code)
        headers = {"Retry-After": "1"} if error.status_code == 503 else {}
        headers |= error.headers or {}
        return _json(types.Problem(str(error.detail)), error.status_code, headers)

    async def _fail(self, request, error):
        _LOG.error("A request failed.", exc_info=error)
        self._metrics.refused(500)
        return _json(types.Problem("An internal error; the log of the service says more."), 500)


async def _read_json(request, decoder):
    """The body of a request, checked against its type."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":  # pages of the web cannot send it without being asked
        raise HTTPException(415, "Send the body as application/json.")
    body = await _read(request, MAX_BYTES)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise HTTPException(422, f"{error}; see /openapi.json.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(400, f"The body is not JSON: {error}.") from None


async def _read(request, limit):
    body = bytearray()
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    raise HTTPException(413, f"The body is larger than {limit:,} bytes; send less.")
    except ClientDisconnect:
        raise HTTPException(400, "The connection was closed within the body.") from None
    except TimeoutError:
        raise HTTPException(408, f"The body took more than {READ_SECONDS} seconds.") from None
    return bytes(body)


def _json(value, status=200, headers=None):
    return Response(_encode(value), status, headers, "application/json")
