"""A simulator in a process of its own, in any language: JSON lines over its standard input and output.

docs/howto/simulators.md describes the protocol: one write and one read per step, and the caller may do other work
between the two. If a simulator crashes, hangs or sends an invalid answer, it is restarted, and the play is repeated up
to the same point with the same seed and the same moves. If it fails there again, the caller gets a `SimulatorError`.
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
"""Playthroughs of one profile, for any number of workers."""

TIMEOUT = 60.0
"""Seconds that a simulator may take for one answer."""

_REMEMBERED = 1 << 14
"""The number of answers that are cached unparsed."""

_LONGEST = 1 << 24
"""The largest size of one answer, in bytes."""

_MOST_SAID = 1 << 20
"""Bytes of standard error that are kept; beyond them the file is truncated to 0."""

_DEATH_SIGNAL = 1
"""Linux: PR_SET_PDEATHSIG of prctl(2), which sets the signal that a process gets when its parent dies."""

_NUDGE = 5.0
"""Seconds without a line before a warning, given once, asks whether the program flushes its output."""

_PATIENCE = 0.25
"""Seconds of waiting between two checks of standard error."""


class ProcessBox(Box):
    """A simulator that is a program: one process, which is restarted when it fails."""

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
        """Bounds on each player's utility in the whole game, if the first line of the simulator states them."""
        self._greet()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the call with which another process starts the same program, for pickle."""
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
        """Send a question; the returned function raises any error."""
        self._unsent = None
        try:
            self._send(request)
        except SimulatorError as error:
            self._unsent = error
        return partial(self._answer, request, moves)

    def _answer(self, request: bytes, moves: tuple[Any, ...] | None) -> View:
        """Return the answer to the last question.

        If no answer comes, restart the process, repeat the play up to this point, and send the question again. A
        simulator that cannot repeat itself gets no second question: another play would be another draw.
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
        """Send a new process the question that the last one did not answer."""
        try:
            if self._views:
                self._return()
            self._send(request)
            return self._received()
        except SimulatorError:
            self.close()  # any later output belongs to no question
            raise

    def _bounded(self, root: View) -> View:
        """Return the root with the bounds of the whole game, if it has no bounds of its own and the game has some."""
        if root.bounds is not None or self.whole is None:
            return root
        if (sentence := wrong_gains(root.gains, self.players)) is not None:
            raise RulesError(f"{self.command}: {sentence}")
        pairs = zip(messages.bounds(self.whole), root.gains, strict=True)
        return root._replace(bounds=[(low - gain, high - gain) for (low, high), gain in pairs])

    def _step(self, moves: tuple[Any, ...]) -> bytes:
        """Return the question that plays these moves."""
        return messages.step(moves, self._views[-1].actions if self._views else ())

    def _return(self) -> None:
        """Repeat the play in a new process up to the point at which the last process failed."""
        views, moves = self._views, self._moves
        self._send(messages.reset(self._seed))
        again = self._bounded(self._received())
        for k in range(len(views)):
            if again != views[k]:
                self.close()
                raise RulesError(
                    f"{self.command}: with the same seed, {self._seed:016x}, and the same moves it plays differently; "
                    'if the simulator cannot repeat itself, let its first line say "seeded": false'
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
        os.set_blocking(self._in, False)  # so that a simulator that does not read cannot block us forever
        self._process, self._errors, self._buffer = process, errors, b""
        self._finish = weakref.finalize(self, _end, process, errors)
        self._poll, self._room = select.poll(), select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._room.register(self._in, select.POLLOUT)
        self._owed, self._until = False, time.monotonic() + self.timeout
        hello = messages.parsed(self.command, self._line())
        players, name = hello.get("players"), hello.get("name") or f"command:{self.command}"
        if hello.get("hannan") != 1 or isinstance(players, bool) or not isinstance(players, int) or players < 1:
            self._refuse(f'its first line is {shown(hello)}; it should be like {{"hannan": 1, "players": 2}}')
        if players > MOST_PLAYERS:
            self._refuse(f"its first line names {shown(players)} players; it should be 1 to {MOST_PLAYERS}")
        whole = hello.get("bounds")
        if whole is not None and (sentence := wrong_bounds(whole, players)) is not None:
            self._refuse(f"its first line has wrong bounds of the whole game: {sentence}")
        self.players, self.name, self.seeded = players, str(name), bool(hello.get("seeded", True))
        self.whole = whole

    def _refuse(self, sentence: str) -> NoReturn:
        """End a process with an invalid first line."""
        self.close()
        raise SimulatorError(f"{self.command}: {sentence}")

    def close(self) -> None:
        """End the process."""
        if self._finish is not None:
            self._finish()
            self._finish = self._process = None
            self._owed = False

    def _send(self, request: bytes) -> None:
        """Write a question, after reading the answer to an abandoned earlier question, if any."""
        if self._process is None:
            self._greet()
        if self._owed:
            self._line()
        self._until = time.monotonic() + self.timeout
        while request:
            try:
                request = request[os.write(self._in, request) :]
            except BlockingIOError:
                self._wait(self._room, "it did not read its question")
            except OSError as error:
                raise self._died() from error
        self._owed, self._until = True, time.monotonic() + self.timeout

    def _received(self) -> View:
        """Return the answer to the question that was sent; an answer seen before is not parsed again."""
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
        """Wait for output, and read what is available."""
        self._wait(self._poll, "no answer")
        some = os.read(self._out, 1 << 16)
        if not some:
            raise self._died()
        return some

    def _wait(self, poll: select.poll, failure: str) -> None:
        """Wait until a pipe is ready, no longer than one answer may take; meanwhile keep standard error short."""
        while True:
            try:
                go_on()
            except Halted:
                self.close()  # any later output belongs to no question
                raise
            left = max(self._until - time.monotonic(), 0.0)
            ready = poll.poll(min(left, _PATIENCE) * 1e3)
            self._forget()
            if ready:
                return
            if not self._nudged and self.timeout - left >= _NUDGE:
                self._nudged = True
                warnings.warn(
                    f"{self.command}: no line yet after {_NUDGE:g} seconds; does the program flush its output?",
                    stacklevel=2,
                )
            if left == 0.0:
                raise SimulatorError(f"{self.command}: {failure} within {self.timeout:g} seconds")

    def _forget(self) -> None:
        """Truncate the file of standard error if it is too long, so that it does not fill the disk."""
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
            _kill_session(self._process.pid)  # its child processes may still run
        said = b""
        with contextlib.suppress(OSError, ValueError):
            self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(self._errors.tell() - 400, 0))
            said = self._errors.read()
        last = said.decode(errors="replace").strip().splitlines()[-1:]
        return SimulatorError(f"{self.command}: it ended (exit code {code}){': ' + last[0] if last else ''}")


def _dying_with_us() -> Callable[[], None] | None:
    """Return a function that a new process calls first, so that it is killed when this process dies (Linux only).

    On other systems, a simulator notices our end because its standard input is closed. Linux sends the signal when the
    thread that started the process ends, so only the main thread does this.
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
        if os.getppid() != parent:  # the parent has died meanwhile
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
    """Kill a process and its child processes, which are in its session."""
    if process.returncode is None:
        _kill_session(process.pid)
    process.kill()


def _kill_session(leader: int) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
