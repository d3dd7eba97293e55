"""Runs: a process of their own, pauses, limits that change, locks, and a server that is killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest

import hannan as hn
from hannan.files import facts_of
from tests.web.client import TOKEN, Interface, opened, until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interface]:
    with opened(tmp_path_factory.mktemp("runs"), "kuhn_poker", "leduc_poker") as interface:
        yield interface


def same(one: hn.Strategy, other: hn.Profile) -> bool:
    assert isinstance(one, hn.Profile)
    return all(np.array_equal(a, b) for a, b in zip(one.strategies, other.strategies, strict=True))


def read(page: Interface, run: dict[str, Any]) -> hn.Profile:
    profile = hn.read(page.session.folder.root / "hannan-runs" / run["id"][1:] / "strategy")
    assert isinstance(profile, hn.Profile)
    return profile


def test_a_run_ends_with_the_bits_of_solve_and_is_saved(page: Interface) -> None:
    body = {"game": "g2", "method": "dcfr", "parameters": {"alpha": 2.0}, "limits": {"iterations": 300}}
    run = page.ended(page.send("/runs", body, status=201)["id"])
    assert (run["state"], run["stop"], run["iteration"], run["error"]) == ("finished", "iterations", 300, None)
    wanted = hn.solve("leduc_poker", "dcfr", alpha=2.0, iterations=300)
    assert same(read(page, run), wanted.profile)
    assert run["result"]["nash_conv"] == wanted.nash_conv
    points = page.ask(f"/runs/{run['id']}/curve")["points"]
    assert [(one["iteration"], one["gap"]) for one in points] == [(one.iteration, one.gap) for one in wanted.curve]
    assert page.ask(f"/runs/{run['id']}/curve", after=100)["points"][0]["iteration"] > 100
    page.settled()
    told = page.ask(f"/strategies/{run['strategy']}/evaluation")
    assert told["nash_conv"] == pytest.approx(wanted.nash_conv, abs=1e-12)
    assert page.send(f"/runs/{run['id']}/save", {"name": "leduc.strategy"}, status=201) == {"file": "leduc.strategy"}
    assert same(hn.read(page.session.folder.root / "leduc.strategy"), wanted.profile)
    page.send(f"/runs/{run['id']}", method="DELETE", status=204)
    assert page.refused(f"/runs/{run['id']}")[:2] == (404, "NotFound")


def test_a_run_that_was_paused_and_got_another_limit_ends_with_the_same_bits(page: Interface) -> None:
    run = page.send("/runs", {"game": "g2", "method": "cfr+", "limits": {"seconds": 600, "gap": 0}}, status=201)
    until(lambda: page.ask(f"/runs/{run['id']}")["iteration"] > 0)
    assert page.send(f"/runs/{run['id']}/pause", status=200)["state"] in ("pausing", "paused")
    run = page.ended(run["id"])
    assert (run["state"], run["stop"]) == ("paused", "interrupted")
    more = run["iteration"] + 500
    assert page.send(f"/runs/{run['id']}", {"limits": {"iterations": more}}, "PATCH", 200)["limits"]["gap"] is None
    page.send(f"/runs/{run['id']}/go-on", status=200)
    run = page.ended(run["id"])
    assert (run["state"], run["stop"], run["iteration"]) == ("finished", "iterations", more)
    assert same(read(page, run), hn.solve("leduc_poker", "cfr+", iterations=more).profile)


def test_limits_change_while_a_run_works_and_others_wait(page: Interface) -> None:
    first = page.send("/runs", {"game": "g2", "method": "cfr", "limits": {"seconds": 600, "gap": 0}})
    second = page.send("/runs", {"game": "g1", "method": "cfr", "limits": {"iterations": 10}, "name": "next"})
    until(lambda: page.ask(f"/runs/{first['id']}")["state"] == "running")
    assert page.ask(f"/runs/{second['id']}")["state"] == "queued"
    assert page.send(f"/runs/{second['id']}", method="DELETE", status=409)["kind"] == "State"
    now = until(lambda: page.ask(f"/runs/{first['id']}")["iteration"])
    page.send(f"/runs/{first['id']}", {"limits": {"iterations": now + 1}, "name": "first"}, "PATCH", 200)
    done = page.ended(first["id"])
    assert (done["stop"], done["name"]) == ("iterations", "first")
    assert page.ended(second["id"])["state"] == "finished"
    told = [event for _, event, _ in page.session.events.after(0) or []]
    assert {"run", "progress", "points", "strategy", "files"} <= set(told)


def test_what_if_a_player_is_locked(page: Interface) -> None:
    """A best response to uniform play earns 1/2 in Kuhn poker as player 0: 1/8 and a gain of 3/8 (hn.evaluate)."""
    uniform = hn.evaluate(hn.uniform("kuhn_poker"))
    body = {"game": "g1", "method": "lp", "locks": [{"player": 1, "strategy": "s1"}], "base": "s1"}
    run = page.ended(page.send("/runs", body, status=201)["id"])
    assert (run["state"], run["locks_text"]) == ("finished", ["player 1 everywhere: as uniform"])
    page.settled()
    change = page.ask(f"/runs/{run['id']}/change")
    assert change["values"]["b"][0] == pytest.approx(uniform.best_values[0], abs=1e-9)
    assert change["values"]["difference"][0] == pytest.approx(uniform.gains[0], abs=1e-9)
    assert len(change["items"]) == 10
    assert all(item["variation"] == 0 for item in change["items"] if item["player"] == 1)
    assert {item["key"] for item in change["items"] if item["locked"]} == {
        item["key"] for item in change["items"] if item["player"] == 1
    }


def test_what_if_a_set_or_a_pattern_is_locked(page: Interface) -> None:
    locks = [
        {"player": 0, "set": "J*", "strategy": "s1"},
        {"player": 0, "set": "K", "actions": {"p": 1.0}},
    ]
    run = page.ended(page.send("/runs", {"game": "g1", "method": "lp", "locks": locks}, status=201)["id"])
    wanted = hn.lock("kuhn_poker", {0: {"J*": {"p": 0.5, "b": 0.5}, "K": {"p": 1.0, "b": 0.0}}})
    assert read(page, run).at(0, "K") == {"p": 1.0, "b": 0.0}
    assert run["result"]["values"] == pytest.approx(list(hn.solve(wanted, "lp").values), abs=1e-9)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"method": "cfx"}, "UnknownNameError"),
        ({"method": "evil.py:Solver"}, "Forbidden"),
        ({"method": "module:Solver"}, "Forbidden"),
        ({"method": "cfr", "parameters": {"alpha": 1}}, "UnknownNameError"),
        ({"method": "do-ab", "parameters": {"evaluation": "evil.py:f"}}, "Forbidden"),
        ({"options": {"resume": "x"}}, "UnknownNameError"),
        ({"options": {"trust": True}}, "UnknownNameError"),
        ({"limits": {"gap": -1}}, "ParameterError"),
        ({"limits": {"iterations": 1.5}}, "Form"),
        ({"locks": [{"player": 0}]}, "ParameterError"),
        ({"locks": [{"player": 5, "set": "J", "actions": {"p": 1}}]}, "ParameterError"),
        ({"locks": [{"player": 0, "set": "J", "actions": {"p": 0.5}}]}, "ParameterError"),
        ({"locks": [{"player": 0, "set": "nothing", "actions": {"p": 1}}]}, "UnknownNameError"),
        ({"start": "s99"}, "NotFound"),
        ({"game": "g99"}, "NotFound"),
        ({"folder": "/"}, "Form"),
    ],
)
def test_a_run_that_cannot_be_is_refused_before_it_has_files(page: Interface, body: dict[str, Any], kind: str) -> None:
    before = sorted((page.session.folder.root / "hannan-runs").glob("*"))
    answer = page.client.post("/api/v1/runs", json={"game": "g1", **body})
    assert answer.json()["kind"] == kind
    assert sorted((page.session.folder.root / "hannan-runs").glob("*")) == before


class Server:
    """`hannan explore` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        words = ["-m", "hannan", "explore", "leduc_poker", "--folder", str(folder), "--no-browser", "--token", TOKEN]
        self.process = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        url = self.process.stdout.readline().split()[-1]
        base = url.partition("?")[0] + "api/v1"
        self.http = httpx2.Client(base_url=base, headers={"X-Hannan-Token": TOKEN}, timeout=60)

    def ask(self, path: str) -> Any:
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def end(self, by: int = signal.SIGINT) -> int:
        self.process.send_signal(by)
        assert self.process.stdout is not None
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code


def test_a_killed_server_offers_its_runs_again_and_they_end_with_the_same_bits(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        until(lambda: server.ask("/session")["games"][0]["state"] == "ready")
        body = {"game": "g1", "method": "cfr+", "limits": {"seconds": 600, "gap": 0}}
        assert server.http.post("/runs", json=body).status_code == 201
        until(lambda: server.ask("/runs/r1")["iteration"] > 100)
        held = server.ask("/runs/r1")["iteration"]
    finally:
        assert server.end(signal.SIGKILL) == -signal.SIGKILL
    checkpoint = tmp_path / "hannan-runs" / "1" / "checkpoint"

    def saved() -> int:
        found = facts_of(checkpoint)
        return 0 if found is None else int(found[1]["iterations"])

    reached = until(lambda: now if (now := saved()) >= held else 0)  # the process has noticed, and saved its work
    server = Server(tmp_path)
    try:
        until(lambda: server.ask("/session")["games"][0]["state"] == "ready")
        run = server.ask("/runs/r1")
        assert (run["state"], run["method"]) == ("interrupted", "cfr+")
        assert len(server.ask("/runs/r1/curve")["points"]) > 1
        more = reached + 200
        server.http.patch("/runs/r1", json={"limits": {"iterations": more}})
        until(lambda: server.http.post("/runs/r1/go-on").status_code == 200)
        run = until(lambda: one if (one := server.ask("/runs/r1"))["state"] in ("finished", "failed") else None)
        assert (run["state"], run["iteration"], run["error"]) == ("finished", more, None)
    finally:
        assert server.end() == 0
    profile = hn.read(tmp_path / "hannan-runs" / "1" / "strategy")
    assert same(profile, hn.solve("leduc_poker", "cfr+", iterations=more).profile)


def test_events_come_again_from_the_last_one_that_was_heard(tmp_path: Path) -> None:
    explorer = hn.explore("kuhn_poker", folder=tmp_path)
    try:

        def heard(after: int, many: int) -> list[int]:
            url, headers = f"{explorer.address}api/v1/events", {"X-Hannan-Token": explorer.token}
            numbers: list[int] = []
            with httpx2.stream("GET", url, headers={**headers, "Last-Event-ID": str(after)}, timeout=60) as stream:
                assert stream.headers["content-type"].startswith("text/event-stream")
                for line in stream.iter_lines():
                    if line.startswith("id: "):
                        numbers.append(int(line[4:]))
                    if len(numbers) == many:
                        return numbers
            return numbers

        assert heard(0, 3) == [1, 2, 3]
        assert heard(2, 1) == [3]
        assert f'<iframe src="http://localhost:{explorer.port}/?token={explorer.token}"' in explorer._repr_html_()
        assert httpx2.get(f"http://localhost:{explorer.port}/").status_code == 200
        assert explorer.url.endswith(f"?token={explorer.token}")
        assert httpx2.get(explorer.url).status_code == 200
    finally:
        explorer.close()
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(explorer.url)
    assert explorer.finished.is_set()
    assert os.listdir(tmp_path) == []


def test_a_run_file_that_names_code_is_not_believed(tmp_path: Path) -> None:
    import json

    folder = tmp_path / "hannan-runs" / "1"
    folder.mkdir(parents=True)
    asked = {
        "name": "x", "address": "evil.py:Game", "built_in": False, "method": "cfr", "parameters": {}, "options": {},
        "limits": {"iterations": 1}, "locks": [], "created": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    told = {"format": "hannan.explorer run", "version": 1, **asked, "standing": {"state": "running"}}
    (folder / "run.json").write_text(json.dumps(told))
    (tmp_path / "hannan-runs" / "2").mkdir()
    (tmp_path / "hannan-runs" / "2" / "run.json").write_text(json.dumps({**told, "method": "evil.py:Solver"}))
    (tmp_path / "hannan-runs" / "3").mkdir()
    (tmp_path / "hannan-runs" / "3" / "run.json").write_text("[]")
    with opened(tmp_path) as page:
        assert [run["id"] for run in page.ask("/runs")] == ["r1"]
        assert page.send("/runs/r1/go-on", status=403)["kind"] == "Forbidden"
