"""Routes of the tree, of information sets, of comparisons and of public nodes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from hannan.web.routes import Id, Like, Limit, Named, Offset, Player
from hannan.web.shapes import strategies as shapes
from hannan.web.shapes import tree as trees
from hannan.web.shapes.common import Page
from hannan.web.workspace import Workspace

History = Annotated[str, Query(max_length=20_000, description="Places of the moves from the root, joined by dots.")]
Public = Annotated[str, Query(max_length=2000, description="The public play, as in x b120 c 5c.")]


def routes(session: Workspace) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["views"])

    @router.get("/games/{game}/node", response_model=trees.Node)
    def get_node(
        game: Id, path: History = "", strategy: Annotated[str | None, Query(max_length=40)] = None,
        offset: Offset = 0, limit: Limit = 100,
    ) -> Any:  # fmt: skip
        """Return a history with its moves."""
        from hannan.web.tree import Tree, node_record

        return node_record(_tree(Tree, game, strategy), path, offset, limit)

    def _tree(kind: Any, game: str, strategy: str | None) -> Any:
        opened = session.game(game)
        chosen = None if strategy is None else session.strategy(strategy)
        if chosen is not None and chosen.game is not opened:
            from hannan.errors import MismatchError

            raise MismatchError(f"{chosen.name} is a strategy of {chosen.game.address}, not of {opened.address}")
        return kind(opened, chosen)

    @router.get("/games/{game}/subtree", response_model=trees.Subtree)
    def get_subtree(
        game: Id, path: History = "", depth: Annotated[int, Query(ge=0, le=6)] = 2,
        breadth: Annotated[int, Query(ge=1, le=64)] = 12,
        strategy: Annotated[str | None, Query(max_length=40)] = None,
    ) -> Any:  # fmt: skip
        """Return a part of the tree for a drawing."""
        from hannan.web.tree import Tree, subtree_record

        return subtree_record(_tree(Tree, game, strategy), path, depth, breadth)

    @router.get("/games/{game}/find", response_model=Page[trees.Found])
    def find_sets(game: Id, text: Like = "", player: Player = None, offset: Offset = 0, limit: Limit = 100) -> Any:
        """Find information sets by name, part of a name, pattern or path."""
        from hannan.web.tree import found_sets

        return found_sets(session.game(game), text, player, offset, limit)

    @router.get("/strategies/{strategy}/sets", response_model=shapes.Sets)
    def get_sets(
        strategy: Id, player: Player = None, pattern: Like = "",
        sort: Annotated[str, Query(max_length=20)] = "frequency", descending: bool | None = None,
        offset: Offset = 0, limit: Limit = 100,
    ) -> Any:  # fmt: skip
        """List information sets."""
        from hannan.web.sets import sets_record

        return sets_record(session.strategy(strategy), player, pattern, sort, descending, offset, limit)

    @router.get("/strategies/{strategy}/sets/{player}/{number}", response_model=shapes.SetDetail)
    def get_set(
        strategy: Id, player: Annotated[int, Path(ge=0, le=63)], number: Annotated[int, Path(ge=0, le=2**53)]
    ) -> Any:
        """Return one information set."""
        from hannan.web.sets import set_detail

        return set_detail(session.strategy(strategy), player, number)

    @router.get("/strategies/{strategy}/grid", response_model=shapes.Grid)
    def get_grid(
        strategy: Id, player: Annotated[int, Query(ge=0, le=63)] = 0, search: Like = "", offset: Offset = 0,
        limit: Annotated[int, Query(ge=1, le=100)] = 50,
    ) -> Any:  # fmt: skip
        """Return information sets in a grid."""
        from hannan.web.sets import grid_record

        return grid_record(session.strategy(strategy), player, search, offset, limit)

    @router.get("/compare", response_model=shapes.Comparison)
    def compare(
        a: Named, b: Named, player: Player = None, pattern: Like = "",
        sort: Annotated[str, Query(max_length=20)] = "variation", offset: Offset = 0, limit: Limit = 100,
    ) -> Any:  # fmt: skip
        """Compare two strategies of one game."""
        from hannan.web.sets import comparison_record

        first, second = session.strategy(a), session.strategy(b)
        return comparison_record(first, second, player, pattern, sort, offset, limit)

    @router.get("/strategies/{strategy}/public", response_model=shapes.PublicNode)
    def get_public(strategy: Id, at: Public = "", player: Player = None) -> Any:
        """Return a node of a public tree."""
        from hannan.web.public import public_record

        return public_record(session.strategy(strategy), at, player)

    @router.get("/strategies/{strategy}/public/hands", response_model=Page[shapes.PublicRow])
    def get_hands(
        strategy: Id, at: Public = "", player: Player = None,
        group: Annotated[str | None, Query(max_length=100)] = None, offset: Offset = 0, limit: Limit = 100,
    ) -> Any:  # fmt: skip
        """List single hands at a node of a public tree."""
        from hannan.web.public import hands_record

        return hands_record(session.strategy(strategy), at, player, group, offset, limit)

    return router
