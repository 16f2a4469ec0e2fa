"""The OpenAPI document, from the types that requests are checked against."""

import msgspec

from stakes import __version__
from stakes.serve import _requests as types

_REFUSED = {
    "400": "The body is not JSON.",
    "401": "There is no valid token.",
    "403": "The token has no right to this.",
    "408": "The body took too long.",
    "413": "The body is too large.",
    "415": "The body is not sent as application/json.",
    "422": "The body is JSON, but not what is expected.",
    "429": "Too many requests in a second.",
    "503": "Not written down: nothing happened, and the request may be sent again.",
}


def document():
    """The document as a dict."""
    one_or_many = [types.Decide, types.Decisions, types.Label, types.Labels]
    answers = [types.Decided, types.Labeled, types.Totals, list[types.Review], types.Problem]
    schemas, components = msgspec.json.schema_components(
        one_or_many + answers, ref_template="#/components/schemas/{name}"
    )
    decide, decisions, label, labels = schemas[:4]
    decided, labeled, totals, reviews, problem = schemas[4:]

    def post(summary, name, body, answer):
        refused = {code: _content(text, problem) for code, text in _REFUSED.items()}
        return {
            "post": {
                "summary": summary,
                "operationId": name,
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"anyOf": body}}},
                },
                "responses": {"200": _content("The answer.", {"anyOf": answer})} | refused,
            }
        }

    id = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "stakes serve", "version": __version__},
        "paths": {
            "/v1/decisions": post(
                "Decide about one event or a batch.",
                "decide",
                [decide, decisions],
                [decided, _list_of(decided, problem)],
            ),
            "/v1/decisions/{id}": {
                "get": {
                    "summary": "The decision about an event.",
                    "operationId": "decision",
                    "parameters": [id],
                    "responses": {
                        "200": _content("The decision.", decided),
                        "404": _content("There is no such event.", problem),
                        **_reading_refused(problem),
                    },
                }
            },
            "/v1/labels": post(
                "Learn one label or a batch.",
                "label",
                [label, labels],
                [labeled, _list_of(labeled, problem)],
            ),
            "/v1/reviews": _get("Events that wait for a review.", "reviews", reviews, problem),
            "/v1/totals": _get("Money so far, by model.", "totals", totals, problem),
            "/health": _get("Whether the process answers.", "health", {"type": "object"}, problem),
            "/ready": _get("Whether it decides.", "ready", {"type": "object"}, problem),
        },
        "components": {"schemas": components},
    }


def _reading_refused(problem):
    codes = ("401", "403", "429")
    refused = {code: _content(_REFUSED[code], problem) for code in codes}
    return refused | {"503": _content("The store cannot be used; try again later.", problem)}


def _get(summary, name, schema, problem):
    answer = {"200": _content(summary, schema)} | _reading_refused(problem)
    return {"get": {"summary": summary, "operationId": name, "responses": answer}}


def _list_of(*schemas):
    """Answers to a batch, in its order; items that were refused say why."""
    return {"type": "array", "items": {"anyOf": list(schemas)}}


def _content(text, schema):
    return {"description": text, "content": {"application/json": {"schema": schema}}}
