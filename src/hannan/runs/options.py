"""Options that several runs take, declared once."""

from __future__ import annotations

from typing import Annotated, TypedDict

from hannan.arguments import TRUST, Option
from hannan.forms.trust import Trust
from hannan.runs.run import EVERY, PathTo
from hannan.runs.status_line import Watcher


class SavedOptions(TypedDict, total=False):
    """The options of checkpoints, progress and trust."""

    checkpoint: Annotated[PathTo | None, Option("Save the whole state to this file from time to time, and at the end.")]
    every: Annotated[float, Option("Seconds between two checkpoints.", EVERY)]
    resume: Annotated[
        PathTo | None, Option("Continue from this checkpoint, to the same bits as a run that was never stopped.")
    ]
    progress: Annotated[
        bool | Watcher | None,
        Option("True shows a line on a terminal. A function is called with a `Progress`.", python_only=True),
    ]
    trust: Annotated[Trust, TRUST]


class LoggedOptions(SavedOptions, total=False):
    """The options of checkpoints, progress, trust and logs."""

    log: Annotated[
        PathTo | None,
        Option("Write each measurement to this file as it is made, one JSON object per line. `hannan plot` draws it."),
    ]
