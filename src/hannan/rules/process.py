"""A simulator in a process of its own, in any language: JSON lines over its standard input and output.

docs/howto/simulators.md is the protocol: one write and one read for each step, and whoever plays may do something else
in between. A simulator that crashes, hangs or babbles is started again, and the play is brought back to where it
was with the same seed and the same moves; when it fails there once more, whoever plays is told.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from hannan.arguments import positive, shown, text
from hannan.errors import ParameterError, RulesError
from hannan.interrupts import Halted, go_on
from hannan.rules import messages
from hannan.rules.bounds import wrong_bounds
from hannan.rules.box import Answer, Box, SimulatorError, View
from hannan.rules.plain import MOST_PLAYERS
from hannan.rules.promises import wrong_gains

BATCH = 64
"""Playthroughs under one profile, however many workers play them."""

TIMEOUT = 60.0
"""Seconds that a simulator may take for one answer."""

_REMEMBERED = 1 << 14
"""Answers that are remembered as they came."""

_LONGEST = 1 << 24
"""Bytes of one answer."""

_MOST_SAID = 1 << 20
"""Bytes on standard error that are kept; then they begin anew."""

_DEATH_SIGNAL = 1
"""Linux: PR_SET_PDEATHSIG of prctl(2), the signal that a process gets when its parent dies."""

_NUDGE = 5.0
"""Seconds without a line after which people are asked, once, whether the program flushes what it writes."""

_PATIENCE = 0.25
"""Seconds of waiting between two looks at standard error."""


class ProcessBox(Box):
    """A simulator that is a program: one process, which is started again when it fails."""

    batch = BATCH

    def __init__(self, command: str, timeout: float = TIMEOUT) -> None:
        try:
            written = "\0" not in text("command", command) and os.fsencode(command) != b""
        except UnicodeEncodeError:
            written = False
        if not written:
            raise ParameterError("command: say which program to run, as in command:./sim --flag")
        self.command, self.timeout = command, positive("timeout", timeout)
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
        self._owed, self._until = False, 0.0
        self._unsent: SimulatorError | None = None
        self._nudged = False
        self._trouble = ""
        self._plays = 0
        self._seed, self._moves = 0, list[tuple[Any, ...]]()
        self._views: list[View] = []
        self._known: dict[bytes, View] = {}
        self.whole: Any = None
        """What each player gains at least and at most in the whole game, where the simulator says it at the start."""
        self._greet()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how another process starts the same program."""
        return ProcessBox, (self.command, self.timeout)

    @property
    def restarts(self) -> int:
        return max(self._began - 1, 0)

    @property
    def trouble(self) -> str:
        return self._trouble

    @property
    def play_number(self) -> int:
        return self._plays

    def reset(self, seed: int) -> View:
        return self.reset_later(seed)()

    def step(self, moves: tuple[Any, ...]) -> View:
        return self.step_later(moves)()

    def reset_later(self, seed: int) -> Answer:
        self._seed, self._moves, self._views = seed, [], []
        self._plays += 1
        return self._question(messages.reset(seed), None)

    def step_later(self, moves: tuple[Any, ...]) -> Answer:
        return self._question(self._step(moves), moves)

    def _question(self, request: bytes, moves: tuple[Any, ...] | None) -> Answer:
        """Put a question; what goes wrong is said by the answer."""
        self._unsent = None
        try:
            self._send(request)
        except SimulatorError as error:
            self._unsent = error
        return partial(self._answer, request, moves)

    def _answer(self, request: bytes, moves: tuple[Any, ...] | None) -> View:
        """Return the answer to the last question.

        Where there is none, start the process again, bring it back to this place, and ask once more. A simulator that
        cannot repeat itself is not asked again: another play would be another draw.
        """
        try:
            if self._unsent is not None:
                raise self._unsent
            view = self._received()
        except SimulatorError as error:
            self._trouble = str(error).removeprefix(f"{self.command}: ")
            self.close()
            if not self.seeded:
                raise
            view = self._again(request)
        if moves is None:
            view = self._bounded(view)
        else:
            self._moves.append(moves)
        self._views.append(view)
        return view

    def _again(self, request: bytes) -> View:
        """Ask a new process what the last one has not answered."""
        try:
            if self._views:
                self._return()
            self._send(request)
            return self._received()
        except SimulatorError:
            self.close()  # what it may still say belongs to no question
            raise

    def _bounded(self, root: View) -> View:
        """Give a root without bounds of its own those of the whole game, where there are any."""
        if root.bounds is not None or self.whole is None:
            return root
        if (sentence := wrong_gains(root.gains, self.players)) is not None:
            raise RulesError(f"{self.command}: {sentence}")
        pairs = zip(messages.bounds(self.whole), root.gains, strict=True)
        return root._replace(bounds=[(low - gain, high - gain) for (low, high), gain in pairs])

    def _step(self, moves: tuple[Any, ...]) -> bytes:
        """Return the question that goes on by these moves."""
        return messages.step(moves, self._views[-1].actions if self._views else ())

    def _return(self) -> None:
        """Bring the play of a new process to where the last one failed."""
        views, moves = self._views, self._moves
        self._send(messages.reset(self._seed))
        again = self._bounded(self._received())
        for k in range(len(views)):
            if again != views[k]:
                self.close()
                raise RulesError(
                    f"{self.command}: with the same seed, {self._seed:016x}, and the same moves it plays otherwise; "
                    'a simulator that cannot repeat itself says "seeded": false'
                )
            if k < len(moves):
                self._views = views[: k + 1]
                self._send(self._step(moves[k]))
                again = self._received()
        self._views = views

    def _greet(self) -> None:
        """Start the process and read its first line."""
        self.close()
        self._began += 1
        try:
            errors = tempfile.TemporaryFile("a+b")  # noqa: SIM115  # closed with the process
            process = subprocess.Popen(
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
                preexec_fn=_dying_with_us(),
            )  # fmt: skip
        except OSError as error:
            raise SimulatorError(f"{self.command}: cannot be run: {error.strerror}") from error
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(self._in, False)  # a simulator that does not read is not waited for without end
        self._process, self._errors, self._buffer = process, errors, b""
        self._finish = weakref.finalize(self, _end, process, errors)
        self._poll, self._room = select.poll(), select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._room.register(self._in, select.POLLOUT)
        self._owed, self._until = False, time.monotonic() + self.timeout
        hello = messages.parsed(self.command, self._line())
        players, name = hello.get("players"), hello.get("name") or f"command:{self.command}"
        if hello.get("hannan") != 1 or isinstance(players, bool) or not isinstance(players, int) or players < 1:
            self._refuse(f'its first line should be like {{"hannan": 1, "players": 2}}, and is {shown(hello)}')
        if players > MOST_PLAYERS:
            self._refuse(f"its first line names {shown(players)} players; it should be 1 to {MOST_PLAYERS}")
        whole = hello.get("bounds")
        if whole is not None and (sentence := wrong_bounds(whole, players)) is not None:
            self._refuse(f"its first line bounds the whole game, and {sentence}")
        self.players, self.name, self.seeded = players, str(name), bool(hello.get("seeded", True))
        self.whole = whole

    def _refuse(self, sentence: str) -> NoReturn:
        """End a process whose first line makes no sense."""
        self.close()
        raise SimulatorError(f"{self.command}: {sentence}")

    def close(self) -> None:
        """End the process."""
        if self._finish is not None:
            self._finish()
            self._finish = self._process = None
            self._owed = False

    def _send(self, request: bytes) -> None:
        """Write a question, once there is nothing more to come for questions that nobody asks any more."""
        if self._process is None:
            self._greet()
        if self._owed:
            self._line()
        self._until = time.monotonic() + self.timeout
        while request:
            try:
                request = request[os.write(self._in, request) :]
            except BlockingIOError:
                self._wait(self._room, "it does not read what it is asked")
            except OSError as error:
                raise self._died() from error
        self._owed, self._until = True, time.monotonic() + self.timeout

    def _received(self) -> View:
        """Return the answer to what was sent; answers that came before are not taken apart again."""
        if not self._buffer:
            self._buffer = self._some()
        view = self._known.get(self._buffer)
        if view is not None:
            self._buffer, self._owed = b"", False
            return view
        line = self._line()
        view = messages.view(self.command, line)
        if len(self._known) < _REMEMBERED:
            self._known[line + b"\n"] = view
        return view

    def _line(self) -> bytes:
        """Read one line."""
        while b"\n" not in self._buffer:
            self._buffer += self._some()
            if len(self._buffer) > _LONGEST:
                raise SimulatorError(f"{self.command}: an answer of more than {_LONGEST:,} bytes")
        line, _, self._buffer = self._buffer.partition(b"\n")
        self._owed = False
        return line

    def _some(self) -> bytes:
        """Read what is there, once there is something."""
        self._wait(self._poll, "no answer")
        some = os.read(self._out, 1 << 16)
        if not some:
            raise self._died()
        return some

    def _wait(self, poll: select.poll, failure: str) -> None:
        """Wait until a pipe is ready, no longer than one answer may take; what is said meanwhile stays short."""
        while True:
            try:
                go_on()
            except Halted:
                self.close()  # what it may still say belongs to no question
                raise
            left = max(self._until - time.monotonic(), 0.0)
            ready = poll.poll(min(left, _PATIENCE) * 1e3)
            self._forget()
            if ready:
                return
            if not self._nudged and self.timeout - left >= _NUDGE:
                self._nudged = True
                warnings.warn(
                    f"{self.command}: no line yet after {_NUDGE:g} seconds; does the program flush what it writes?",
                    stacklevel=2,
                )
            if left == 0.0:
                raise SimulatorError(f"{self.command}: {failure} within {self.timeout:g} seconds")

    def _forget(self) -> None:
        """Let what a simulator writes to standard error not fill the disk."""
        with contextlib.suppress(OSError, ValueError):
            if os.fstat(self._errors.fileno()).st_size > _MOST_SAID:
                os.truncate(self._errors.fileno(), 0)

    def _died(self) -> SimulatorError:
        assert self._process is not None
        try:
            code: Any = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            code = "none yet"
        else:
            _kill_session(self._process.pid)  # what it has started may live on
        said = b""
        with contextlib.suppress(OSError, ValueError):
            self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(self._errors.tell() - 400, 0))
            said = self._errors.read()
        last = said.decode(errors="replace").strip().splitlines()[-1:]
        return SimulatorError(f"{self.command}: it ended (exit code {code}){': ' + last[0] if last else ''}")


def _dying_with_us() -> Callable[[], None] | None:
    """Return what a new process calls before anything else: it is killed when we are (Linux).

    Elsewhere a simulator learns of our end by its standard input, which is closed. Linux takes the end of the thread
    that started a process for that of its parent, so only the main thread does this.
    """
    if not sys.platform.startswith("linux") or threading.current_thread() is not threading.main_thread():
        return None
    try:
        control = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    parent = os.getpid()

    def dying() -> None:
        control(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # which has died meanwhile
            os._exit(1)

    return dying


def _end(process: subprocess.Popen[bytes], errors: Any) -> None:
    _kill(process)
    for stream in (process.stdin, process.stdout, errors):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()
    process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and whatever it has started, which is in its session."""
    if process.returncode is None:
        _kill_session(process.pid)
    process.kill()


def _kill_session(leader: int) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
