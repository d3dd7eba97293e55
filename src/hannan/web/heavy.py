"""Runs and jobs: both do their work in a process of its own."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from hannan.errors import HannanError
from hannan.web.process import JobProcess

if TYPE_CHECKING:
    from hannan.web.session import Session


class Heavy(ABC):
    """A run or a job."""

    id: str
    state: str

    def __init__(self, session: Session) -> None:
        self.session = session
        self._process: JobProcess | None = None
        self._lock = threading.RLock()

    @abstractmethod
    def job(self) -> dict[str, Any]:
        """Return the description of the work for the process. It must be possible to pickle it."""

    @abstractmethod
    def queue(self) -> None:
        """Note that this run or job waits for its turn."""

    @abstractmethod
    def hear(self, kind: str, told: Any) -> None:
        """Handle a message of the process. The last message is of kind `done`, `stopped` or `failed`."""

    @abstractmethod
    def interrupt(self) -> None:
        """End because the server ends; the work so far is saved."""

    def work(self) -> None:
        """Do the work in a process, and wait for its end."""
        try:
            process = self.session.runs.process()
            process.begin(self.job(), self.session.memory)
        except HannanError as error:
            self.hear("failed", {"kind": type(error).__name__, "error": str(error)})
            return
        except OSError as error:
            self.hear("failed", {"kind": "OSError", "error": f"the process of this job cannot be started: {error}"})
            return
        with self._lock:
            self._process = process
        self.started()
        for kind, told in process.answers():
            self.hear(kind, told)
        with self._lock:
            self._process = None

    def started(self) -> None:  # noqa: B027  # jobs have nothing to do then
        """Handle the start of the process."""

    def wish(self, **wish: Any) -> None:
        """Send a request to the process, if it runs."""
        with self._lock:
            if self._process is not None:
                self._process.wish(**wish)
