"""The check of a certificate or of a file of equilibria, in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hannan.web.heavy import Heavy
from hannan.web.numbers import plain
from hannan.web.refusals import StateError

if TYPE_CHECKING:
    from hannan.web.session import Session


class Verification(Heavy):
    """One check."""

    def __init__(self, session: Session, file: str, path: Path, level: str, game: Any) -> None:
        """game: what `load` takes; None: the game that the file names, if it is built in."""
        super().__init__(session)
        self.id, self.file, self.path, self.level, self.game = session.number("j"), file, path, level, game
        self.state = "queued"
        self.error: str | None = None
        self.result: dict[str, Any] | None = None

    def queue(self) -> None:
        self._become("queued")

    def job(self) -> dict[str, Any]:
        self._become("running")
        return {"kind": "verify", "path": str(self.path), "level": self.level, "game": self.game}

    def interrupt(self) -> None:
        self.wish(do="stop")

    def stop(self) -> None:
        """Stop the check."""
        if self.state not in ("queued", "running"):
            raise StateError(f"the check of {self.file} is {self.state} already")
        if self.session.runs.withdraw(self):
            self._become("stopped")
        else:
            self.wish(do="stop")

    def hear(self, kind: str, told: Any) -> None:
        if kind == "done":
            self.result = plain(told["result"])
            self.result["file"] = self.file
            self.result["text"] = str(self.result["text"]).replace(str(self.path), self.file)
            self._become("finished")
        elif kind == "stopped":
            self._become("stopped")
        elif kind == "failed":
            self.error = str(told["error"]).replace(str(self.path), self.file)
            self._become("failed")

    def _become(self, state: str) -> None:
        self.state = state
        self.session.events.tell("job", self.record())

    def record(self) -> dict[str, Any]:
        """Return the record of the job for the interface."""
        return {
            "id": self.id, "kind": "verify", "file": self.file, "level": self.level, "state": self.state,
            "error": self.error, "result": self.result,
        }  # fmt: skip
