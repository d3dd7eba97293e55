"""What works in a process of its own: a run or a job, and the words for its state."""

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
        """Return what the process is told to do; pickle must take it."""

    @abstractmethod
    def queue(self) -> None:
        """Note that it waits for its turn."""

    @abstractmethod
    def hear(self, kind: str, told: Any) -> None:
        """Take notice of what the process tells; the last kind is `done`, `stopped` or `failed`."""

    @abstractmethod
    def interrupt(self) -> None:
        """End because the server ends: what is done so far is saved."""

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

    def started(self) -> None:  # noqa: B027  # most have nothing to do then
        """Take notice that the process runs."""

    def wish(self, **wish: Any) -> None:
        """Tell the process what is wanted of it, if it runs."""
        with self._lock:
            if self._process is not None:
                self._process.wish(**wish)
