"""Routes of methods and runs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from hannan.errors import ParameterError
from hannan.web import choices
from hannan.web.numbers import plain
from hannan.web.refusals import ForbiddenError, StateError
from hannan.web.routes import Id, Limit, Offset
from hannan.web.shapes import session as shapes
from hannan.web.shapes.bodies import RunBody, RunChange, SaveBody
from hannan.web.shapes.common import Saved
from hannan.web.shapes.strategies import Comparison
from hannan.web.solving import LIMITS, Asked, SolveRun, made_text
from hannan.web.workspace import Workspace


def routes(session: Workspace) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["solve"])

    @router.get("/methods", response_model=shapes.Methods)
    def get_methods(
        game: Annotated[str | None, Query(max_length=40)] = None, offset: Offset = 0, limit: Limit = 100
    ) -> Any:
        """List the methods with their parameters, and start the process for the next run, so that it is ready."""
        session.runs.warm()
        listed = choices.methods() if game is None else choices.suited(session.game(game).loaded())
        return {
            "total": len(listed), "offset": offset, "limit": limit, "items": listed[offset : offset + limit],
            "options": choices.options(), "limits": choices.limits(),
        }  # fmt: skip

    @router.get("/runs", response_model=list[shapes.Run])
    def get_runs() -> Any:
        """List the runs."""
        return [run.record() for run in session.runs.all()]

    @router.post("/runs", response_model=shapes.Run, status_code=201)
    def post_run(body: RunBody) -> Any:
        """Start a run, or queue it if another run is under way."""
        run = begun(session, body)
        session.runs.add(run)
        return run.record()

    @router.get("/runs/{run}", response_model=shapes.Run)
    def get_run(run: Id) -> Any:
        """Return a run."""
        return session.runs.run(run).record()

    @router.patch("/runs/{run}", response_model=shapes.Run)
    def patch_run(run: Id, body: RunChange) -> Any:
        """Change the name or the limits of a run."""
        found = session.runs.run(run)
        found.change(body.name, None if body.limits is None else body.limits.model_dump())
        return found.record()

    @router.delete("/runs/{run}", status_code=204)
    def delete_run(run: Id) -> None:
        """Delete a run with its files."""
        session.runs.remove(session.runs.run(run))

    @router.get("/runs/{run}/curve", response_model=shapes.Curve)
    def get_curve(run: Id, after: Annotated[int | None, Query(ge=0, le=2**53)] = None) -> Any:
        """Return the measurements of a run."""
        return session.runs.run(run).curve(after)

    @router.post("/runs/{run}/pause", response_model=shapes.Run)
    def pause_run(run: Id) -> Any:
        """Pause a run: it keeps a checkpoint, and frees its memory."""
        found = session.runs.run(run)
        found.pause()
        return found.record()

    @router.post("/runs/{run}/stop", response_model=shapes.Run)
    def stop_run(run: Id) -> Any:
        """End a run with the result so far."""
        found = session.runs.run(run)
        found.pause("stop")
        return found.record()

    @router.post("/runs/{run}/go-on", response_model=shapes.Run)
    def go_on(run: Id) -> Any:
        """Continue a run from its checkpoint."""
        found = session.runs.run(run)
        found.go_on()
        return found.record()

    @router.post("/runs/{run}/save", response_model=Saved, status_code=201)
    def save_run(run: Id, body: SaveBody) -> Any:
        """Write the strategy of a run to the folder."""
        from hannan.files import read_bytes, write_bytes

        found = session.runs.run(run)
        if "save" not in found.can():
            raise StateError(f"{found.asked.name} is {found.state}, and has no strategy to save")
        path = session.folder.target(body.name, body.replace)
        write_bytes(path, read_bytes(found.folder / "strategy"))
        session.events.tell("files", {})
        return {"file": session.folder.named(path)}

    @router.get("/runs/{run}/change", response_model=Comparison)
    def get_change(
        run: Id, base: Annotated[str | None, Query(max_length=40)] = None,
        sort: Annotated[str, Query(max_length=20)] = "weighted", offset: Offset = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 10,
    ) -> Any:  # fmt: skip
        """Compare the strategy of a run with its base: the values, and the sets that changed most."""
        from hannan.web.locking import read_locks
        from hannan.web.sets import comparison_record

        found = session.runs.run(run)
        if found.strategy is None or found.strategy not in session.strategies:
            if not (found.folder / "strategy").is_file() or found.under_way:
                raise StateError(f"{found.asked.name} is {found.state}, and has no strategy to compare")
            found.open_strategy()
        given = base or found.base
        if given is None:
            raise ParameterError("the run has no base: name the strategy to compare with as base")
        if found.locks is None:
            found.locks = read_locks(found.folder / "locks.json")
        locked = frozenset((player, j) for player, sets in found.locks.items() for j in sets if isinstance(j, int))
        first, second = session.strategy(given), session.strategy(str(found.strategy))
        return comparison_record(first, second, None, "", sort, offset, limit, locked)

    return router


def begun(session: Workspace, body: RunBody) -> SolveRun:
    """Check the request of a page, then make the files of the run and the run."""
    from hannan.runs.progress import limits
    from hannan.strategies.strategy import Strategy
    from hannan.web.locking import resolved, write_locks

    opened = session.game(body.game)
    game = opened.loaded()
    _check_method(body)
    given = body.limits.model_dump()
    limits(**given)
    locks = [one.model_dump(exclude_none=True) for one in body.locks]
    start: Strategy | None = None if body.start is None else session.strategy(body.start).loaded()
    base = None if body.base is None else session.strategy(body.base).id
    fixed = resolved(session, game, locks)
    asked = Asked(
        name=body.name.strip() or body.method, address=opened.address, built_in=game.built_in, method=body.method,
        parameters=_meant(plain(body.parameters)), options=plain(body.options),
        limits={each: given[each] for each in LIMITS}, locks=plain(locks), created="",
    )  # fmt: skip
    with session.lock:
        folder = session.runs.new_folder()
    asked.created = made_text(folder)
    if start is not None:
        start.save(folder / "start")
    if fixed:
        write_locks(folder / "locks.json", fixed)
    run = SolveRun(session, folder, asked, opened, fixed)
    run.base = base
    return run


def _check_method(body: RunBody) -> None:
    """Refuse methods that are not built in, unknown options, and parameters that name code or files."""
    from hannan.errors import UnknownNameError, nearest
    from hannan.solvers import METHODS, method_class

    if body.method != choices.AUTO and body.method not in METHODS:
        if ":" in body.method or body.method.endswith(".py"):
            raise ForbiddenError("pages can only use built-in methods; use your own methods from the command line")
        raise UnknownNameError(f"method {body.method!r} does not exist{nearest(body.method, [choices.AUTO, *METHODS])}")
    for name in body.options:
        if name not in choices.OPTIONS:
            raise UnknownNameError(f"option {name[:100]!r} does not exist{nearest(name, choices.OPTIONS)}")
    if body.method == choices.AUTO:
        if body.parameters:
            raise ParameterError("auto takes no parameters: choose a method to give some")
        return
    kind = method_class(body.method)
    known = kind.parameter_defaults()
    for name, value in body.parameters.items():
        if name not in known or name in choices.OPTIONS:
            raise UnknownNameError(f"{body.method} has no parameter {name[:100]!r}{nearest(name, known)}")
        if kind.names_a_place(name, value) or (isinstance(value, str) and (":" in value or "/" in value)):
            raise ForbiddenError(f"{name} names code or a file, which only the command line may do")


def _meant(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters without those that are None; these keep their defaults."""
    return {name: value for name, value in parameters.items() if value is not None}
