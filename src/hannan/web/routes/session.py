"""Routes of the session: its events, games, files and strategies."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import StreamingResponse

from hannan import __version__
from hannan.errors import ParameterError
from hannan.web import choices
from hannan.web.opened import evaluation_record
from hannan.web.refusals import ForbiddenError
from hannan.web.routes import Id, Limit, Offset
from hannan.web.shapes import session as shapes
from hannan.web.shapes.bodies import GameBody, SaveBody, StrategyBody
from hannan.web.shapes.common import Page, Saved
from hannan.web.shapes.strategies import Evaluation
from hannan.web.workspace import Workspace

SEARCH = Query(max_length=200)


def routes(session: Workspace) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["session"])

    @router.get("/session", response_model=shapes.Session)
    def get_session() -> Any:
        """Return everything that is open."""
        last = session.events.last
        return {
            "version": __version__, "api": 1, "folder": session.folder.name, "writable": session.folder.writable,
            "notebook": session.notebook, "games": [one.record() for one in list(session.games.values())],
            "strategies": [one.record() for one in list(session.strategies.values())],
            "runs": [one.record() for one in session.runs.all()],
            "jobs": [one.record() for one in list(session.runs.jobs.values())],
            "tables": [one.record() for one in session.tables.all()], "last_event": last,
        }  # fmt: skip

    @router.get("/events", response_class=StreamingResponse)
    async def get_events(
        after: Annotated[int | None, Query(ge=0, le=2**53)] = None,
        last_event_id: Annotated[str | None, Header(max_length=20)] = None,
    ) -> Any:
        """Stream the events of the session, as server-sent events."""
        given = last_event_id if last_event_id is not None and last_event_id.isdecimal() else None
        stream = session.events.stream(int(given) if given is not None else after)
        return StreamingResponse(stream, media_type="text/event-stream")

    @router.get("/catalogue", response_model=Page[shapes.CatalogueEntry])
    def get_catalogue(search: Annotated[str, SEARCH] = "", offset: Offset = 0, limit: Limit = 100) -> Any:
        """List the built-in games."""
        words = search.lower().split()
        texts = [(f"{one['name']} {one['summary']}".lower(), one) for one in choices.catalogue()]
        found = [one for text, one in texts if all(word in text for word in words)]
        return {"total": len(found), "offset": offset, "limit": limit, "items": found[offset : offset + limit]}

    @router.post("/games", response_model=shapes.Game, status_code=201)
    def post_game(body: GameBody, response: Response) -> Any:
        """Open a built-in game, or a Gambit file of the folder."""
        if (body.address is None) == (body.file is None):
            raise ParameterError("give either the address of a built-in game or a file of the folder, not both")
        if body.address is not None:
            opened, new = session.open_built_in(body.address)
        else:
            assert body.file is not None
            path = session.folder.path(body.file)
            if path.suffix not in (".efg", ".nfg"):
                raise ForbiddenError(f"{body.file} is not a Gambit file: open other games from the command line")
            known = next((one for one in session.games.values() if one.given == str(path)), None)
            opened, new = (session.open_game(str(path), body.file), True) if known is None else (known, False)
        response.status_code = 201 if new else 200
        return opened.record()

    @router.get("/games/{game}", response_model=shapes.Game)
    def get_game(game: Id) -> Any:
        """Return a game."""
        return session.game(game).record()

    @router.delete("/games/{game}", status_code=204)
    def delete_game(game: Id) -> None:
        """Close a game."""
        session.close_game(game)

    @router.get("/files", response_model=shapes.Files)
    def get_files(
        kind: Annotated[str | None, Query(max_length=40)] = None, search: Annotated[str, SEARCH] = "",
        offset: Offset = 0, limit: Limit = 100,
    ) -> Any:  # fmt: skip
        """List the files of the folder."""
        every = session.folder.files()
        found = [one for one in every if kind in (None, one.kind) and search.lower() in one.file.lower()]
        items = [one.record() for one in found[offset : offset + limit]]
        kinds = dict(Counter(one.kind for one in every))
        return {"total": len(found), "offset": offset, "limit": limit, "items": items, "kinds": kinds}

    @router.post("/strategies", response_model=shapes.Strategy, status_code=201)
    def post_strategy(body: StrategyBody) -> Any:
        """Open a strategy: uniform play, or a file."""
        game = None if body.game is None else session.game(body.game)
        if body.file is not None and body.source is None:
            return session.open_file(body.file, game).record()
        if body.file is None and game is not None:
            return session.uniform(game).record()
        raise ParameterError("give a file, or a game and the source uniform")

    @router.get("/strategies/{strategy}", response_model=shapes.Strategy)
    def get_strategy(strategy: Id) -> Any:
        """Return a strategy."""
        return session.strategy(strategy).record()

    @router.get("/strategies/{strategy}/evaluation", response_model=Evaluation)
    def get_evaluation(strategy: Id) -> Any:
        """Return the values of a strategy, and the gains of best responses."""
        return evaluation_record(session.evaluation(session.strategy(strategy)))

    @router.post("/strategies/{strategy}/save", response_model=Saved, status_code=201)
    def save_strategy(strategy: Id, body: SaveBody) -> Any:
        """Write a strategy to the folder."""
        opened = session.strategy(strategy)
        given = opened.loaded()
        path = session.folder.target(body.name, body.replace)
        given.save(path)
        session.events.tell("files", {})
        return {"file": session.folder.named(path)}

    @router.delete("/strategies/{strategy}", status_code=204)
    def delete_strategy(strategy: Id) -> None:
        """Close a strategy."""
        session.close_strategy(strategy)

    return router
