"""Routes of tables at which a person plays."""

from __future__ import annotations

import secrets
from typing import Any

from fastapi import APIRouter

from hannan import arguments
from hannan.errors import MismatchError
from hannan.web.routes import Id, Limit, Offset
from hannan.web.shapes.bodies import ActBody, TableBody
from hannan.web.shapes.common import Page
from hannan.web.shapes.session import Hint, Table, TablePlay
from hannan.web.workspace import Workspace


def routes(session: Workspace) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["play"])

    @router.post("/tables", response_model=Table, status_code=201)
    def post_table(body: TableBody) -> Any:
        """Open a table to play against a strategy."""
        game, strategy = session.game(body.game), session.strategy(body.strategy)
        if strategy.game is not game:
            raise MismatchError(f"{strategy.name} is a strategy of {strategy.game.address}, not of {game.address}")
        seed = secrets.randbits(32) if body.seed is None else arguments.seed(body.seed)
        return session.tables.open(game, strategy, body.seat, seed).record()

    @router.get("/tables/{table}", response_model=Table)
    def get_table(table: Id) -> Any:
        """Return a table."""
        found = session.tables.table(table)
        with found.lock:
            return found.record()

    @router.post("/tables/{table}/act", response_model=Table)
    def act(table: Id, body: ActBody) -> Any:
        """Take an action."""
        found = session.tables.table(table)
        with found.lock:
            found.act(body.action)
            return found.record()

    @router.post("/tables/{table}/next", response_model=Table)
    def next_play(table: Id) -> Any:
        """Begin the next play."""
        found = session.tables.table(table)
        with found.lock:
            found.next()
            return found.record()

    @router.get("/tables/{table}/hint", response_model=Hint)
    def get_hint(table: Id) -> Any:
        """Return the strategy's probabilities of the actions."""
        found = session.tables.table(table)
        with found.lock:
            return found.hint()

    @router.get("/tables/{table}/plays", response_model=Page[TablePlay])
    def get_plays(table: Id, offset: Offset = 0, limit: Limit = 100) -> Any:
        """List the finished plays, the last one first."""
        found = session.tables.table(table)
        with found.lock:
            return found.plays(offset, limit)

    @router.delete("/tables/{table}", status_code=204)
    def delete_table(table: Id) -> None:
        """Close a table."""
        session.tables.close(table)

    return router
