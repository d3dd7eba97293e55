"""A session with its runs, jobs and tables."""

from __future__ import annotations

from hannan.web.folder import Folder
from hannan.web.runs import Runs
from hannan.web.session import Session
from hannan.web.tables import Tables


class Workspace(Session):
    """A session with its runs and tables: all objects that the interface works on."""

    runs: Runs
    tables: Tables

    def __init__(self, folder: Folder, *, notebook: bool = False, memory: int | None = None) -> None:
        super().__init__(folder, notebook=notebook, memory=memory)
        self.tables = Tables(self)
        self.runs = Runs(self)
