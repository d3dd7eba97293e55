"""The other libraries, each used if it is installed. Libraries for trees run on OpenSpiel's version of the same game.

An iteration is one update of every player with the average kept, on all sides:

- OpenSpiel's `CFRSolver.evaluate_and_update_policy` updates one player after the other: our `updates="alternating"`.
- LiteEFG's `CFR` baseline updates both players by one `Environment.update`: our `updates="simultaneous"`. Keeping the
  average is a second call, `update_strategy`, and belongs to the iteration. Its other baselines call `update` twice.

The benchmark checks this: after ten iterations both sides must have the same NashConv.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from hannan.exports.openspiel.counterpart import openspiel_address as openspiel_address
from hannan.forms.game import Game

MODULES = {
    "OpenSpiel": "pyspiel",
    "LiteEFG": "LiteEFG",
    "pygambit": "pygambit",
    "quantecon": "quantecon",
    "nashpy": "nashpy",
}
PACKAGES = {
    "OpenSpiel": "open_spiel",
    "LiteEFG": "LiteEFG",
    "pygambit": "pygambit",
    "quantecon": "quantecon",
    "nashpy": "nashpy",
}


def find(peer: str) -> Any | None:
    """Return a peer's module; None if it is not installed."""
    try:
        return importlib.import_module(MODULES[peer])
    except ImportError:
        return None


def title(peer: str) -> str:
    """Return a peer's name with its version."""
    return f"{peer} {importlib.metadata.version(PACKAGES[peer])}"


def missing() -> list[str]:
    """Return the peers that are not installed."""
    return [peer for peer in MODULES if find(peer) is None]


def absent(*peers: str) -> tuple[str, ...]:
    """Return a sentence for each peer that is not installed."""
    return tuple(f"{peer} is not installed: its rows are left out" for peer in peers if find(peer) is None)


def openspiel_game(game: Game) -> Any | None:
    """Return OpenSpiel's version of a game; None if OpenSpiel is not installed or lacks the game."""
    pyspiel, address = find("OpenSpiel"), openspiel_address(game)
    return None if pyspiel is None or address is None else pyspiel.load_game(address)


class Lite:
    """A LiteEFG baseline at work on a game of OpenSpiel."""

    def __init__(self, theirs: Any, baseline: str = "CFR", average: str = "avg-iterate", of: str = "") -> None:
        """`average` is LiteEFG's name of the measured average, `of` its name of the strategy that is averaged."""
        library = find("LiteEFG")
        assert library is not None
        with redirect_stdout(io.StringIO()), _elsewhere():
            self.environment = library.OpenSpielEnv(theirs)
            self.graph = getattr(library.baselines, baseline).graph()
        self.environment.set_graph(self.graph)
        self.strategy = self.graph.current_strategy(of) if of else self.graph.current_strategy()
        self.kind = average

    def run(self, count: int) -> None:
        """Run `count` iterations; the strategy just played goes into the average, as in hannan."""
        for _ in range(count):
            self.environment.update_strategy(self.strategy)
            self.graph.update_graph(self.environment)

    def train(self, count: int) -> None:
        """Run `count` iterations of LiteEFG's own training loop: the new strategy goes into the average."""
        for _ in range(count):
            self.graph.update_graph(self.environment)
            self.environment.update_strategy(self.strategy)

    def nash_conv(self) -> float:
        """Return the NashConv of the average."""
        return float(sum(self.environment.exploitability(self.strategy, self.kind)))


def lite(theirs: Any | None, baseline: str = "CFR", average: str = "avg-iterate", of: str = "") -> Lite | None:
    """Return a LiteEFG baseline on a game; None if either is missing."""
    return None if theirs is None or find("LiteEFG") is None else Lite(theirs, baseline, average, of)


@contextmanager
def _elsewhere() -> Iterator[None]:
    """Let LiteEFG keep its converted games in our cache: it would make a folder in the user's home."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hannan" / "bench"
    cache.mkdir(parents=True, exist_ok=True)
    before = os.environ.get("HOME")
    os.environ["HOME"] = str(cache)
    try:
        yield
    finally:
        if before is None:
            del os.environ["HOME"]
        else:
            os.environ["HOME"] = before
