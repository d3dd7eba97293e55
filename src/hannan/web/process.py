"""The process in which heavy jobs work, as the server starts it and exchanges messages with it."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from hannan.errors import UnsuitableError
from hannan.memory import available

SHARE = 0.75
"""The share of the free memory that a job may take."""

_START = "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); import hannan.web.worker as w; w.main()"
"""The program of the process. It looks for modules in the same places as this process."""


class JobProcess:
    """A process that does jobs. It has a session of its own: Ctrl-C at the terminal does not reach it."""

    def __init__(self) -> None:
        words = [sys.executable, "-c", _START, json.dumps(sys.path)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = Connection(os.dup(self._process.stdin.fileno()), readable=False)
        self._output = Connection(os.dup(self._process.stdout.fileno()), writable=False)
        self._process.stdin.close()
        self._process.stdout.close()
        self._number = 0
        self._close = weakref.finalize(self, _close, self._input, self._output)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can do another job."""
        return self._close.alive and self._process.poll() is None

    def _send(self, message: bytes) -> None:
        with suppress(OSError):  # if the process has died, `answers` reports it
            self._input.send_bytes(message)

    def begin(self, job: dict[str, Any], memory: int | None) -> None:
        """Start a job. memory: bytes that it may take; None: SHARE of the free memory."""
        most = int(SHARE * available()) if memory is None else memory
        self._number += 1
        try:
            self._send(pickle.dumps({**job, "do": "job", "number": self._number, "memory": most}, protocol=5))
        except Exception as error:
            raise UnsuitableError(
                f"the game cannot be sent to the process that solves it ({type(error).__name__}: {error}); give it by "
                "an address, as in hannan explore file.py:Rules"
            ) from error

    def wish(self, **wish: Any) -> None:
        """Send a request about the current job."""
        self._send(pickle.dumps({**wish, "number": self._number}))

    def answers(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the messages about the job; the last one is `done`, `stopped` or `failed`."""
        kind = ""
        while kind not in ("done", "stopped", "failed"):
            try:
                kind, told = pickle.loads(self._output.recv_bytes())
            except (EOFError, OSError):
                kind, told = "failed", {"kind": "Lost", "error": self._death()}
            yield kind, told

    def _death(self) -> str:
        self._close()
        code = self._process.wait()
        if code == -signal.SIGKILL:
            return "the process of this job was killed, most likely because the machine has no memory left"
        return f"the process of this job ended with exit code {code}"

    def end(self, seconds: float = 5.0) -> None:
        """Close the pipes, so that a job saves its work, and wait at most `seconds` for the end of the process."""
        self._close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=seconds)


def _close(*connections: Connection) -> None:
    for connection in connections:
        with suppress(OSError):
            connection.close()
