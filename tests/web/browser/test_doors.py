"""What the page must withstand: names that are markup, a wrong token, other sites, paths, and a killed server."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hannan.bench.browser import Explorer, explorer
from tests.web.browser.conftest import expect, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

SCRIPT, IMAGE = "<script>alert(1)</script>", "<img src=x onerror=alert(2)>"
RULES = f'''
from hannan import Rules
from hannan.rules.plain import CHANCE, END

SCRIPT, IMAGE = {SCRIPT!r}, {IMAGE!r}


class Marked(Rules):
    """Chance draws, player 0 sees it and chooses, player 1 guesses; every name is markup."""

    def start(self):
        return ()

    def turn(self, state):
        return (CHANCE, 0, 1, END)[len(state)]

    def actions(self, state, player):
        return [SCRIPT, IMAGE]

    def chance(self, state):
        return [(SCRIPT, 0.5), (IMAGE, 0.5)]

    def after(self, state, move):
        return (*state, move)

    def observe(self, state, player):
        return state[player]

    def gains(self, state):
        return (1.0, -1.0) if len(state) == 3 and state[2] == state[0] else (0.0, 0.0)
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("marked")
    (where / "marked.py").write_text(RULES)
    (where.parent / "secret.strategy").write_text("secret")
    return where


@pytest.fixture(scope="module")
def server(chromium: Browser, folder: Path) -> Iterator[Explorer]:
    with explorer(f"{folder / 'marked.py'}:Marked", folder=folder) as running:
        yield running


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def test_names_that_are_markup_are_shown_as_text(page: Page, server: Explorer) -> None:
    dialogs: list[str] = []

    def refuse(dialog: object) -> None:
        dialogs.append(str(dialog))
        dialog.dismiss()  # type: ignore[attr-defined]

    page.on("dialog", refuse)
    opened(page, server, "tree?path=0")
    page.wait_for_selector(".tree-split[data-path='0'][data-ready=true]")
    actions = page.get_by_role("list", name="Actions")
    expect(actions).to_contain_text(SCRIPT)
    expect(actions).to_contain_text(IMAGE)
    expect(page.locator("svg text").filter(has_text="<script>")).not_to_have_count(0)
    for view in ("strategy", "play", "whatif", "solve", "start"):
        page.goto(f"{server.root}/#/{view}")
        page.wait_for_load_state("networkidle")
        if view == "strategy":
            page.wait_for_selector(".set-name")
            expect(page.get_by_role("grid")).to_contain_text(SCRIPT)
        if view == "play":
            page.get_by_role("button", name="Sit down").click()
            page.get_by_role("button", name=SCRIPT).wait_for()
        assert page.locator("img[src=x]").count() == 0
        assert page.locator("body script").count() == 0
    assert dialogs == []


def test_a_wrong_token_opens_nothing(page: Page, server: Explorer) -> None:
    page.goto(f"{server.root}/?token=wrong#/tree")
    page.get_by_role("heading", name="The token is missing or wrong").wait_for()
    assert "Marked" not in page.content()


def test_another_site_can_neither_read_nor_act(chromium: Browser, server: Explorer) -> None:
    context = chromium.new_context()  # a page whose complaints are expected: the browser tells what it refuses
    page = context.new_page()
    opened(page, server, "start")  # the browser has the cookie now
    site = "http://localhost:9/"  # another origin on this machine, which no rule about private networks stops
    page.route(f"{site}**", lambda route: route.fulfill(body="<p>another site</p>", content_type="text/html"))
    page.goto(site)
    before = len(server.ask("session")["games"])
    read = "(url) => fetch(url, {credentials: 'include'}).then((reply) => reply.text(), (reason) => String(reason))"
    assert "Failed to fetch" in page.evaluate(read, f"{server.root}/api/v1/session")
    act = """(url) => fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include',
        headers: {'content-type': 'text/plain'}, body: '{"address": "kuhn_poker"}'}).then(() => true, () => false)"""
    page.evaluate(act, f"{server.root}/api/v1/games")
    page.set_content(f"<form method=post enctype=text/plain action={server.root}/api/v1/games><input name=a></form>")
    with page.expect_response(re.compile("/api/v1/games")) as answer:
        page.evaluate("document.forms[0].submit()")
    assert answer.value.status in {401, 403}
    assert len(server.ask("session")["games"]) == before
    context.close()


def test_no_path_leads_out_of_the_folder(page: Page, server: Explorer, folder: Path) -> None:
    opened(page, server, "start")
    ask = "(url) => fetch(url).then((reply) => reply.json().then((body) => [reply.status, body.error]))"
    outside = ("../secret.strategy", str(folder.parent / "secret.strategy"), "/etc/passwd", "..%2Fsecret.strategy")
    for path in outside:
        status, sentence = page.evaluate(ask, f"{server.root}/api/v1/certificates?file={path}")
        assert status in {400, 403, 404}, path
        assert "secret\n" not in sentence
    strategy = server.ask("session")["strategies"][0]["id"]
    save = """([url, name]) => fetch(url, {method: 'POST', headers: {'content-type': 'application/json'},
        body: JSON.stringify({name})}).then((reply) => reply.status)"""
    for name in ("../out.strategy", "/tmp/out.strategy", "a/../../out.strategy"):
        assert page.evaluate(save, [f"{server.root}/api/v1/strategies/{strategy}/save", name]) in {400, 403, 404}
    assert not (folder.parent / "out.strategy").exists()


def test_a_killed_server_goes_on_after_a_restart(page: Page, chromium: Browser, tmp_path: Path) -> None:
    words = ("leduc_poker", "--port", str(free_port()), "--token", "a-token-for-this-test-only")
    with explorer(*words, folder=tmp_path) as first:
        opened(page, first, "solve")
        form = page.get_by_role("form", name="New run")
        form.get_by_label("gap").fill("")
        form.get_by_label("seconds").fill("")
        form.get_by_label("iterations").fill("100000000")
        form.get_by_role("button", name="Start").click()
        card = page.get_by_role("region", name=re.compile("^Run r"))
        card.get_by_text("running", exact=True).wait_for()
        iterated(page)
        first.process.kill()
        first.process.wait()
        page.get_by_text("The server does not answer").wait_for()
    with explorer(*words, folder=tmp_path) as second:
        page.get_by_text("The server does not answer").wait_for(state="detached")
        card.get_by_text("interrupted", exact=True).wait_for()
        run = second.ask("runs")[0]
        card.get_by_role("button", name="Limits").click()
        page.get_by_role("dialog").get_by_label("iterations").fill(str(int(run["iteration"]) + 1000))
        page.get_by_role("dialog").get_by_role("button", name="Set the limits").click()
        page.get_by_role("dialog").wait_for(state="detached")
        card.get_by_role("button", name="Go on").click()
        card.get_by_text("finished", exact=True).wait_for()
        done = second.ask("runs")[0]
        assert done["iteration"] == int(run["iteration"]) + 1000
        assert done["stop"] == "iterations"


def iterated(page: Page) -> None:
    """Wait until the card of the run shows iterations."""
    page.wait_for_function(
        "() => [...document.querySelectorAll('.run-card .figures > div')]"
        ".some((one) => one.textContent.startsWith('Iterations') && /[1-9]/.test(one.textContent))"
    )
