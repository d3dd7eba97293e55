"""The built page: made from these sources, small, and with no door for markup. None of this needs Node or a browser."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

import hannan

WEB = Path(hannan.__file__).parent / "web"
PAGE, STATIC = WEB / "page", WEB / "static"
LEFT = {"node_modules", ".gitignore", ".npmrc"}
MOST = 500_000
"""Bytes that the browser may load, compressed."""


def sources() -> list[Path]:
    return sorted(
        (path for path in PAGE.rglob("*") if path.is_file() and not LEFT & set(path.relative_to(PAGE).parts)),
        key=lambda path: path.relative_to(PAGE).as_posix(),
    )


def test_the_built_page_belongs_to_its_sources() -> None:
    total = hashlib.sha256()
    for path in sources():
        content = path.read_bytes()
        total.update(f"{path.relative_to(PAGE).as_posix()}\0{len(content)}\0".encode())
        total.update(content)
    stored = (STATIC / "sources.sha256").read_text().strip()
    assert total.hexdigest() == stored, (
        "The page is stale. Run `npm ci && npm run build` in src/hannan/web/page and commit src/hannan/web/static."
    )


def test_no_text_is_ever_markup() -> None:
    doors = re.compile(
        r"dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
    )
    found = [
        (path.name, match)
        for path in sources()
        if path.suffix in {".ts", ".tsx"}
        for match in doors.findall(path.read_text())
    ]
    assert found == []


def test_the_page_suits_a_strict_policy() -> None:
    page = (STATIC / "index.html").read_text()
    assert "<style" not in page
    assert " style=" not in page
    scripts = re.findall(r"<script([^>]*)>([^<]*)</script>", page)
    assert scripts
    assert all("src=" in attributes and not body.strip() for attributes, body in scripts)
    assert not re.search(r"(src|href)=\"(https?:)?//", page), "the page loads from its own server only"
    style = "".join(path.read_text() for path in (STATIC / "assets").glob("*.css"))
    assert "url(" not in style
    assert "@import" not in style


def test_what_the_browser_loads_is_small() -> None:
    files = [path for path in STATIC.rglob("*") if path.is_file() and path.name != "sources.sha256"]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) <= MOST


def test_the_lock_file_names_no_host() -> None:
    text = (PAGE / "package-lock.json").read_text()
    assert "http" not in text
    packages = json.loads(text)["packages"]
    assert all("integrity" in entry for name, entry in packages.items() if name)
