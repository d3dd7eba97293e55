"""The explorer in a real browser: first paint, clicks and scrolling in a large game, speed of a watched solve, size.

The clock of the page measures times. A click counts from the event until the frame after the answer
is shown.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hannan.bench.browser import Explorer, browser, browser_program, explorer
from hannan.bench.rows import Figure, Row, Say, Section, alone
from hannan.bench.stopwatch import figure

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SMALL, LARGE, SOLVED = "leduc_poker", "goofspiel(cards=5)", "liars_dice"
QUICK_LARGE = "goofspiel(cards=4)"
STARTS, CLICKS, FRAMES = 5, 200, 300
PAINT, CLICK, FRAME, SLOWER, SIZE = 2.5, 0.1, 0.025, 1.05, 500e3
"""The targets: seconds to the first paint, of a click and between frames; slow-down by a watcher; bytes."""
ITERATIONS, PAIRS = 12_000, 5
"""Iterations of the watched solve, and how often it is repeated with and without a watcher."""
LONG = 120_000
"""The most milliseconds that a page may take to load a large game."""

CLICKED = """([query, shown]) => new Promise((done) => {
  const target = document.querySelector(query);
  const begun = performance.now();
  target.click();
  const look = () => document.querySelector(shown) ? requestAnimationFrame(() => done(performance.now() - begun))
    : requestAnimationFrame(look);
  look();
})"""
"""Clicks, and returns the milliseconds until the frame in which the answer is shown."""

SCROLLED = """(frames) => new Promise((done) => {
  const box = document.querySelector(".list-box");
  const times = [];
  let last = performance.now();
  const step = (now) => {
    times.push(now - last);
    last = now;
    box.scrollTop += times.length % 60 === 0 ? 40000 : 120;
    if (times.length < frames) requestAnimationFrame(step); else done(times.slice(1));
  };
  requestAnimationFrame(step);
})"""
"""Scrolls by a notch of the wheel in each frame, and by a jump in each sixtieth; returns the frames' intervals."""

PAINTED = "performance.now() - performance.getEntriesByName('first-contentful-paint')[0].startTime"
"""Milliseconds since the first paint."""
LOADED = """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter((entry) => !entry.name.includes('/api/')).reduce((total, entry) => total + entry.encodedBodySize, 0)"""


def run(quick: bool, say: Say) -> Section:
    """Measure everything; with `quick`, a smaller game and fewer repeats."""
    if browser_program() is None:
        return Section("explore", (), ("no browser is installed, so nothing was measured: apt-get install chromium",))
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, browser() as opened:
        say("explore: first paint")
        rows += paint(opened, Path(folder), 2 if quick else STARTS)
        game = QUICK_LARGE if quick else LARGE
        with explorer(game, folder=Path(folder)) as server:
            page = opened.new_page(viewport={"width": 1280, "height": 720})
            say(f"explore: clicks in {game}")
            rows.append(clicks(page, server, game, 20 if quick else CLICKS))
            say(f"explore: scrolling {game}")
            rows.append(scrolling(page, server, game, 60 if quick else FRAMES))
            page.close()
        say("explore: solving while watched")
        with explorer(SOLVED, folder=Path(folder)) as server:
            rows.append(watched(opened, server, 1 if quick else PAIRS))
    notes = (
        "Chromium without a window draws in software, so it shares the cores with the server. Caches are warm: the "
        "server was started once before the first measurement.",
    )
    return Section("explore", tuple(rows), notes)


def paint(opened: Browser, folder: Path, starts: int) -> list[Row]:
    """Time from the start of the process to the first paint and to the root of the game; count the bytes."""
    first, shown, size = [], [], 0.0
    for start in range(starts + 1):
        with explorer(SMALL, folder=folder) as server:
            page = opened.new_page(viewport={"width": 1280, "height": 720})
            page.goto(f"{server.url}#/tree")
            page.wait_for_selector(".tree-split[data-path='']")
            now = time.perf_counter() - server.begun
            since = page.evaluate(PAINTED) / 1e3
            if start > 0:  # the first start warms caches
                first.append(time.perf_counter() - server.begun - since)
                shown.append(now)
            size = page.evaluate(LOADED)
            page.close()
    return [
        alone("process start to first paint, Leduc", figure("hannan", first), most=PAINT),
        alone("process start to the root of Leduc", figure("hannan", shown)),
        alone("compressed size of what the browser loads", Figure("hannan", size, "bytes"), most=SIZE),
    ]


def clicks(page: Page, server: Explorer, game: str, count: int) -> Row:
    """Time clicks: most walk the tree at random, every fourth opens a set of the list."""
    page.goto(f"{server.url}#/strategy")
    page.wait_for_selector(".list-row .set-name", timeout=LONG)
    sets = page.locator("[data-testid=set-count]").inner_text()
    chance = random.Random(0)
    taken = [_listed(page, chance) for _ in range(count // 4)]
    page.click("nav.rail a[href^='#/tree']")
    page.wait_for_selector(".tree-split[data-ready=true]", timeout=LONG)
    taken += [_walked(page, chance) for _ in range(count - count // 4)]
    note = f"{len(taken)} clicks, {sets}; median {np.median(taken):.0f} ms, slowest {max(taken):.0f} ms"
    return alone(f"a click in {game}, 95th percentile", _percentile(taken), most=CLICK, note=note)


def _walked(page: Page, chance: random.Random) -> float:
    """Take a move of the node, or go back to the root from an end."""
    queries: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('.move, .matrix-cell')].map((one, place) => "
        "(one.setAttribute('data-place', place), `[data-place='${place}']`))"
    )
    here: str = page.get_attribute(".tree-split", "data-path") or ""
    query = chance.choice(queries) if queries else ".crumbs li:first-child button"
    shown = f".tree-split[data-ready=true]:not([data-path='{here}'])"
    taken: float = page.evaluate(CLICKED, [query, shown])
    return taken


def _listed(page: Page, chance: random.Random) -> float:
    """Open a set of the list that is not open yet."""
    keys: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('.list-row[aria-selected=false] .set-name')].map((one) => one.dataset.key)"
    )
    key = chance.choice(keys)
    taken: float = page.evaluate(CLICKED, [f".set-name[data-key='{key}']", f".detail[data-set='{key}']"])
    return taken


def scrolling(page: Page, server: Explorer, game: str, frames: int) -> Row:
    """Time the frames while the list of all information sets is scrolled."""
    page.goto("about:blank")
    page.goto(f"{server.url}#/strategy")
    page.wait_for_selector(".list-row .set-name", timeout=LONG)
    times = page.evaluate(SCROLLED, frames)
    note = f"{len(times)} frames; median {np.median(times):.1f} ms, longest {max(times):.0f} ms"
    return alone(
        f"scrolling all sets of {game}, 95th percentile of frame intervals", _percentile(times), most=FRAME, note=note
    )


def watched(opened: Browser, server: Explorer, pairs: int) -> Row:
    """Solve with a page that draws the curve, and without any page, in turns."""
    game = next(one["id"] for one in server.ask("session")["games"])
    server.until(f"games/{game}", "ready")
    times: dict[bool, list[float]] = {True: [], False: []}
    _solved(server, game)  # compiles
    for _ in range(pairs):
        for seen in (True, False):
            page = opened.new_page(viewport={"width": 1280, "height": 720}) if seen else None
            if page is not None:
                page.goto(f"{server.url}#/solve")
                page.wait_for_selector(".run-card")
            times[seen].append(_solved(server, game))
            if page is not None:
                page.close()
    ours, peer = figure("hannan, watched", times[True]), figure("not watched", times[False])
    ratio = float(np.median(times[True]) / np.median(times[False]))
    row = alone(f"solving {SOLVED} while watched", Figure("hannan", ratio, "times as long"), most=SLOWER)
    note = f"{ITERATIONS:,} iterations: {ours.text} watched, {peer.text} not"
    return Row(row.measure, row.ours, target=row.target, note=note)


def _solved(server: Explorer, game: str) -> float:
    """Solve once, and return the seconds that the run counted."""
    limits = {"gap": None, "iterations": ITERATIONS, "seconds": None}
    run = server.ask("runs", {"game": game, "method": "cfr+", "limits": limits})
    done: dict[str, Any] = server.until(f"runs/{run['id']}", "finished")
    return float(done["seconds"])


def _percentile(milliseconds: list[float]) -> Figure:
    return Figure("hannan", float(np.percentile(milliseconds, 95)) / 1e3)
