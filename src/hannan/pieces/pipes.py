"""A child process with two pipes: messages go to its standard input, answers come from its standard output.

A message is `(kind, payload)`. Both sides trust each other, because one has started the other.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import IO, Any

Message = tuple[str, bytes]

_START = "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); import {0} as m; m.main()"
"""The program of a child; it looks for modules in the same folders as this process."""


class Child:
    """A fresh process, which inherits neither threads nor locks of this process."""

    def __init__(self, module: str, folders: Sequence[str] = (), errors: IO[bytes] | None = None) -> None:
        """Start the `main` of a module. `errors` takes its standard error; None: that of this process."""
        words = [sys.executable, "-c", _START.format(module), json.dumps([*folders, *sys.path])]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input = Connection(os.dup(self.process.stdin.fileno()), readable=False)
        self.output = Connection(os.dup(self.process.stdout.fileno()), writable=False)
        self.process.stdin.close()
        self.process.stdout.close()
        self.end = weakref.finalize(self, _end, self.process, self.input, self.output)

    def send(self, kind: str, payload: bytes = b"") -> None:
        """Send a message; if the child has died, reading its output raises the error."""
        with suppress(OSError):
            self.input.send_bytes(pickle.dumps((kind, payload), protocol=5))

    def death(self) -> str:
        """Wait for the end of the process, whose output has ended; return how it ended."""
        code = self.process.wait()
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"


def _end(process: subprocess.Popen[bytes], *connections: Connection) -> None:
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for connection in connections:
        connection.close()


class Parent:
    """The other end of the pipes, in the child: messages of the parent, and answers to it."""

    def __init__(self) -> None:
        """Take over the standard streams. The child ends when its standard input ends, even during its work."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
        source, self._answers = Connection(os.dup(0), writable=False), Connection(os.dup(1), readable=False)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)  # printed text must not mix with the answers
        self.messages: SimpleQueue[Message] = SimpleQueue()
        threading.Thread(target=self._read, args=(source,), daemon=True).start()

    def _read(self, source: Connection) -> None:
        """Read messages from the pipe as they arrive, so that the sender does not wait."""
        try:
            while True:
                self.messages.put(pickle.loads(source.recv_bytes()))
        except (EOFError, OSError):
            os._exit(0)

    def answer(self, answer: Any) -> None:
        """Send an answer."""
        self._answers.send_bytes(pickle.dumps(answer, protocol=5))
