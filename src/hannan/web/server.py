"""Starting the explorer: from the command line it serves until Ctrl-C, from Python it serves in the background."""

from __future__ import annotations

import os
import re
import secrets
import socket
import threading
import time
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hannan.arguments import size, text, whole
from hannan.errors import HannanError, ParameterError
from hannan.libraries import library
from hannan.web.door import Application, Door, is_loopback
from hannan.web.folder import Folder

if TYPE_CHECKING:
    from hannan.web.workspace import Workspace

WAIT = 60.0
"""The most seconds that a request waits for the interface to be imported."""
HOST = "127.0.0.1"
SHORTEST = 16
"""The length of the shortest token that a caller may give."""
_TOKEN = re.compile(rf"[A-Za-z0-9_-]{{{SHORTEST},200}}")


class Explorer:
    """A running explorer: `url` is its address with the token, `close()` ends it. A notebook shows its page."""

    def __init__(
        self,
        folder: Folder,
        *,
        host: str = HOST,
        port: int = 0,
        token: str | None = None,
        memory: int | str | None = None,
        notebook: bool = False,
    ) -> None:
        self.host, self._token = host, _token(token)
        self._socket = _bound(host, whole("port", port, 0, 65535))
        self.port: int = self._socket.getsockname()[1]
        """The port at which the server listens."""
        self._folder, self._notebook = folder, notebook
        self._memory = None if memory is None else size("memory", memory)
        self._session: Workspace | None = None
        self._app: Application | None = None
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._server: Any = None
        self._thread: threading.Thread | None = None
        self.finished = threading.Event()
        """Set once the server has ended."""

    @property
    def address(self) -> str:
        """The address without the token."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/"

    @property
    def url(self) -> str:
        """The address with the token. Anyone who knows it can use the server."""
        return f"{self.address}?token={self._token}"

    @property
    def token(self) -> str:
        """The token."""
        return self._token

    @property
    def session(self) -> Workspace:
        """The open games, strategies and runs. Access waits until the interface is imported."""
        self._ready.wait(WAIT)
        if self._session is None:
            raise HannanError(f"the explorer could not start: {self._error}")
        return self._session

    def _prepare(self, opening: Sequence[Any]) -> None:
        """Import the interface, and begin to open the given games, strategies and files."""
        try:
            from hannan.web.app import make_app
            from hannan.web.openings import open_all
            from hannan.web.workspace import Workspace

            made = Workspace(self._folder, notebook=self._notebook, memory=self._memory)
            open_all(made, opening)
            self._session, self._app = made, make_app(made)
        except BaseException as error:
            self._error = error
        finally:
            self._ready.set()

    def _interface(self) -> Application:
        """Wait until the interface is imported, and return it."""
        self._ready.wait(WAIT)
        if self._app is None:
            raise HannanError(f"the explorer could not start: {self._error}")
        return self._app

    def serve(self, opening: Sequence[Any] = ()) -> None:
        """Serve until `close` is called."""
        uvicorn = library("uvicorn")
        door = Door(self._interface, host=self.host, port=self.port, token=self._token, notebook=self._notebook)
        config = uvicorn.Config(
            door, log_level="critical", access_log=False, lifespan="off", ws="none", server_header=False,
            date_header=False, proxy_headers=False, timeout_graceful_shutdown=2, limit_concurrency=64,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        leave = self._server.handle_exit

        def leaving(number: int, frame: Any) -> None:
            """Handle Ctrl-C: end the streams first, since the server would wait for them."""
            if self._session is not None:
                self._session.events.close()
            leave(number, frame)

        self._server.handle_exit = leaving
        threading.Thread(target=self._prepare, args=(opening,), name="hannan-prepare", daemon=True).start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            if self._session is not None:
                self._session.close()
            self._socket.close()
            self.finished.set()

    def start(self, opening: Sequence[Any] = ()) -> None:
        """Serve in a thread of its own, and return once the server listens."""
        self._thread = threading.Thread(target=self.serve, args=(opening,), name="hannan-explore", daemon=True)
        self._thread.start()
        begun = time.monotonic()
        while not (self._server is not None and self._server.started):
            if not self._thread.is_alive() or time.monotonic() - begun > WAIT:
                raise HannanError("the explorer could not start its server")
            time.sleep(0.01)

    def close(self) -> None:
        """End the server; runs that are under way save their checkpoints first."""
        if self._session is not None:
            self._session.events.close()
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=WAIT)

    def __repr__(self) -> str:
        return f"Explorer({self.url})"

    def _repr_html_(self) -> str:
        """Return the page in a frame. As notebooks run at localhost, the cookie reaches the server under that name."""
        url = f"http://localhost:{self.port}/?token={self._token}" if is_loopback(self.host) else self.url
        return f'<iframe src="{escape(url)}" title="hannan" width="100%" height="720" style="border:0"></iframe>'


def _token(given: str | None) -> str:
    if given is None:
        return secrets.token_urlsafe(24)
    if not _TOKEN.fullmatch(text("token", given)):
        raise ParameterError(f"a token has at least {SHORTEST} letters, digits, - and _")
    return given


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        made = socket.socket(family, kind, protocol)
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(128)  # requests wait from now on, until the server answers them
        return made
    except (OSError, UnicodeError) as error:
        raise ParameterError(
            f"the explorer cannot listen at {host}, port {port}: {getattr(error, 'strerror', None) or error}; choose "
            "another --port, or 0 for any"
        ) from error


def check_host(host: str, token: str | None) -> str:
    """Refuse an address that other machines reach without a token; return a warning of the risk, or ""."""
    if is_loopback(host):
        return ""
    if token is None:
        raise ParameterError(
            f"--host {host} lets other machines reach the explorer: give a --token that only your users know"
        )
    return (
        f"the explorer listens at {host}: every machine that reaches this address, and knows the token, can read and "
        f"write files in the folder and start runs here. The connection is not encrypted, so that the token can be "
        "read on the way"
    )


def explore(
    *given: Any,
    folder: str | os.PathLike[str] | None = None,
    port: int = 0,
    token: str | None = None,
    memory: int | str | None = None,
) -> Explorer:
    """Show games, strategies and results in the browser: the explorer starts in the background.

    Parameters
    ----------
    given : games, strategies, results or paths
        What to show. A path is a file that hannan wrote. A game may be anything that `load` takes.
    folder : str or Path, optional
        The folder to browse. Runs are kept there. Default: the current one.
    port : int, default: 0
        The port to listen at; 0 takes any free port.
    token : str, optional
        The token that the address carries. Default: a random one.
    memory : str or int, optional
        Bytes that one run may take, such as "4GB". Default: three quarters of the memory that is free when the run
        begins.

    Returns
    -------
    Explorer
        `url` is the address to open in a browser, `close()` ends the server. A notebook shows the page itself.

    Examples
    --------
    >>> import hannan as hn
    >>> explorer = hn.explore("kuhn_poker")
    >>> explorer.url.startswith("http://127.0.0.1:")
    True
    >>> explorer.close()
    """
    library("uvicorn")
    library("fastapi")
    from hannan.web.openings import opening_of

    opening = [opening_of(one) for one in given]
    beside = [one.path for one in opening if one.path is not None]
    made = Explorer(Folder(folder or Path.cwd(), beside), port=port, token=token, memory=memory, notebook=True)
    made.start(opening)
    return made
