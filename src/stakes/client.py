"""A client of `stakes serve` that may send anything twice: ids make a retry harmless."""

import http.client
import json
import random
import ssl
import time
import urllib.parse
import uuid

from stakes.errors import InputError

_AGAIN = {408, 429, 502, 503, 504}


class ServiceError(Exception):
    """The service did not answer, or refused a request.

    Attributes
    ----------
    status : int or None
        HTTP status; None if there was no answer.
    """

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class Client:
    """Send events and labels to a service; not thread-safe, one for each thread.

    A request without an answer is sent again: the service answers a known id as it did the first
    time, and learns a label once. An event without an id gets one here for that reason.

    Parameters
    ----------
    url : str
        Where the service listens, such as ``http://localhost:8000``.
    token : str, default=None
        From `stakes serve token`.
    timeout : float, default=5.0
        Seconds to wait for one answer.
    patience : float, default=30.0
        Seconds after which a request is no longer retried.
    """

    def __init__(self, url, *, token=None, timeout=5.0, patience=30.0):
        self._url = urllib.parse.urlsplit(url)
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise InputError(
                f"{url!r} is not the address of a service, like http://localhost:8000."
            )
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self.timeout = timeout
        self.patience = patience
        self._connection = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def decide(self, event, id=None, *, reasons=0, time=None, **costs):
        """The decision about an event.

        Parameters
        ----------
        event : dict
            Field -> number, text, true/false or None.
        id : str or int, default=None
            Names the event; None: a new one.
        reasons : int, default=0
            Number of fields that speak most for the decision, to be named in the answer.
        time : float, default=None
            When a past event happened, in seconds since 1970; None: now.
        **costs : float
            fp_cost, fn_cost, tp_cost, tn_cost, instead of those of the service.

        Returns
        -------
        dict
            id, action, probability, break_even, expected_cost, model, version.
        """
        return self._send("POST", "/v1/decisions", _request(event, id, time, costs, reasons))

    def decide_many(self, events, ids=None, times=None):
        """Decisions about several events, in their order; a refused one is ``{"error": ...}``."""
        ids = [None] * len(events) if ids is None else ids
        times = [None] * len(events) if times is None else times
        batch = [_request(*one) for one in zip(events, ids, times, strict=True)]
        return self._send("POST", "/v1/decisions", batch)

    def label(self, id, label):
        """Tell the service how an event turned out."""
        return self._send("POST", "/v1/labels", {"id": id, "label": label})

    def label_many(self, labels):
        """Tell the service how several events turned out: id -> label."""
        batch = [{"id": id, "label": label} for id, label in labels.items()]
        return self._send("POST", "/v1/labels", batch)

    def reviews(self):
        """Events that wait for a review, the most expensive first."""
        return self._send("GET", "/v1/reviews")

    def totals(self):
        """Money so far, by model."""
        return self._send("GET", "/v1/totals")

    def close(self):
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _send(self, method, path, value=None):
        body = None if value is None else json.dumps(value, allow_nan=False)
        give_up = time.monotonic() + self.patience
        pause = 0.05
        while True:
            status, answer = self._once(method, path, body)
            if status == 200:
                return json.loads(answer)
            if status not in _AGAIN and status is not None:
                raise ServiceError(_reason(answer), status)
            if time.monotonic() + pause > give_up:
                raise ServiceError(
                    f"No answer from {self._url.netloc} for {self.patience:g} seconds "
                    f"({_reason(answer)}); is the service running?",
                    status,
                )
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, 2.0)

    def _once(self, method, path, body):
        """Status and answer of one attempt; None and the reason if there was none."""
        try:
            if self._connection is None:
                self._connection = self._connect()
            self._connection.request(method, self._url.path.rstrip("/") + path, body, self._headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return None, str(error) or type(error).__name__

    def _connect(self):
        place = (self._url.hostname, self._url.port)
        if self._url.scheme == "http":
            return http.client.HTTPConnection(*place, timeout=self.timeout)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(*place, timeout=self.timeout, context=context)


def _request(event, id, time=None, costs=None, reasons=0):
    request = {"event": event, "id": uuid.uuid4().hex if id is None else id}
    request |= {} if time is None else {"time": time}
    request |= {"costs": costs} if costs else {}
    return request | {"reasons": reasons} if reasons else request


def _reason(answer):
    if isinstance(answer, str):
        return answer
    try:
        return json.loads(answer)["error"]
    except (ValueError, LookupError, TypeError):
        return answer[:200].decode(errors="replace")
