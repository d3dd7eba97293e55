"""A session with its interface behind the door, asked without a network."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from hannan.web.app import make_app
from hannan.web.door import Door
from hannan.web.folder import Folder
from hannan.web.openings import open_all, opening_of
from hannan.web.workspace import Workspace

TOKEN, PORT = "a-token-for-the-tests", 8123
ADDRESS = f"http://127.0.0.1:{PORT}"


class Interface:
    """What a page asks."""

    def __init__(self, session: Workspace) -> None:
        self.session = session
        app = make_app(session)
        self.door: Any = Door(lambda: app, host="127.0.0.1", port=PORT, token=TOKEN)
        self.client = TestClient(self.door, base_url=ADDRESS, headers={"X-Hannan-Token": TOKEN})

    def ask(self, place: str, /, **parameters: Any) -> Any:
        """Return the answer to a question."""
        answer = self.client.get(f"/api/v1{place}", params=parameters or None)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, place: str, /, **parameters: Any) -> tuple[int, str, str]:
        """Return the status, kind and sentence of a refusal."""
        answer = self.client.get(f"/api/v1{place}", params=parameters or None)
        return answer.status_code, answer.json()["kind"], answer.json()["error"]

    def send(self, path: str, body: Any = None, method: str = "POST", status: int | None = None) -> Any:
        """Return the answer to a wish."""
        answer = self.client.request(method, f"/api/v1{path}", json={} if body is None else body)
        assert status is None or answer.status_code == status, answer.text
        assert answer.status_code < 500, answer.text
        return answer.json() if answer.content else None

    def settled(self) -> None:
        """Wait until everything is loaded."""

        def loaded() -> bool:
            told = self.ask("/session")
            return all(one["state"] != "loading" for one in (*told["games"], *told["strategies"]))

        until(loaded)

    def ended(self, run: str) -> dict[str, Any]:
        """Wait until a run is not under way, and return it."""
        ends = ("finished", "paused", "failed", "interrupted")
        return until(lambda: one if (one := self.ask(f"/runs/{run}"))["state"] in ends else None)


def until(there: Any, seconds: float = 120.0) -> Any:
    """Wait until something is there, and return it."""
    end = time.monotonic() + seconds
    while not (found := there()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
    return found


@contextmanager
def opened(folder: Path, *given: Any) -> Iterator[Interface]:
    """Open a session in a folder."""
    session = Workspace(Folder(folder))
    open_all(session, [opening_of(one) for one in given])
    try:
        interface = Interface(session)
        interface.settled()
        yield interface
    finally:
        session.close()
