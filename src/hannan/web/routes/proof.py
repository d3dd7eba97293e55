"""Routes of certificates, equilibria, logs and matches, and of the jobs that check files."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from hannan.errors import ParameterError, TrustError
from hannan.web.jobs import Verification
from hannan.web.routes import File, Id, Limit, Offset, Player
from hannan.web.shapes import proof as shapes
from hannan.web.shapes.bodies import VerifyBody
from hannan.web.shapes.session import Job
from hannan.web.workspace import Workspace


def routes(session: Workspace) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["proof"])

    @router.get("/certificates", response_model=shapes.Certificate)
    def get_certificate(file: File) -> Any:
        """Return a certificate."""
        from hannan.web.proof import certificate_record

        return certificate_record(session, file)

    @router.get("/certificates/trunk", response_model=shapes.Trunk)
    def get_trunk(
        file: File, player: Player = None, sort: Annotated[str, Query(max_length=20)] = "radius",
        descending: bool = True, offset: Offset = 0, limit: Limit = 100,
    ) -> Any:  # fmt: skip
        """Return the counts and radii of the trunk of a certificate."""
        from hannan.web.proof import trunk_record

        return trunk_record(session, file, player, sort, descending, offset, limit)

    @router.post("/verifications", response_model=Job, status_code=201)
    def post_verification(body: VerifyBody) -> Any:
        """Check a certificate or a file of equilibria."""
        job = _checked(session, body)
        session.runs.add_job(job)
        return job.record()

    @router.get("/jobs/{job}", response_model=Job)
    def get_job(job: Id) -> Any:
        """Return a job."""
        return session.runs.job(job).record()

    @router.post("/jobs/{job}/stop", response_model=Job)
    def stop_job(job: Id) -> Any:
        """End a job."""
        found = session.runs.job(job)
        found.stop()
        return found.record()

    @router.get("/equilibria", response_model=shapes.Equilibria)
    def get_equilibria(file: File, offset: Offset = 0, limit: Limit = 100) -> Any:
        """List the equilibria of a file."""
        from hannan.web.proof import equilibria_record

        return equilibria_record(session, file, offset, limit)

    @router.get("/logs", response_model=shapes.Log)
    def get_log(file: File) -> Any:
        """Return the curve of a log."""
        from hannan.web.proof import log_record

        return log_record(session, file)

    @router.get("/matches", response_model=shapes.Match)
    def get_match(file: File) -> Any:
        """Return the scores of a match."""
        from hannan.web.proof import match_record

        return match_record(session, file)

    return router


def _checked(session: Workspace, body: VerifyBody) -> Verification:
    """Return the job; refuse a level that needs a game which is neither built in nor opened."""
    from hannan.forms.trust import named_game
    from hannan.web.folder import kind_in

    path = session.folder.path(body.file)
    kind, address, _ = kind_in(path)
    levels = {"certificate": ("arithmetic", "counts", "reproduced"), "equilibria": ("arithmetic", "game")}
    if kind not in levels:
        raise ParameterError(f"{body.file} is neither a certificate nor a file of equilibria")
    if body.level not in levels[kind]:
        raise ParameterError(f"{body.file} is checked at the levels {', '.join(levels[kind])}")
    game: Any = None
    if body.level != "arithmetic":
        opened = next((one for one in session.games.values() if address == one.address), None)
        if opened is not None:
            game = opened.given
        elif address is None:
            raise TrustError(f"{body.file} does not name its game")
        else:
            named_game(body.file, address, False)
    return Verification(session, body.file, path, body.level, game)
