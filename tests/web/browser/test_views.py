"""Every view of the explorer in a real browser, on Kuhn poker and small games whose numbers are known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

import hannan as hn
from hannan.bench.browser import Explorer, explorer
from hannan.cli import main
from tests.web.browser.conftest import Shoot, expect, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.slow

VALUE = -1 / 18
"""What Kuhn poker is worth to player 0 (Kuhn 1950)."""
VIEWS = ("start", "tree", "strategy", "strategy?mode=grid", "solve", "whatif", "play", "proof")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of each kind."""
    where = tmp_path_factory.mktemp("files") / "strategies"
    where.mkdir()
    for words in (
        [
            "solve",
            "kuhn_poker",
            "--method",
            "cfr+",
            "--iterations",
            "200",
            "--out",
            "kuhn.strategy",
            "--log",
            "kuhn.log",
        ],
        [
            "certify",
            "kuhn_poker",
            "--bounds",
            "rules",
            "--playthroughs",
            "2000",
            "--out",
            "kuhn.certificate",
            "--log",
            "kuhn_certificate.log",
        ],
        ["equilibria", "matching_pennies", "--out", "pennies.equilibria"],
    ):
        names = [str(where / word) if "." in word and not word[0].isdigit() else word for word in words]
        with pytest.raises(SystemExit) as ended:
            main(names)
        assert ended.value.code == 0
    return where


@pytest.fixture(scope="module")
def server(chromium: Browser, folder: Path) -> Iterator[Explorer]:
    with explorer("kuhn_poker", str(folder / "kuhn.strategy"), folder=folder) as running:
        for strategy in running.ask("session")["strategies"]:
            running.until(f"strategies/{strategy['id']}", "ready")
        yield running


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a list by keyboard and pointer, as people do."""
    page.get_by_role("button", name=re.compile(label)).click()
    page.get_by_role("option", name=option, exact=False).first.click()


def test_the_start_page_opens_games_and_files(page: Page, server: Explorer, shoot: Shoot) -> None:
    opened(page, server, "start")
    page.get_by_text("kuhn.certificate").wait_for()
    assert "token" not in page.url
    expect(page.get_by_role("link", name="kuhn_poker")).to_have_count(1)
    shoot(page, "start")
    page.get_by_role("searchbox", name="Search the games").fill("liar")
    page.get_by_role("button", name="liars_dice").wait_for()
    field = page.get_by_role("textbox", name="Address of a game")
    field.fill("rules.py:Secret")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("command line")
    field.fill("leduc_poker(ranks=2)")
    field.press("Enter")
    page.wait_for_selector(".tree-split[data-path='']")
    expect(page.get_by_role("button", name=re.compile("leduc_poker\\(ranks=2\\)"))).to_have_count(1)
    page.go_back()
    page.get_by_role("button", name=re.compile("kuhn.strategy")).click()
    page.get_by_role("heading", name="kuhn").first.wait_for()


def test_the_tree_is_walked_by_buttons_and_keys(page: Page, server: Explorer, shoot: Shoot) -> None:
    opened(page, server, "tree")
    outcomes = page.get_by_role("list", name="Outcomes of chance").get_by_role("button")
    outcomes.first.wait_for()
    expect(outcomes).to_have_count(3)
    expect(outcomes.first).to_contain_text("33.3 %")  # three cards, one of each
    outcomes.nth(0).click()
    page.wait_for_selector(".tree-split[data-path='0'][data-ready=true]")
    expect(outcomes).to_have_count(2)  # two cards are left
    outcomes.nth(0).click()
    page.wait_for_selector(".tree-split[data-path='0.0'][data-ready=true]")
    actions = page.get_by_role("list", name="Actions").get_by_role("button")
    expect(actions).to_have_count(2)
    expect(page.get_by_label("This node")).to_contain_text("2 histories")  # the other card is one of two
    expect(page.locator(".same-set")).not_to_have_count(0)
    shoot(page, "tree")
    drawing = page.get_by_role("tree")
    drawing.focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_selector(".tree-split[data-path='0'][data-ready=true]")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".tree-split[data-path='0.0'][data-ready=true]")
    page.get_by_role("navigation", name="Path from the root").get_by_role("button").first.click()
    page.wait_for_selector(".tree-split[data-path=''][data-ready=true]")
    set_name = server.ask("strategies/s1/sets?player=1&limit=1&sort=name")["items"][0]["name"]
    page.get_by_role("searchbox", name="Jump to an information set").fill(set_name)
    page.get_by_role("group", name="Sets that match").get_by_role("button").first.click()
    page.wait_for_selector(".tree-split:not([data-path=''])[data-ready=true]")
    expect(page.get_by_label("This node")).to_contain_text(set_name)


def test_joint_moves_are_a_matrix(page: Page, server: Explorer, shoot: Shoot) -> None:
    game = server.ask("games", {"address": "matching_pennies"})["id"]
    server.until(f"games/{game}", "ready")
    opened(page, server, f"tree?g={game}")
    table = page.get_by_role("table")
    table.wait_for()
    cells = table.get_by_role("button")
    expect(cells).to_have_count(4)
    expect(cells.first).to_contain_text("25.0 %")  # both play half and half
    shoot(page, "matrix")
    cells.first.click()
    page.get_by_text("End of the play").wait_for()


def test_the_list_filters_sorts_and_opens_a_set(page: Page, server: Explorer, shoot: Shoot) -> None:
    opened(page, server, "strategy")
    grid = page.get_by_role("grid", name="Information sets")
    grid.wait_for()
    count = page.get_by_test_id("set-count")
    page.wait_for_function("() => document.querySelector('[data-testid=set-count]').textContent === '12 sets'")
    expected = server.ask("strategies/s1/sets?sort=frequency")
    assert expected["total"] == 12  # three cards, four plays that end with a choice
    expect(grid.get_by_role("row")).to_have_count(12)
    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    detail = page.get_by_label("The chosen information set")
    detail.get_by_role("table").wait_for()
    expect(grid.locator("[aria-selected=true]")).to_have_attribute("aria-rowindex", "3")
    shoot(page, "list")
    page.get_by_role("searchbox", name="Filter by name or pattern").fill("no such set")
    page.get_by_text("No set matches").wait_for()
    expect(count).to_have_text("0 sets")
    page.get_by_role("searchbox", name="Filter by name or pattern").fill("")
    page.wait_for_function("() => document.querySelector('[data-testid=set-count]').textContent === '12 sets'")
    choose(page, "Sorted by", "Name")
    names = [row["name"] for row in server.ask("strategies/s1/sets?sort=name")["items"]]
    page.wait_for_function("(name) => document.querySelector('#row-0 .set-name')?.textContent === name", arg=names[0])
    expect(grid.locator(".set-name")).to_have_text(names)


def test_a_list_longer_than_an_element_can_be_high(page: Page, server: Explorer) -> None:
    total = 1_175_330  # goofspiel(cards=5)
    model = server.ask("strategies/s1/sets?limit=1")

    def answer(route: Route) -> None:
        asked = parse_qs(urlsplit(route.request.url).query)
        first, count = int(asked["offset"][0]), int(asked["limit"][0])
        rows = [model["items"][0] | {"number": n, "name": f"set {n}"} for n in range(first, min(first + count, total))]
        route.fulfill(json=model | {"total": total, "offset": first, "limit": count, "items": rows})

    page.route(re.compile("/sets\\?"), answer)
    opened(page, server, "strategy")
    grid = page.get_by_role("grid", name="Information sets")
    grid.get_by_text("set 0", exact=True).wait_for()
    box = grid.evaluate("(one) => one.scrollHeight")
    assert box < 17_000_000  # what every browser can lay out
    grid.focus()
    page.keyboard.press("End")
    grid.get_by_text(f"set {total - 1}", exact=True).wait_for()
    page.keyboard.press("ArrowUp")
    expect(grid).to_have_attribute("aria-activedescendant", f"row-{total - 2}")
    grid.evaluate("(one) => { one.scrollTop = one.scrollHeight / 2; }")
    page.wait_for_function(
        "(half) => Math.abs(Number(document.querySelector('.list-row').id.slice(4)) - half) < 30000", arg=total // 2
    )
    first = int(str(grid.locator(".list-row").first.get_attribute("id"))[4:])
    grid.evaluate("(one) => { one.scrollTop += 44; }")  # a small step moves by one row
    page.wait_for_function(
        "(first) => Number(document.querySelector('.list-row').id.slice(4)) === first + 1", arg=first
    )
    page.keyboard.press("Home")
    grid.get_by_text("set 0", exact=True).wait_for()


def test_the_grid_shows_cards_by_play(page: Page, server: Explorer, shoot: Shoot) -> None:
    opened(page, server, "strategy?mode=grid&player=0")
    table = page.get_by_role("table", name=re.compile("Choices of"))
    table.wait_for()
    cells = table.get_by_role("button")
    expect(cells).to_have_count(6)  # three cards, two plays at which player 0 moves
    cells.first.click()
    page.get_by_label("The chosen information set").get_by_role("link", name="Show in the tree").click()
    page.wait_for_selector(".tree-split[data-ready=true]:not([data-path=''])")


def test_two_strategies_side_by_side(page: Page, server: Explorer, shoot: Shoot) -> None:
    first, second = (one["id"] for one in server.ask("session")["strategies"][:2])
    opened(page, server, f"strategy?mode=compare&s={second}&with={first}")
    rows = page.get_by_role("grid", name="Differences").get_by_role("row")
    rows.first.wait_for()
    told = server.ask(f"compare?a={first}&b={second}&sort=weighted")
    expect(rows).to_have_count(told["total"])
    expect(rows.first).to_contain_text(told["items"][0]["variation_text"])
    shoot(page, "compare")


def test_a_solve_from_start_to_saved_file(page: Page, server: Explorer, folder: Path, shoot: Shoot) -> None:
    game = server.ask("games", {"address": "leduc_poker"})["id"]
    server.until(f"games/{game}", "ready")
    opened(page, server, f"solve?g={game}")
    form = page.get_by_role("form", name="New run")
    choose(page, "Method", "cfr+")
    form.get_by_label("gap").fill("")
    form.get_by_label("seconds").fill("")
    form.get_by_label("iterations").fill("100000000")
    form.get_by_role("button", name="Start").click()
    card = page.get_by_role("region", name=re.compile("^Run r"))
    card.get_by_text("running", exact=True).wait_for()
    page.locator(".curves canvas").wait_for()
    card.get_by_role("button", name="Pause").click()
    card.get_by_text("paused", exact=True).wait_for()
    card.get_by_role("button", name="Limits").click()
    dialog = page.get_by_role("dialog")
    reached = int(server.ask("runs")[-1]["iteration"])
    dialog.get_by_label("iterations").fill(str(reached + 500))
    dialog.get_by_role("button", name="Set the limits").click()
    dialog.wait_for(state="detached")
    card.get_by_role("button", name="Go on").click()
    card.get_by_text("finished", exact=True).wait_for()
    expect(card).to_contain_text(f"{reached + 500:,}")
    page.get_by_role("button", name=re.compile("Add the curve of a log")).click()
    page.get_by_role("option", name=re.compile("kuhn.log")).click()
    page.wait_for_function("() => document.querySelectorAll('.u-legend .u-series').length === 3")  # x, the run, the log
    shoot(page, "solve")
    card.get_by_role("button", name="Save").click()
    dialog.get_by_label("Name of the file").fill("leduc.strategy")
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_text("Saved as leduc.strategy").wait_for()
    dialog.get_by_role("button", name="Close").click()
    card.get_by_role("link", name="See the strategy").click()
    page.get_by_text("Grid", exact=True).click()
    page.get_by_role("table", name=re.compile("Choices of")).get_by_role("button").first.wait_for()
    shoot(page, "grid")
    saved = hn.evaluate(hn.read(folder / "leduc.strategy"))
    assert saved.nash_conv < 0.05
    assert abs(saved.values[0] + 0.0856) < 0.05  # the value of Leduc (Southey et al. 2005)


def test_a_lock_and_what_it_changes(page: Page, server: Explorer, shoot: Shoot) -> None:
    strategy = next(one["id"] for one in server.ask("session")["strategies"] if one["source"] == "file")
    opened(page, server, f"whatif?s={strategy}")
    page.get_by_text("A whole player").click()
    choose(page, "Player", "player 1")
    page.get_by_role("button", name="Add the lock").click()
    expect(page.get_by_role("list", name="Locks").get_by_role("listitem")).to_have_count(1)
    page.get_by_role("button", name="Take the lock away").click()
    page.get_by_text("A set or pattern").click()
    # Player 1 with the king folds to a bet: the worst it can do.
    rows = server.ask(f"strategies/{strategy}/sets?player=1&pattern=K*b")["items"]
    page.get_by_role("textbox", name=re.compile("^Set, or a pattern")).fill(rows[0]["name"])
    page.get_by_role("button", name=f"Always {rows[0]['actions'][0]['label']}").click()
    page.get_by_role("button", name="Add the lock").click()
    page.get_by_role("form", name="Solve again").get_by_role("button", name="Solve with the locks").click()
    changed = page.get_by_role("grid", name="Sets that moved most")
    changed.wait_for()
    expect(changed.get_by_text("locked")).to_have_count(1)
    run = server.ask("runs")[-1]["id"]
    told = server.ask(f"runs/{run}/change")
    assert told["values"]["difference"][0] > 0.05
    summary = page.get_by_role("region", name=re.compile("What changed"))
    expect(summary).to_contain_text(told["values"]["difference_text"][0])
    shoot(page, "whatif")


def test_a_hand_is_played_with_hint_cost_and_score(page: Page, server: Explorer, shoot: Shoot) -> None:
    opened(page, server, "play")
    choose(page, "Your seat", "player 0")
    page.get_by_role("button", name="Sit down").click()
    table = page.get_by_role("region", name="The table")
    table.get_by_role("button", name="Hint").click()
    table.get_by_label("Hint").get_by_text("%").first.wait_for()
    shoot(page, "play")
    while table.get_attribute("data-state") == "choosing":
        seen = table.locator(".seen").inner_text()
        table.get_by_role("group", name="Your actions").get_by_role("button").last.click()
        page.wait_for_function(
            "(seen) => document.querySelector('.seat').dataset.state === 'over' || "
            "document.querySelector('.seen').textContent !== seen",
            arg=seen,
        )
    expect(table.get_by_role("table", name="Your choices").get_by_role("row").nth(1)).to_be_visible()
    earned = table.locator(".earned b").inner_text()
    assert abs(float(earned)) in {1.0, 2.0}  # the antes, or the antes and a bet
    score = page.get_by_role("region", name="Score")
    page.wait_for_function("() => document.querySelector('.past tbody')?.rows.length === 1")
    expect(score).to_contain_text(earned)
    table.get_by_role("button", name="Next play").click()
    page.get_by_role("heading", name="Play 2").wait_for()


def test_a_certificate_is_shown_and_verified(page: Page, server: Explorer, shoot: Shoot) -> None:
    opened(page, server, "proof?file=kuhn.certificate")
    facts = page.get_by_role("region", name="What it says")
    facts.wait_for()
    expect(facts).to_contain_text("kuhn_poker")
    trunk = page.get_by_role("grid", name="Trunk").get_by_role("row")
    trunk.first.wait_for()
    expect(page.get_by_role("region", name=re.compile("^Trunk"))).to_contain_text("player")
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("Valid", exact=True).wait_for()
    shoot(page, "proof")


def test_equilibria_are_shown_and_verified(page: Page, server: Explorer) -> None:
    opened(page, server, "proof?file=pennies.equilibria")
    card = page.get_by_role("region", name="Equilibrium 1")
    card.wait_for()
    expect(page.get_by_role("region", name=re.compile("^Equilibrium"))).to_have_count(1)  # matching pennies has one
    expect(card.get_by_text("50.0 %")).to_have_count(4)  # each player plays half and half
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("Valid", exact=True).wait_for()


def test_hands_of_holdem_in_the_grid(page: Page, server: Explorer, shoot: Shoot) -> None:
    address = "holdem(board='Td9d6hQc2s', oop='66+,AJo+', ip='QQ-22', pot=200, stack=900, bets='60%,a', raises='2.5x')"
    game = server.ask("games", {"address": address})["id"]
    server.until(f"games/{game}", "ready")
    run = server.ask("runs", {"game": game, "limits": {"iterations": 100}})["id"]
    strategy = server.until(f"runs/{run}", "finished")["strategy"]
    opened(page, server, f"strategy?g={game}&s={strategy}")
    hands = page.get_by_role("table", name=re.compile("Hands of"))
    hands.wait_for()
    expect(hands.locator("td")).to_have_count(13 * 13)
    hands.get_by_role("button", name=re.compile("^QQ")).click()
    single = page.get_by_label("The chosen hands").get_by_role("row")
    expect(single).to_have_count(4)  # a queen is on the board: three pairs are left
    shoot(page, "holdem")


def test_every_control_has_a_name_and_nothing_overflows(page: Page, server: Explorer) -> None:
    nameless = """() => [...document.querySelectorAll('button, a[href], input, [role=grid], [role=tree]')]
        .filter((one) => one.offsetParent !== null && !one.closest('[aria-hidden=true]'))
        .filter((one) => !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')
            || one.textContent.trim() || one.labels?.length)).map((one) => one.outerHTML.slice(0, 200))"""
    wide = """() => ['html', 'main'].map((name) => document.querySelector(name))
        .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => `${one.tagName} ${one.scrollWidth}`)"""
    opened(page, server, "start")
    for size in ((1280, 720), (1024, 768)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for view in VIEWS:
            page.goto(f"{server.root}/#/{view}")
            page.wait_for_load_state("networkidle")
            assert page.evaluate(nameless) == [], view
            assert page.evaluate(wide) == [], (view, size)


def test_dark_colours_by_system_and_by_switch(page: Page, server: Explorer, shoot: Shoot) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    opened(page, server, "tree")
    light = page.evaluate(background)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"() => {background} !== '{light}'")
    dark = page.evaluate(background)
    page.get_by_role("button", name=re.compile("follow the system; change to light")).click()
    page.wait_for_function(f"() => {background} === '{light}'")
    page.get_by_role("button", name=re.compile("change to dark")).click()
    page.wait_for_function(f"() => {background} === '{dark}'")
    page.wait_for_selector(".tree-split")
    shoot(page, "dark")
