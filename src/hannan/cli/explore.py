"""The command `hannan explore`: the page in the browser.

It imports little before it serves: the page is shown while the rest is imported.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from hannan.interrupts import Terminated
from hannan.web.folder import Folder
from hannan.web.openings import Opening, opening_of
from hannan.web.server import HOST, Explorer, check_host


def explore(
    *given: str,
    folder: Path | None = None,
    port: int = 0,
    host: str = HOST,
    token: str | None = None,
    memory: str | None = None,
    browser: Annotated[bool, Parameter(name="--browser", negative="--no-browser")] = True,
) -> None:
    """Show games, strategies, runs and proofs in the browser, and solve and play there.

    The command prints the address of the page, with a token that only this address carries, and serves until Ctrl-C.

    Parameters
    ----------
    given
        Games by address, and files that hannan wrote: strategies, checkpoints, logs, matches, certificates,
        equilibria. A folder is the same as --folder.
    folder
        The folder to browse. Runs are kept there, in hannan-runs, and continue after a restart. Default: the folder of
        the first file, else the current folder.
    port
        The port to listen at. Default: any free port.
    host
        The address to listen at. An address other than 127.0.0.1 lets other machines reach the page, and needs --token.
    token
        The token that the address carries: 16 or more letters and digits. Default: a random one.
    memory
        Memory that one run may take, such as 4GB. Default: three quarters of the memory that is free when it begins.
    browser
        Open the page in the browser.
    """
    risk = check_host(host, token)
    words = list(given)
    if folder is None:
        folders = [word for word in words if Path(word).is_dir()]
        words = [word for word in words if word not in folders[:1]]
        folder = Path(folders[0]) if folders else None
    openings: list[Opening] = [opening_of(word) for word in words]
    files = [one.path for one in openings if one.path is not None]
    if folder is None:
        folder = files[0].resolve().parent if files else Path.cwd()
    explorer = Explorer(Folder(folder, files), host=host, port=port, token=token, memory=memory)
    if risk:
        print(f"hannan: {risk}", file=sys.stderr)
    print(f"The explorer is at {explorer.url}", flush=True)
    print("Ctrl-C ends it; runs keep their checkpoints.", file=sys.stderr, flush=True)
    if browser:
        _show(explorer.url)
    with suppress(KeyboardInterrupt, Terminated):
        explorer.serve(openings)


def _show(url: str) -> None:
    """Open the page in the browser, if there is one."""
    import webbrowser
    from threading import Timer

    def opened() -> None:
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(url)

    Timer(0.2, opened).start()
