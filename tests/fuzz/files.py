"""Files of every kind, and what somebody would do with each of them."""

from __future__ import annotations

import contextlib
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hannan as hn
from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.files import save_checkpoint
from hannan.certificates.journal import Journal, journal_of
from hannan.forms.boxes import boxed
from hannan.runs.log import read_log
from hannan.solvers import method_class
from hannan.treesearch.backward import BackwardInduction
from tests.fuzz.changes import Change, changed, changed_lines, changed_parts, damage, drawn, lines_of, opened
from tests.fuzz.sentences import sentence
from tests.plaingames import Split

Make = Callable[[Path], Any]
Use = Callable[[Path, Any], Any]
"""What is done with a file; its game is given, or None, where the file says which one it is."""

KUHN, THREE, OPEN = "kuhn_poker", "kuhn_poker(players=3)", "goofspiel(cards=3,information=open)"

SLOW = (
    "bi", "search", "correlated", "journal", "training", "training-torch", "networks-torch", "recurrent-torch",
    "branches-torch",
)  # fmt: skip
"""Kinds of which a case takes several times as long as of others, and which come less often for it."""

GIVEN = 0.9
"""How many files are read with their game given, and not made anew of what the file says."""


@dataclass(frozen=True)
class Kind:
    """A kind of file: of which game, how one comes to be, what is done with it, and the library that this needs."""

    game: Any
    make: Make
    use: Use
    needs: str = ""


def _solved(game: Any, method: str, iterations: int = 6, **parameters: Any) -> Kind:
    def make(path: Path) -> None:
        hn.solve(game, method, iterations=iterations, checkpoint=path, **parameters)

    return Kind(game, make, _resumed)


def _resumed(path: Path, game: Any) -> None:
    solver = hn.resume(path, game)
    if solver.iterations < 100:
        solver.run(3)
    solver.average()


def _searched(path: Path) -> None:
    """Save an exact search in its middle."""
    solver = BackwardInduction(OPEN)
    solver.pause_after, solver._slice = 0.0, 20
    solver.run(1)
    solver.save(path)


def _proven(path: Path, game: Any) -> None:
    solver = hn.resume(path, game)
    solver.run(1)
    solver.average()


def _correlated(path: Any) -> None:
    hn.CorrelatedPlay([hn.random_profile(KUHN, seed) for seed in (1, 2)]).save(path)


def _policy(game: Any) -> Make:
    def make(path: Path) -> None:
        solver: Any = hn.methods.OutcomeSampling(game, over="rules", seed=2)
        solver.run(8)
        hn.save(solver.policy(), path)

    return make


def _read(path: Path, game: Any) -> None:
    strategy: Any = hn.read(path, game)
    if isinstance(strategy, hn.Policy):
        list(strategy)
        strategy = strategy.profile()
    hn.evaluate(strategy.game, strategy)


def _certified(address: str, **options: Any) -> Kind:
    options = {"solve_every": 10, **options}

    def make(path: Path) -> None:
        hn.certify(address, playthroughs=25, checkpoint=path, **options)

    def use(path: Path, game: Any) -> None:
        hn.certify(game or address, playthroughs=31, resume=path, **options)

    return Kind(address, make, use)


def _trained(needs: str = "", **parameters: Any) -> Kind:
    """What Deep CFR goes on from: memories and networks, or tables in their place."""

    def make(path: Path) -> None:
        hn.solve(KUHN, "sd-cfr", iterations=2, checkpoint=path, **parameters)

    def use(path: Path, game: Any) -> None:
        solver: Any = hn.resume(path, game)
        if solver.iterations < 5 and max(solver.steps, solver.traversals) < 1000:
            solver.run(1)
        solver.average()

    return Kind(KUHN, make, use, needs)


def _networks(needs: str = "", method: str = "deep-cfr", **parameters: Any) -> Kind:
    def make(path: Path) -> None:
        solver: Any = method_class(method)(KUHN, **parameters)
        solver.run(1)
        hn.save(solver.policy(), path)

    return Kind(KUHN, make, _read, needs)


TABLES: dict[str, Any] = {"approximation": "table", "traversals": 10, "memory_size": 200}
NETS: dict[str, Any] = {"traversals": 5, "steps": 2, "units": 4, "layers": 1, "memory_size": 100, "batch": 16}


def _match(games: int, how: str) -> Use:
    def use(path: Path, game: Any) -> None:
        game, kept = game or KUHN, dict[str, Any]({how: path})
        hn.match(game, "uniform", hn.random_profile(game, 1), games=games, **kept)

    return use


def _journal(path: Path) -> None:
    """Leave a journal as a crash does: the checkpoint beside it is older."""
    game, checkpoint = Resolving(boxed(KUHN).box, method="cfr", every=10), path.with_name("journalled")
    game.advance(10)
    save_checkpoint(game, checkpoint, {"seconds": 0.0, "curve": [], "bounds": []})
    journal = Journal(checkpoint)
    journal.begin()
    for _ in range(4):
        record = game.next()
        journal.add(game.playthroughs + 1, record, game.add(record))
    journal.close()
    shutil.move(journal_of(checkpoint), path)


def _recounted(path: Path, game: Any) -> None:
    shutil.copy(path, journal_of(path.with_name("journalled")))
    hn.certify(game or KUHN, playthroughs=16, solve_every=10, method="cfr", checkpoint=path.with_name("later"),
               resume=path.with_name("journalled"))  # fmt: skip


def _plotted(path: Path, game: Any) -> None:
    assert read_log(path).label


KINDS = {
    "cfr": Kind(
        KUHN,
        lambda path: hn.solve(KUHN, "cfr", iterations=6, checkpoint=path),
        lambda path, game: hn.solve(game, resume=path, iterations=9),
    ),
    "cfr+": _solved(KUHN, "cfr+", start=hn.uniform(KUHN)),
    "three": _solved(THREE, "pdcfr+"),
    "einr": _solved(KUHN, "einr"),
    "lp": _solved(KUHN, "lp", 1),
    "locked": _solved(KUHN, "cfr", locks={1: {"Kb": {"b": 1}}}),
    "mccfr-tree": _solved(KUHN, "mccfr-os", seed=1),
    "mccfr-rules": _solved(KUHN, "mccfr-os", seed=1, over="rules"),
    "mccfr-plain": _solved(Split(), "mccfr-es", seed=1, over="rules"),
    "discounted": _solved(KUHN, "mccfr-os", over="rules", learner="discounted", streams=2),
    "vr-mccfr-rules": _solved("goofspiel(cards=3)", "vr-mccfr", seed=1, over="rules"),
    "bi": Kind(OPEN, _searched, _proven),
    "search": Kind(
        OPEN,
        lambda path: hn.search(OPEN, "rm", iterations=40, checkpoint=path),
        lambda path, game: hn.search(game, resume=path, iterations=60),
    ),
    "strategy": Kind(KUHN, lambda path: hn.save(hn.random_profile(KUHN, 1), path), _read),
    "correlated-play": Kind(KUHN, _correlated, _read),
    "policy": Kind(KUHN, _policy(KUHN), _read),
    "policy-plain": Kind(Split(), _policy(Split()), _read),
    "certificate": Kind(
        KUHN, lambda path: hn.certify(KUHN, playthroughs=30, solve_every=10, groups="rules").save(path), _read
    ),
    "certification": _certified(KUHN, method="cfr"),
    "regretting": _certified(KUHN, method="mccfr", groups="rules"),
    "correlated": _certified(THREE, equilibrium="cce"),
    "training": _trained(**TABLES),
    "training-torch": _trained("torch", **NETS),
    "networks": _networks(**TABLES),
    "networks-torch": _networks("torch", **NETS, policy_steps=2),
    "recurrent-torch": _networks("torch", "double-neural", **NETS),
    "branches-torch": _networks("torch", "sd-cfr", **NETS, network="branches"),
    "match": Kind(KUHN, lambda path: _match(20, "checkpoint")(path, None), _match(40, "resume")),
}
"""Files of arrays and facts."""

LINES = {
    "log": Kind(KUHN, lambda path: hn.solve(KUHN, "cfr", iterations=6, log=path), _plotted),
    "log-certified": Kind(KUHN, lambda path: hn.certify(KUHN, playthroughs=30, solve_every=10, log=path), _plotted),
    "journal": Kind(KUHN, _journal, _recounted),
}
"""Files of lines."""

ALL = KINDS | LINES


@cache
def kinds_here() -> list[str]:
    """Return the kinds that can be made and used with what is installed."""
    return sorted(name for name, kind in ALL.items() if not kind.needs or find_spec(kind.needs))


def kinds_left_out() -> list[str]:
    """Say which kinds are left out, and why."""
    return [f"no {name}: {ALL[name].needs} is not installed" for name in ALL if name not in kinds_here()]


class Files:
    """One good file of each kind, in a folder, made when it is first asked for; and the games that they are of."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts: dict[str, tuple[Any, Any]] = {}
        self._games: dict[str, Any] = {}

    def good(self, kind: str) -> Path:
        """Return the path of a file that nobody changed."""
        path = self.folder / f"good.{kind}"
        if not path.exists():
            ALL[kind].make(path)
        return path

    def game(self, kind: str) -> Any:
        """Return the game of a kind, the same one every time: most of a case's time would go into making it."""
        game = ALL[kind].game
        name = game if isinstance(game, str) else kind
        if name not in self._games:
            self._games[name] = hn.load(game)
        return self._games[name]

    def numbered(self, number: int) -> tuple[str, bytes, dict[str, Any]]:
        """Return the case of a number: of which kind, the file, and the case as the corpus has it."""
        draw = random.Random(f"files {number}")
        kind = draw.choice(kinds_here())
        if kind in SLOW and draw.random() < 2 / 3:
            kind = draw.choice([kind for kind in kinds_here() if kind not in SLOW])
        return kind, *self.case(kind, draw)

    def case(self, kind: str, draw: random.Random) -> tuple[bytes, dict[str, Any]]:
        """Return a file of a kind with something changed, and the case as the corpus has it."""
        path, given = self.good(kind), draw.random() < GIVEN
        sealed = draw.random() < 0.95
        if draw.random() < 0.1:
            changes = [damage(draw, path.stat().st_size)]
        elif kind in LINES:
            changes = drawn(draw, {}, lines_of(path))
        else:
            arrays, record = self._opened(kind)
            changes = drawn(draw, arrays, record["facts"])
        try:
            data = self.changed(kind, changes, sealed=sealed)
        except (TypeError, ValueError, OverflowError, KeyError):  # what safetensors cannot hold is no file
            changes = [damage(draw, path.stat().st_size)]
            data = self.changed(kind, changes)
        return data, {"file": kind, "changes": changes, "sealed": sealed, "given": given}

    def changed(self, kind: str, changes: list[Change], *, sealed: bool = True) -> bytes:
        """Return the good file of a kind with changes; `sealed`: with a digest that fits again."""
        if kind in LINES:
            return changed_lines(self.good(kind), changes, sealed=sealed)
        if changes[0][0] == "bytes":
            return changed(self.good(kind), changes)
        return changed_parts(*self._opened(kind), changes, sealed=sealed)

    def _opened(self, kind: str) -> tuple[Any, Any]:
        if kind not in self._parts:
            self._parts[kind] = opened(self.good(kind))
        return self._parts[kind]

    def use(self, kind: str, data: bytes, *, given: bool = False) -> str:
        """Do with a file what somebody would; return `used`, or the sentence with which it was refused.

        `given`: its game is given; else it is made from what the file says of it, where it is built in.
        """
        path = self.folder / f"case.{kind}"
        path.write_bytes(data)
        journal_of(path).unlink(missing_ok=True)
        named = isinstance(ALL[kind].game, str)
        try:
            with contextlib.chdir(self.folder):  # some files name a place to write to
                ALL[kind].use(path, None if named and not given else self.game(kind))
        except hn.HannanError as error:
            return sentence(error)
        return "used"
