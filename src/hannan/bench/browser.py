"""A real browser and a running explorer, for measurements and for tests."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from hannan.errors import HannanError
from hannan.libraries import library

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
"""Browsers that can be driven; the first installed one is used."""

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
"""A browser for one server: it draws in software, and sends no request to another host."""

ADDRESS = re.compile(r"https?://\S+token=\S+")
PATIENCE = 60.0
"""Seconds within which the server must print its address."""


def browser_program() -> str | None:
    """Return the path of a browser that can be driven; None if none is installed."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


@contextmanager
def browser() -> Iterator[Browser]:
    """Run a browser without a window."""
    program = browser_program()
    if program is None:
        raise HannanError(
            f"no browser is installed: looked for {', '.join(NAMES)}. On Debian: apt-get install chromium"
        )
    with library("playwright.sync_api").sync_playwright() as driver:
        opened: Browser = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield opened
        finally:
            opened.close()


@dataclass(frozen=True)
class Explorer:
    """A server that runs in a process of its own."""

    process: subprocess.Popen[str]
    url: str
    """The address that the server printed, with the token."""
    begun: float
    """When the process was started, by `time.perf_counter`."""

    @property
    def root(self) -> str:
        """The address without its token: `http://127.0.0.1:PORT`."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def token(self) -> str:
        """The token."""
        return parse_qs(urlsplit(self.url).query)["token"][0]

    def ask(self, path: str, body: dict[str, Any] | None = None, method: str | None = None) -> Any:
        """Return the answer of the interface to a request."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-Hannan-Token": self.token, "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.root}/api/v1/{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
                content = reply.read()
        except urllib.error.HTTPError as error:
            raise HannanError(f"{path} was answered {error.code}: {error.read().decode()}") from error
        return json.loads(content) if content else None

    def until(self, path: str, state: str, seconds: float = PATIENCE) -> Any:
        """Repeat the request until the answer's `state` is `state`; raise an error if it is `failed`."""
        end = time.monotonic() + seconds
        while (answer := self.ask(path))["state"] != state:
            if answer["state"] == "failed" or time.monotonic() > end:
                raise HannanError(f"{path} is {answer['state']}, not {state}: {answer['error']}")
            time.sleep(0.02)
        return answer


@contextmanager
def explorer(*words: str, folder: Path, environment: dict[str, str] | None = None) -> Iterator[Explorer]:
    """Run `hannan explore` with these words in a folder, and end it afterwards."""
    begun = time.perf_counter()
    command = [sys.executable, "-u", "-m", "hannan", "explore", *words, "--folder", str(folder), "--no-browser"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | (environment or {})
    )
    try:
        yield Explorer(process, _address(process), begun)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _address(process: subprocess.Popen[str]) -> str:
    """Read the output of the server up to its address."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if found := ADDRESS.search(line):
            Thread(target=process.stdout.read, daemon=True).start()  # a full pipe would block the server
            return found.group()
    raise HannanError(f"the explorer ended without an address: {said.strip()}")
