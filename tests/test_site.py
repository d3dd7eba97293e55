"""The site: it builds without a warning, its links lead somewhere, and no page asks for anything from elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import hannan
from hannan.cli import COMMANDS
from hannan.games.catalogue import PUBLIC, entries

pytest.importorskip("sphinx")
pytest.importorskip("myst_nb")
nbformat = pytest.importorskip("nbformat")

ROOT = Path(__file__).parent.parent
LOADS = {
    "img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "video": "src", "object": "data",
}  # fmt: skip
"""Elements that a browser loads when it shows a page, and where they name what it loads."""


class Page(HTMLParser):
    """What a page loads, where its links lead, and which anchors it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if name := given.get("id"):
            self.anchors.add(name)
        if tag == "a" and (target := given.get("href")):
            self.links.append(target)
        if (target := given.get(LOADS.get(tag, ""))) and given.get("rel") not in ("canonical", "index", "search"):
            self.loaded.append(target)


@dataclass(frozen=True)
class Site:
    folder: Path
    notebooks: Path
    pages: dict[str, Page]

    def notebook(self, name: str) -> Any:
        """Return a tutorial with what its cells showed."""
        return nbformat.read(self.notebooks / "tutorials" / f"{name}.ipynb", as_version=4)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Build the site once, from a copy: a build writes pages beside the sources."""
    place = tmp_path_factory.mktemp("site")
    ignored = shutil.ignore_patterns("__pycache__", "api", "commands", "pictures")
    shutil.copytree(ROOT / "docs", place / "docs", ignore=ignored)
    shutil.copytree(ROOT / "examples", place / "examples", ignore=ignored)
    built = place / "build" / "site"
    words = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(built)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True, timeout=1800)
    assert ran.returncode == 0, ran.stderr[-6000:]
    pages = {
        name: Page(path.read_text(encoding="utf-8"))
        for path in built.rglob("*.html")
        if not (name := path.relative_to(built).as_posix()).startswith("_static/")
    }
    return Site(built, place / "build" / "jupyter_execute", pages)


@pytest.mark.slow
def test_links_lead_somewhere(site: Site) -> None:
    lost = set()
    for name, page in site.pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link) or link == "#":
                assert link.startswith(("https://", "http://", "#", "mailto:")), link
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), unquote(path))) if path else name
            there = (site.folder / target).exists()
            if not there or (anchor and target in site.pages and unquote(anchor) not in site.pages[target].anchors):
                lost.add((name, link))
    assert sorted(lost) == []


@pytest.mark.slow
def test_pages_load_nothing_from_elsewhere(site: Site) -> None:
    assert len(site.pages) > 100
    for name, page in site.pages.items():
        assert not [target for target in page.loaded if re.match(r"(?:[a-z]+:)?//", target)], name
        for target in page.loaded:
            path = unquote(target.partition("?")[0].partition("#")[0])
            if not target.startswith("data:"):
                assert (site.folder / os.path.dirname(name) / path).exists(), (name, target)
    for style in site.folder.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)]*", text), style


@pytest.mark.slow
def test_every_public_name_has_an_entry(site: Site) -> None:
    anchors = set().union(*(page.anchors for name, page in site.pages.items() if name.startswith("reference/api/")))
    for name in hannan.__all__:
        assert name.startswith("__") or f"hannan.{name}" in anchors, name
    for part in hannan.SUBMODULES:
        module = import_module(f"hannan.{part}")
        for name in module.__all__:
            same = getattr(hannan, name, None) is getattr(module, name)
            assert same or f"hannan.{part}.{name}" in anchors, f"hannan.{part}.{name}"


@pytest.mark.slow
def test_every_command_and_every_game_has_a_page(site: Site) -> None:
    for name in COMMANDS:
        assert f"<h1>hannan {name}" in site.pages[f"reference/commands/{name}.html"].text
    for entry in entries():
        page = site.pages[f"reference/games/{entry.name}.html"]
        assert all(parameter in page.text for parameter in entry.parameters)
        source = (ROOT / "docs" / "reference" / "games" / f"{entry.name}.md").read_text(encoding="utf-8")
        assert 2 <= len(re.findall(r"[.!?](?=\s|$)", source.split("\n\n")[1])) <= 4, entry.name
        assert ":picture:" not in source or f"{entry.name}.svg" in page.text, entry.name
        assert ":picture:" in source or entry.name in PUBLIC, entry.name


@pytest.mark.slow
def test_the_search_finds_words_of_every_part(site: Site) -> None:
    index = (site.folder / "searchindex.js").read_text(encoding="utf-8")
    assert "nashconv" in index
    for part in ("tutorials/", "howto/", "theory/", "reference/", "gallery/"):
        assert f'"{part}' in index


SHOWN = {
    "game": ["<svg", "J p Jpb", "kuhn_poker"],
    "result": ["<polyline", "nash conv", "cfr+"],
    "result.profile": ["information set", "K p Kpb"],
    "hn.evaluate(result)": ["exploitability", "gains"],
    "hn.match": ["solved", "off by at most"],
    "hn.certify": ["certificate of kuhn_poker", "playthroughs"],
    "hn.search": ["goofspiel", "frequencies"],
}
"""The last line of a cell, as far as it tells the cell, and what its HTML holds."""

DRAWN = ("axes = result.plot", "hn.plot", "hn.draw")
"""Cells that show one picture of matplotlib."""


def outputs(notebook: Any, begins: str) -> list[Any]:
    """Return the outputs of the cell whose last line begins so."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    (found,) = [
        cell for cell in cells if (last := cell.source.splitlines()[-1]) == begins or last.startswith(f"{begins}(")
    ]
    return list(found.outputs)


@pytest.mark.slow
@pytest.mark.parametrize("begins", SHOWN)
def test_cells_show_html(begins: str, site: Site) -> None:
    (shown,) = [
        output for output in outputs(site.notebook("first_half_hour"), begins) if output.output_type == "execute_result"
    ]
    html = shown.data["text/html"]
    assert all(text in html for text in SHOWN[begins]), html


@pytest.mark.slow
@pytest.mark.parametrize("begins", DRAWN)
def test_cells_show_one_picture(begins: str, site: Site) -> None:
    pictures = [
        output for output in outputs(site.notebook("first_half_hour"), begins) if "image/png" in output.get("data", {})
    ]
    assert len(pictures) == 1


@pytest.mark.slow
def test_nothing_else_is_shown(site: Site) -> None:
    """No warning, no second line of progress, and none that stays once its run has ended."""
    for cell in site.notebook("first_half_hour").cells:
        for output in cell.get("outputs", []):
            assert output.output_type in ("execute_result", "display_data"), output
            if output.output_type == "display_data" and "image/png" not in output.data:
                assert output.data["text/plain"] == ""
        lines = [output for output in cell.get("outputs", []) if output.get("data", {}).get("text/html") == ""]
        assert len(lines) <= 1


@pytest.mark.slow
def test_every_tutorial_has_pictures(site: Site) -> None:
    names = sorted(path.stem for path in (ROOT / "docs" / "tutorials").glob("*.ipynb"))
    assert len(names) >= 4
    for name in names:
        shown = [output for cell in site.notebook(name).cells for output in cell.get("outputs", [])]
        assert any("image/png" in output.get("data", {}) for output in shown), name
        assert all(output.output_type != "error" for output in shown), name
