"""The HTTP interface: answers, refusals in one sentence, tokens, OpenAPI."""

import socket
import sqlite3

import msgspec
import pytest
from starlette.testclient import TestClient

from serve.serving import listening, make_events, new_service
from stakes.errors import InputError
from stakes.serve import App, Capacity, Tokens, add_token, run


@pytest.fixture
def client(tmp_path):
    service = new_service(tmp_path / "store.db", Capacity(max_reviews=3, review_cost=0.1))
    with TestClient(App(service).asgi()) as client:
        yield client


def test_one_event_and_its_label(client):
    answer = client.post("/v1/decisions", json={"id": "a", "event": {"amount": 99}})
    assert answer.status_code == 200
    found = answer.json()
    assert found == client.get("/v1/decisions/a").json()
    assert found["id"] == "a" and found["probability"] == 0.1
    labeled = client.post("/v1/labels", json={"id": "a", "label": "yes"}).json()
    assert labeled["status"] == "learned" and labeled["label"] == 1
    totals = client.get("/v1/totals").json()
    assert totals["models"]["probit"]["labels"] == 1


def test_a_batch_is_answered_in_order_and_bad_items_say_why(client):
    batch = [{"id": id, "event": event} for id, event, _ in make_events(20)]
    batch[7]["event"] = {"hour": 3}
    answers = client.post("/v1/decisions", json=batch).json()
    assert [a.get("id") for a in answers] == [f"e{i}" if i != 7 else None for i in range(20)]
    assert "amount" in answers[7]["error"]
    labels = [{"id": id, "label": y} for id, _, y in make_events(20) if id != "e7"]
    assert {a["status"] for a in client.post("/v1/labels", json=labels).json()} == {"learned"}


def test_an_event_without_an_id_gets_one(client):
    ids = {client.post("/v1/decisions", json={"event": {"amount": 1}}).json()["id"] for _ in "ab"}
    assert len(ids) == 2


def test_reviews_come_most_expensive_first(client):
    for amount in (20, 40, 30):
        client.post("/v1/decisions", json={"id": amount, "event": {"amount": amount}})
    waiting = client.get("/v1/reviews").json()
    ids = [review["decision"]["id"] for review in waiting]
    assert ids == ["40", "20"] or ids == ["40", "30", "20"]
    assert waiting[0]["event"] == {"amount": 40}
    client.post("/v1/labels", json={"id": "40", "label": 1})
    assert "40" not in [one["decision"]["id"] for one in client.get("/v1/reviews").json()]


JSON = {"content-type": "application/json"}
BAD = [
    (b"{", 400),
    (b"", 400),
    (b"\xff\xfe", 400),
    (b"[" * 100_000, 422),
    (b"[]", 422),
    (b"{}", 422),
    (b'{"event": {}}', 422),
    (b'{"event": {"a": [1]}}', 422),
    (b'{"event": {"a": 1e999}}', 422),
    (b'{"event": {"amount": NaN}}', 400),
    (b'{"event": {"amount": 1}, "id": ""}', 422),
    (b'{"event": {"amount": 1}, "id": "a\\u0000b"}', 422),
    (b'{"event": {"amount": 1}, "di": "a"}', 422),
    (b'{"event": {"amount": 1}, "costs": {"fn_cost": -1}}', 422),
    (b'{"event": {"amount": "many"}}', 422),
    (b'{"event": {"amount": 1, "' + b"a" * 201 + b'": 1}}', 422),
    (b'{"event": {"amount": ' + b"9" * 400 + b"}}", 422),
    (b'{"event": {"amount": "' + b"9" * 2_000_000 + b'"}}', 413),
]


@pytest.mark.parametrize(("body", "status"), BAD)
def test_bad_requests_are_refused_in_one_sentence(client, body, status):
    answer = client.post("/v1/decisions", content=body, headers=JSON)
    assert answer.status_code == status, answer.text
    assert answer.json().keys() == {"error"} and len(answer.json()["error"]) < 400
    assert client.get("/v1/totals").json()["models"]["probit"]["events"] == 0


def test_reasons_come_on_request_and_again_with_the_answer(client):
    events = make_events(300)
    batch = [{"id": id, "event": event} for id, event, _ in events]
    client.post("/v1/decisions", json=batch)
    client.post("/v1/labels", json=[{"id": id, "label": y} for id, _, y in events])
    event = {"amount": 200.0, "country": "BR", "hour": 3}
    asked = {"id": "x", "event": event, "reasons": 2}
    found = client.post("/v1/decisions", json=asked).json()
    named = [reason["field"] for reason in found["reasons"]]
    assert 0 < len(named) <= 2 and set(named) <= set(event)
    assert found["action"] != "pass" and all(reason["amount"] > 0 for reason in found["reasons"])
    assert client.post("/v1/decisions", json={"id": "x", "event": event}).json() == found
    assert "reasons" not in client.post("/v1/decisions", json={"id": "y", "event": event}).json()
    many = [dict(asked, id=f"r{i}") for i in range(30)]
    assert client.post("/v1/decisions", json=many).status_code == 422
    assert client.post("/v1/decisions", json=dict(asked, reasons=-1)).status_code == 422


def test_a_client_that_sends_too_much_is_asked_to_wait(tmp_path):
    with TestClient(App(new_service(tmp_path / "s.db"), max_rate=2.0).asgi()) as client:
        answers = [client.get("/v1/totals") for _ in range(6)]
        assert [answer.status_code for answer in answers[:4]] == [200] * 4
        assert 429 in [answer.status_code for answer in answers[4:]]
        assert client.get("/health").status_code == 200
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert refused.headers["retry-after"] == "1" and "error" in refused.json()


def test_a_store_that_is_gone_is_not_an_internal_error(tmp_path):
    service = new_service(tmp_path / "s.db")
    with TestClient(App(service).asgi()) as client:
        assert client.get("/ready").status_code == 200

        def broken(*_):
            raise sqlite3.OperationalError("disk I/O error")

        rows, service._store._rows = service._store._rows, broken
        for url in ("/ready", "/v1/decisions/a"):
            assert client.get(url).status_code == 503
        answer = client.post("/v1/decisions", json={"id": "a", "event": {"amount": 1}})
        assert answer.status_code == 503 and answer.headers["retry-after"]
        service._store._rows = rows
        again = client.post("/v1/decisions", json={"id": "a", "event": {"amount": 1}})
        assert again.status_code == 200


def test_other_media_types_paths_and_methods_are_refused(client):
    plain = client.post("/v1/decisions", content=b"{}", headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    assert client.get("/v1/nothing").status_code == 404
    assert client.get("/v1/labels").status_code == 405
    assert client.get("/v1/decisions/nobody").json() == {
        "error": "There is no decision about 'nobody'."
    }


def test_a_page_of_the_web_cannot_reach_a_local_service(client):
    answer = client.get("/v1/totals", headers={"host": "evil.example"})
    assert answer.status_code == 403


def test_tokens_open_what_their_role_says(tmp_path):
    path = tmp_path / "tokens.json"
    names = {role: add_token(path, role, role) for role in ("decide", "label", "review", "admin")}
    assert all(token not in path.read_text() for token in names.values())
    assert path.stat().st_mode & 0o077 == 0
    with TestClient(App(new_service(tmp_path / "s.db"), Tokens(path)).asgi()) as client:

        def status(role, method, url, **options):
            headers = {"authorization": f"Bearer {names.get(role, 'guess')}"} if role else {}
            return client.request(method, url, headers=headers, **options).status_code

        event = {"event": {"amount": 1}, "id": "a"}
        assert status(None, "POST", "/v1/decisions", json=event) == 401
        assert status("guess", "POST", "/v1/decisions", json=event) == 401
        assert status("label", "POST", "/v1/decisions", json=event) == 403
        assert status("decide", "POST", "/v1/decisions", json=event) == 200
        assert status("decide", "POST", "/v1/labels", json={"id": "a", "label": 1}) == 403
        assert status("review", "POST", "/v1/labels", json={"id": "a", "label": 1}) == 200
        assert status("label", "GET", "/v1/reviews") == 403
        assert status("review", "PUT", "/v1/champion/probit") == 403
        assert status("admin", "PUT", "/v1/champion/probit") == 200
        assert status("admin", "PUT", "/v1/champion/nobody") == 422
        assert status("admin", "DELETE", "/v1/events/a") == 200
        assert status(None, "GET", "/health") == 200


def test_a_new_token_replaces_the_old_one(tmp_path):
    path = tmp_path / "tokens.json"
    old, new = add_token(path, "shop", "decide"), add_token(path, "shop", "admin")
    tokens = Tokens(path)
    assert tokens.rights(old) is None and "admin" in tokens.rights(new)
    with pytest.raises(InputError, match="no role 'root'"):
        add_token(path, "shop", "root")
    path.write_text("{}x")
    with pytest.raises(InputError, match="not a token file"):
        Tokens(path)
    with pytest.raises(InputError, match="no token file"):
        Tokens(tmp_path / "none.json")


def test_without_tokens_it_listens_on_this_machine_only(tmp_path):
    service = new_service(tmp_path / "s.db")
    with pytest.raises(InputError, match="listens on this machine only"):
        run(service, host="0.0.0.0")
    service.close()


def test_models_can_be_added_and_damaged_ones_cannot(client, tmp_path):
    assert client.put("/v1/models/other", content=b"not a model").status_code == 422
    service = new_service(tmp_path / "other.db")
    content = service.state.contenders["probit"].model.to_bytes()
    service.close()
    assert client.put("/v1/models/other", content=content).status_code == 200
    assert set(client.get("/v1/totals").json()["models"]) == {"probit", "other"}


def test_metrics_count_answers_and_money(client):
    client.post("/v1/decisions", json={"id": "a", "event": {"amount": 99}})
    client.post("/v1/decisions", json={})
    text = client.get("/metrics").text
    assert 'stakes_answers_total{kind="review"} 1.0' in text
    assert 'stakes_refused_total{status="422"} 1.0' in text
    assert 'stakes_money{model="probit",policy="paid"} 0.0' in text


def test_the_openapi_document_names_every_path(client):
    document = client.get("/openapi.json").json()
    assert {"/v1/decisions", "/v1/labels", "/v1/totals", "/v1/reviews"} <= document["paths"].keys()
    assert msgspec.json.decode(msgspec.json.encode(document)) == document


def test_a_client_that_leaves_within_a_body_is_no_failure(tmp_path, caplog):
    request = (
        b"POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    )
    with listening(new_service(tmp_path / "s.db")) as url:
        port = int(url.rpartition(":")[2].strip("/"))
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(request + b'Content-Length: 100\r\n\r\n{"id": ')
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(
                b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            found = b""
            while part := connection.recv(65536):
                found += part
    assert found.startswith(b"HTTP/1.1 200")
    assert b'"500"' not in found and "A request failed" not in caplog.text
