"""A simulator in a process of its own, in any language: JSON lines over its standard input and output.

docs/simulators.md is the protocol. A simulator that crashes, hangs or babbles is started again, and the play is brought
back to where it was with the same seed and the same moves; when it fails there once more, whoever plays is told.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import subprocess
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from hannan.errors import ParameterError, RulesError
from hannan.rules.box import FAILED, Box, Child, Draw, SimulatorError, View

BATCH = 64
"""Playthroughs under one profile, however many processes play them."""

TIMEOUT = 60.0
"""Seconds that a simulator may take for one answer."""

_KEYS = {"gains", "bounds", "movers", "actions", "observations", "draw", "children"}
_REMEMBERED = 1 << 14
"""Answers that are remembered as they came."""

_MASK = (1 << 64) - 1
_LONGEST = 1 << 24
"""Bytes of one answer."""


class Simulator(Box):
    """One process."""

    def __init__(self, command: str, timeout: float = TIMEOUT) -> None:
        self.command, self.timeout = command, timeout
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise ParameterError(f"command:{command}: {error}") from error
        if not self._words:
            raise ParameterError("command: say which program to run, as in command:./sim --flag")
        self._process: subprocess.Popen[bytes] | None = None
        self._finish: Any = None
        self._buffer = b""
        self._began = 0
        self._seed, self._moves = 0, list[tuple[Any, ...]]()
        self._views: list[View] = []
        self._known: dict[bytes, View] = {}
        self.whole: Any = None
        """What each player gains at least and at most in the whole game, where the simulator says it at the start."""
        self._greet()

    @property
    def restarts(self) -> int:
        return max(self._began - 1, 0)

    def reset(self, seed: int) -> View:
        self._seed, self._moves, self._views = seed, [], []
        view = self._twice(lambda: self._root(seed), lambda: None)
        self._views.append(view)
        return view

    def step(self, moves: tuple[Any, ...]) -> View:
        request = self._step(moves)
        view = self._twice(lambda: self._asked(request), self._return)
        self._moves.append(moves)
        self._views.append(view)
        return view

    def _twice(self, ask: Callable[[], View], bring_back: Callable[[], None]) -> View:
        """Ask; where there is no answer, start the process again, bring it back to this place, and ask once more.

        A simulator that cannot repeat itself is not asked again: another play would be another draw.
        """
        try:
            return ask()
        except SimulatorError:
            self.stop()
            if not self.seeded:
                raise
        try:
            bring_back()
            return ask()
        except SimulatorError:
            self.stop()  # what it may still say belongs to no question
            raise

    def _root(self, seed: int) -> View:
        """Ask for the root; without bounds of its own it gets those of the whole game, where there are any."""
        view = self._asked(f'{{"reset": "{seed & _MASK:016x}"}}\n')
        if view.bounds is None and self.whole is not None:
            pairs = zip(_bounds(self.whole), view.gains, strict=True)
            view = view._replace(bounds=[(low - gain, high - gain) for (low, high), gain in pairs])
        return view

    def _step(self, moves: tuple[Any, ...]) -> str:
        """Return the question that goes on by these moves: their places in the lists of actions."""
        menus = self._views[-1].actions if self._views else ()
        places = [str(menu.index(move)) for menu, move in zip(menus, moves, strict=bool(moves))]
        return f'{{"step": [{", ".join(places)}]}}\n'

    def _return(self) -> None:
        """Bring the play of a new process to where the last one failed."""
        views, moves = self._views, self._moves
        again = self._root(self._seed)
        for k in range(len(views)):
            if again != views[k]:
                self.stop()
                raise RulesError(
                    f"{self.command}: with the same seed, {self._seed:016x}, and the same moves it plays otherwise; "
                    'a simulator that cannot repeat itself says "seeded": false'
                )
            if k < len(moves):
                self._views = views[: k + 1]
                again = self._asked(self._step(moves[k]))
        self._views = views

    def _greet(self) -> None:
        """Start the process and read its first line."""
        self.stop()
        self._began += 1
        errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the process
        try:
            process = subprocess.Popen(
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
            )
        except OSError as error:
            raise SimulatorError(f"{self.command}: cannot be run: {error.strerror}") from error
        self._process, self._errors, self._buffer = process, errors, b""
        self._finish = weakref.finalize(self, _end, process, errors)
        hello = self._object(self._line())
        players, name = hello.get("players"), hello.get("name", "")
        if hello.get("hannan") != 1 or isinstance(players, bool) or not isinstance(players, int) or players < 1:
            self.stop()
            raise SimulatorError(
                f'{self.command}: its first line should be like {{"hannan": 1, "players": 2}}, and is {hello!r:.120}'
            )
        self.players, self.name, self.seeded = players, str(name), bool(hello.get("seeded", True))
        self.whole = hello.get("bounds")

    def stop(self) -> None:
        """End the process."""
        if self._finish is not None:
            self._finish()
            self._finish = self._process = None

    def _asked(self, request: str) -> View:
        """Ask, and return the answer; answers that came before are not taken apart again."""
        if self._process is None:
            self._greet()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            os.write(self._process.stdin.fileno(), request.encode())
        except OSError as error:
            raise self._died() from error
        line = self._line()
        view = self._known.get(line)
        if view is None:
            view = self._view(self._object(line))
            if len(self._known) < _REMEMBERED:
                self._known[line] = view
        return view

    def _line(self) -> bytes:
        """Read one line."""
        assert self._process is not None
        assert self._process.stdout is not None
        place, until = self._process.stdout.fileno(), time.monotonic() + self.timeout
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([place], [], [], max(until - time.monotonic(), 0.0))
            if not ready:
                raise SimulatorError(f"{self.command}: no answer within {self.timeout:g} seconds")
            some = os.read(place, 1 << 16)
            if not some:
                raise self._died()
            self._buffer += some
            if len(self._buffer) > _LONGEST:
                raise SimulatorError(f"{self.command}: an answer of more than {_LONGEST:,} bytes")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _object(self, line: bytes) -> dict[str, Any]:
        """Return what a line says, which must be a JSON object."""
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise SimulatorError(f"{self.command}: {line!r:.120} is not JSON") from error
        if not isinstance(answer, dict):
            raise SimulatorError(f"{self.command}: {answer!r:.120} is not an object")
        return answer

    def _died(self) -> SimulatorError:
        assert self._process is not None
        try:
            code: Any = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            code = "none yet"
        said = b""
        with contextlib.suppress(OSError, ValueError):
            self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(self._errors.tell() - 400, 0))
            said = self._errors.read()
        last = said.decode(errors="replace").strip().splitlines()[-1:]
        return SimulatorError(f"{self.command}: it ended (exit code {code}){': ' + last[0] if last else ''}")

    def _view(self, answer: dict[str, Any]) -> View:
        """Return an answer as a view; lists become tuples, and chance gets one more outcome: no answer."""
        unknown = answer.keys() - _KEYS
        if unknown or "gains" not in answer:
            wrong = f"the key {min(unknown)!r} is not known" if unknown else "there are no gains"
            raise SimulatorError(f"{self.command}: {wrong}: {answer!r:.160}")
        try:
            bounds = answer.get("bounds")
            children = answer.get("children")
            view = View(
                list(answer["gains"]),
                None if bounds is None else _bounds(bounds),
                tuple(answer.get("movers", ())),
                [_hashable(menu) for menu in answer.get("actions", ())],
                [_hashable(seen) for seen in answer.get("observations", ())],
                None if answer.get("draw") is None else _draw(answer["draw"]),
                None if children is None else [Child(child["gains"], _bounds(child["bounds"])) for child in children],
            )
            drawn = view.draw
            if drawn is not None and view.children is not None:
                view = view._replace(children=_with_failure(view))
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise SimulatorError(f"{self.command}: {answer!r:.160} is not a view ({error})") from error
        return view


def _bounds(bounds: Any) -> list[tuple[float, float]]:
    return [(low, high) for low, high in bounds]


def _hashable(thing: Any) -> Any:
    if isinstance(thing, list):
        return tuple(_hashable(part) for part in thing)
    if isinstance(thing, dict):
        raise ValueError("an object cannot be an action or an observation; take a list, a number or a text")
    return thing


def _draw(told: dict[str, Any]) -> Draw:
    """Return a move of chance with one more outcome, for a simulator that fails."""
    outcomes, most, odds = told.get("outcomes"), told.get("most"), told.get("odds")
    return Draw(
        _hashable(told["outcome"]),
        None if outcomes is None else [*_hashable(outcomes), FAILED],
        most + 1 if isinstance(most, int) else most,
        _hashable(told.get("group")),
        None if odds is None else [*odds, 0.0],
    )


def _with_failure(view: View) -> Sequence[Child] | None:
    """Return what is told of children with one more for no answer; nothing where no bounds say what it is worth."""
    if view.bounds is None or view.children is None:
        return None
    return [*view.children, Child([0.0] * len(view.gains), view.bounds)]


def _end(process: subprocess.Popen[bytes], errors: Any) -> None:
    process.kill()
    for stream in (process.stdin, process.stdout, errors):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()
    process.wait()


class ProcessBox(Box):
    """A simulator, in as many processes as are wanted."""

    batch = BATCH

    def __init__(self, command: str, processes: int = 1, timeout: float = TIMEOUT) -> None:
        self.command = command
        self._simulators = [Simulator(command, timeout)]
        first = self._simulators[0]
        self.players, self.name, self.seeded = first.players, first.name or f"command:{command}", first.seeded
        self.whole = first.whole
        self.run(processes, timeout)

    def run(self, processes: int, timeout: float = TIMEOUT) -> None:
        """Play with so many processes from now on, each of which may take so many seconds for an answer."""
        for simulator in self._simulators:
            simulator.timeout = timeout
        while len(self._simulators) < processes:
            self._simulators.append(Simulator(self.command, timeout))
        for simulator in self._simulators[processes:]:
            simulator.stop()
        del self._simulators[processes:]

    def workers(self) -> Sequence[Box]:
        return self._simulators

    @property
    def restarts(self) -> int:
        return sum(simulator.restarts for simulator in self._simulators)

    def reset(self, seed: int) -> View:
        return self._simulators[0].reset(seed)

    def step(self, moves: tuple[Any, ...]) -> View:
        return self._simulators[0].step(moves)

    def close(self) -> None:
        """End all processes."""
        for simulator in self._simulators:
            simulator.stop()
