"""The door: Host, Origin, token, size of the body, and the headers of every answer."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from hannan.errors import ParameterError
from hannan.web.door import LARGEST, Door, is_loopback
from hannan.web.server import Explorer, check_host
from tests.web.client import ADDRESS, PORT, TOKEN

OWN = {"X-Hannan-Token": TOKEN}


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the length of the body."""
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": str(len(body)).encode()})


def client(host: str = "127.0.0.1", **more: Any) -> TestClient:
    door: Any = Door(lambda: echo, host=host, port=PORT, token=TOKEN, **more)
    return TestClient(door, base_url=ADDRESS)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (OWN, 200),
        ({}, 401),
        ({"X-Hannan-Token": "wrong"}, 401),
        ({"X-Hannan-Token": TOKEN[:-1]}, 401),
        ({"Cookie": f"hannan_{PORT}={TOKEN}"}, 200),
        ({"Cookie": f"hannan_{PORT + 1}={TOKEN}"}, 401),
        ({"Cookie": "hannan=;;;=\x7f"}, 401),
        ({**OWN, "Host": f"localhost:{PORT}"}, 200),
        ({**OWN, "Host": f"[::1]:{PORT}"}, 200),
        ({**OWN, "Host": "127.0.0.1"}, 403),
        ({**OWN, "Host": f"attacker.example:{PORT}"}, 403),
        ({**OWN, "Host": f"127.0.0.1.attacker.example:{PORT}"}, 403),
        ({**OWN, "Host": f"192.168.1.7:{PORT}"}, 403),
        ({**OWN, "Host": ""}, 403),
        ({**OWN, "Origin": ADDRESS}, 200),
        ({**OWN, "Origin": "http://attacker.example"}, 403),
        ({**OWN, "Origin": f"http://attacker.example:{PORT}"}, 403),
        ({**OWN, "Origin": "http://127.0.0.1:1"}, 403),
        ({**OWN, "Origin": "null"}, 403),
    ],
)
def test_only_the_own_page_with_the_token_comes_in(headers: dict[str, str], status: int) -> None:
    answer = client().get("/api/v1/session", headers=headers)
    assert answer.status_code == status
    if status != 200:
        assert set(answer.json()) == {"error", "kind"}


def test_a_change_needs_more_than_the_cookie() -> None:
    """A form on a foreign page cannot set a header; browsers send the Origin with every such request."""
    cookie = {"Cookie": f"hannan_{PORT}={TOKEN}"}
    assert client().post("/api/v1/runs", headers=cookie, content=b"{}").status_code == 403
    assert client().post("/api/v1/runs", headers={**cookie, "Origin": ADDRESS}, content=b"{}").status_code == 200
    assert client().post("/api/v1/runs", headers=OWN, content=b"{}").status_code == 200


def test_bodies_are_bounded_whether_their_length_is_told_or_not() -> None:
    def pieces() -> Any:
        for _ in range(LARGEST // 65536 + 1):
            yield b"x" * 65536

    assert client().post("/api/v1/runs", headers=OWN, content=b"x" * LARGEST).json() == LARGEST
    for content in (b"x" * (LARGEST + 1), pieces()):
        answer = client().post("/api/v1/runs", headers=OWN, content=content)
        assert (answer.status_code, answer.json()["kind"]) == (413, "TooLarge")


def test_every_answer_forbids_what_a_page_does_not_need() -> None:
    for path, headers in (("/", {}), ("/api/v1/x", OWN), ("/api/v1/x", {}), ("/missing", {}), ("/api/v1x", OWN)):
        answer = client().get(path, headers=headers)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in answer.headers
    assert "http://localhost:*" in client(notebook=True).get("/").headers["content-security-policy"]


def test_the_page_gets_the_cookie_with_the_right_token_alone() -> None:
    cookie = client().get("/", params={"token": TOKEN}).headers["set-cookie"]
    assert cookie == f"hannan_{PORT}={TOKEN}; HttpOnly; SameSite=Strict; Path=/"
    for token in ("", "wrong", TOKEN + "x"):
        answer = client().get("/", params={"token": token})
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/../door.py", "/%2e%2e/door.py", "/assets/../../door.py", "/__init__.py", "/static"])
def test_the_page_is_its_built_files_alone(path: str) -> None:
    assert client().get(path).status_code == 404
    assert client().post("/").status_code == 405


def test_the_page_is_sent_compressed_and_once() -> None:
    whole = client().get("/", headers={"Accept-Encoding": "gzip"})
    assert whole.headers["content-encoding"] == "gzip"
    again = client().get("/", headers={"If-None-Match": whole.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_other_machines_need_a_token_that_the_caller_chose() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9")] == [True] * 4
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("localhost.attacker.example")
    assert check_host("127.0.0.1", None) == ""
    with pytest.raises(ParameterError, match="--token"):
        check_host("0.0.0.0", None)
    assert "not encrypted" in check_host("0.0.0.0", TOKEN)
    far = client("0.0.0.0")
    assert far.get("/api/v1/x", headers={**OWN, "Host": f"192.168.1.7:{PORT}"}).status_code == 200
    assert far.get("/api/v1/x", headers={**OWN, "Host": f"attacker.example:{PORT}"}).status_code == 403


@pytest.mark.parametrize("token", ["short", "with spaces in it, which is no token", "ä" * 20, ""])
def test_a_weak_token_is_refused(token: str, tmp_path: Any) -> None:
    from hannan.web.folder import Folder

    with pytest.raises(ParameterError, match="at least 16 letters"):
        Explorer(Folder(tmp_path), token=token)
