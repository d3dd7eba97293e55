"""Files of every kind, and what somebody would do with each of them."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hannan as hn
from hannan.certificates.files import save_checkpoint
from hannan.certificates.journal import Journal, journal_of
from hannan.certificates.resolving import Resolving
from hannan.forms.boxing import boxed
from hannan.runs.log import read_log
from hannan.treesearch.backward import BackwardInduction
from tests.fuzz.changes import change_fact, changed, damaged, drawn, opened, resealed
from tests.fuzz.sentences import sentence
from tests.plaingames import Split

Use = Callable[[Path], Any]

OPEN = "goofspiel(cards=3,information=open)"


@dataclass(frozen=True)
class Kind:
    """A kind of file: how one comes to be, and what is done with it."""

    make: Use
    use: Use


def _saved(game: Any, method: str, iterations: int = 6, **parameters: Any) -> Use:
    def make(path: Path) -> None:
        hn.solve(game, method, iterations=iterations, checkpoint=path, **parameters)

    return make


def _resumed(game: Any = None) -> Use:
    def use(path: Path) -> None:
        solver = hn.resume(path, game)
        if solver.iterations < 100:
            solver.run(3)
        solver.average()

    return use


def _goes_on(path: Path) -> None:
    hn.solve(resume=path, iterations=9)


def _searched(path: Path) -> None:
    """Save an exact search in its middle."""
    solver = BackwardInduction(OPEN)
    solver.pause_after, solver._slice = 0.0, 20
    solver.run(1)
    solver.save(path)


def _proven(path: Path) -> None:
    solver = hn.resume(path)
    solver.run(1)
    solver.average()


def _strategy(path: Path) -> None:
    hn.save(hn.random_profile("kuhn_poker", 1), path)


def _policy(game: Any) -> Use:
    def make(path: Path) -> None:
        solver: Any = hn.OutcomeSampling(game, on="rules", seed=2)
        solver.run(8)
        hn.save(solver.policy(), path)

    return make


def _read(game: Any = None) -> Use:
    def use(path: Path) -> None:
        strategy: Any = hn.read(path, game)
        if isinstance(strategy, hn.Policy):
            list(strategy)
            strategy = strategy.profile()
        hn.evaluate(strategy.game, strategy)

    return use


def _certificate(path: Path) -> None:
    hn.certify("kuhn_poker", playthroughs=30, solve_every=10, groups="rules").save(path)


def _certification(path: Path) -> None:
    hn.certify("kuhn_poker", playthroughs=25, solve_every=10, method="cfr", checkpoint=path)


def _certified(path: Path) -> None:
    hn.certify("kuhn_poker", playthroughs=31, solve_every=10, method="cfr", resume=path)


def _regretting(playthroughs: int, saved: bool) -> Use:
    def use(path: Path) -> None:
        known: dict[str, Any] = {"checkpoint": path} if saved else {"resume": path}
        hn.certify("kuhn_poker", playthroughs=playthroughs, solve_every=10, method="mccfr", groups="rules", **known)

    return use


def _correlated(playthroughs: int, saved: bool) -> Use:
    def use(path: Path) -> None:
        known: dict[str, Any] = {"checkpoint": path} if saved else {"resume": path}
        hn.certify("kuhn_poker(players=3)", playthroughs=playthroughs, solve_every=10, equilibrium="cce", **known)

    return use


def _match(games: int, saved: bool) -> Use:
    def use(path: Path) -> None:
        known: dict[str, Any] = {"checkpoint": path} if saved else {"resume": path}
        hn.match("kuhn_poker", "uniform", hn.random_profile("kuhn_poker", 1), games=games, **known)

    return use


def _journal(path: Path) -> None:
    """Leave a journal as a crash does: the checkpoint beside it is older."""
    game, checkpoint = Resolving(boxed("kuhn_poker").box, method="cfr", every=10), path.with_name("journalled")
    game.advance(10)
    save_checkpoint(game, checkpoint, {"seconds": 0.0, "curve": [], "bounds": []})
    journal = Journal(checkpoint)
    journal.begin()
    for _ in range(4):
        record = game.next()
        journal.add(game.playthroughs + 1, record, game.add(record))
    journal.close()
    shutil.move(journal_of(checkpoint), path)


def _recounted(path: Path) -> None:
    shutil.copy(path, journal_of(path.with_name("journalled")))
    hn.certify("kuhn_poker", playthroughs=16, solve_every=10, method="cfr", checkpoint=path.with_name("later"),
               resume=path.with_name("journalled"))  # fmt: skip


def _log(path: Path) -> None:
    hn.solve("kuhn_poker", "cfr", iterations=6, log=path)


def _plotted(path: Path) -> None:
    assert read_log(path).label


KINDS = {
    "cfr": Kind(_saved("kuhn_poker", "cfr"), _goes_on),
    "cfr+": Kind(_saved("kuhn_poker", "cfr+", start=hn.uniform("kuhn_poker")), _resumed()),
    "three": Kind(_saved("kuhn_poker(players=3)", "pdcfr+"), _resumed()),
    "einr": Kind(_saved("kuhn_poker", "einr"), _resumed()),
    "lp": Kind(_saved("kuhn_poker", "lp", 1), _resumed()),
    "locked": Kind(_saved("kuhn_poker", "cfr", locks={1: {"Kb": {"b": 1}}}), _resumed()),
    "mccfr-tree": Kind(_saved("kuhn_poker", "mccfr-os", seed=1), _resumed()),
    "mccfr-rules": Kind(_saved("kuhn_poker", "mccfr-os", seed=1, on="rules"), _resumed()),
    "mccfr-plain": Kind(_saved(Split(), "mccfr-es", seed=1, on="rules"), _resumed(Split())),
    "discounted": Kind(_saved("kuhn_poker", "mccfr-os", on="rules", learner="discounted", streams=2), _resumed()),
    "vr-mccfr-rules": Kind(_saved("goofspiel(cards=3)", "vr-mccfr", seed=1, on="rules"), _resumed()),
    "bi": Kind(_searched, _proven),
    "search": Kind(
        lambda path: hn.search(OPEN, "rm", iterations=40, checkpoint=path),
        lambda path: hn.search(resume=path, iterations=60),
    ),
    "strategy": Kind(_strategy, _read()),
    "policy": Kind(_policy("kuhn_poker"), _read()),
    "policy-plain": Kind(_policy(Split()), _read(Split())),
    "certificate": Kind(_certificate, _read()),
    "certification": Kind(_certification, _certified),
    "regretting": Kind(_regretting(25, True), _regretting(31, False)),
    "correlated": Kind(_correlated(25, True), _correlated(31, False)),
    "match": Kind(_match(200, True), _match(400, False)),
}
"""Files of arrays and facts."""

LINES = {"log": Kind(_log, _plotted), "journal": Kind(_journal, _recounted)}
"""Files of lines."""


class Files:
    """One good file of each kind, in a folder, made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts: dict[str, tuple[Any, Any]] = {}

    def good(self, kind: str) -> Path:
        """Return the path of a file that nobody changed."""
        path = self.folder / f"good.{kind}"
        if not path.exists():
            (KINDS | LINES)[kind].make(path)
        return path

    def case(self, kind: str, draw: random.Random) -> tuple[bytes, Any]:
        """Return a file of a kind with something changed, and what was changed."""
        path = self.good(kind)
        if draw.random() < 0.1:
            return damaged(draw, path.read_bytes()), "bytes"
        if kind in LINES:
            return self._changed_lines(path, draw)
        if kind not in self._parts:
            self._parts[kind] = opened(path)
        arrays, record = self._parts[kind]
        changes, sealed = drawn(draw, arrays, record["facts"]), draw.random() < 0.95
        try:
            return changed(path, changes, sealed=sealed), changes
        except (TypeError, ValueError, OverflowError, KeyError):  # what safetensors cannot hold is no file
            return damaged(draw, path.read_bytes()), "bytes"

    def _changed_lines(self, path: Path, draw: random.Random) -> tuple[bytes, Any]:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            line.pop("digest" if isinstance(line, dict) else -1)
        changes = drawn(draw, {}, {"lines": lines, "head": lines[0]})
        record = {"lines": lines, "head": lines[0]}
        for change in changes:
            change_fact(record, change)
        rest = record.get("lines")
        good = isinstance(rest, list) and all(isinstance(line, dict | list) for line in rest)
        return (resealed(rest or []) if good else json.dumps(rest).encode()), changes

    def use(self, kind: str, data: bytes) -> str:
        """Do with a file what somebody would; return `used`, or the sentence with which it was refused."""
        path = self.folder / f"case.{kind}"
        path.write_bytes(data)
        journal_of(path).unlink(missing_ok=True)
        try:
            (KINDS | LINES)[kind].use(path)
        except hn.HannanError as error:
            return sentence(error)
        return "used"
