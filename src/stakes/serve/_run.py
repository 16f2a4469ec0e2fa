"""Start a service and listen."""

import contextlib
import gc
import ipaddress
import logging
import socket
from pathlib import Path

import uvicorn

from stakes.errors import InputError
from stakes.serve._app import App
from stakes.serve._logs import log_to_stderr
from stakes.serve._tokens import Tokens

GARBAGE = 20_000  # new objects between two searches for cycles: a batch makes thousands, no cycle


def run(service, *, host="127.0.0.1", port=8000, tokens=None, max_rate=None, ready=None):
    """Listen until the process is stopped; then answer pending requests and save the state.

    Parameters
    ----------
    service : Service
        Decides and learns.
    host : str, default="127.0.0.1"
        Address to listen on. Any but an address of this machine needs tokens.
    port : int, default=8000
        0: a free one.
    tokens : str or Path, default=None
        File of tokens.
    max_rate : float, default=None
        Requests in a second that a token, or an address without tokens, may send; None: no limit.
    ready : callable, default=None
        Called with the URL when connections are accepted.
    """
    if tokens is None and not _is_local(host):
        raise InputError(
            f"Without {{tokens}} the service listens on this machine only, not on {host!r}; make "
            "tokens with stakes serve token.",
            "tokens",
        )
    app = App(service, None if tokens is None else Tokens(Path(tokens)), max_rate)
    listener = _listen(host, port)
    log_to_stderr()
    facts = {"host": host, "port": listener.getsockname()[1], "model": service.state.champion}
    logging.getLogger("stakes.serve").info("started", extra={"facts": facts})
    if ready is not None:
        ready(f"http://{host}:{listener.getsockname()[1]}")
    config = uvicorn.Config(
        app.asgi(),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
        limit_concurrency=2000,
        h11_max_incomplete_event_size=65536,
    )
    gc.collect()
    gc.freeze()  # what lives as long as the process is not searched again and again
    gc.set_threshold(GARBAGE)
    with contextlib.suppress(KeyboardInterrupt):  # raised again after a graceful stop
        uvicorn.Server(config).run(sockets=[listener])
    logging.getLogger("stakes.serve").info("stopped")


def _is_local(host):
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listen(host, port):
    try:
        return socket.create_server((host, port), backlog=1024)
    except OSError as error:
        raise InputError(f"Cannot listen on {host}:{port}: {error.strerror}.") from None
