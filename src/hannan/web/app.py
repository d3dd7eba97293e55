"""The HTTP interface of the explorer: all its routes, and one form for every error."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from hannan import __version__
from hannan.errors import HannanError
from hannan.web.door import API
from hannan.web.refusals import status_of
from hannan.web.routes import play, proof, session, solving, views
from hannan.web.shapes.common import Error
from hannan.web.workspace import Workspace

KINDS = {404: "NotFound", 405: "Method", 413: "TooLarge"}
ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": Error, "description": "A value is wrong."},
    401: {"model": Error, "description": "The token is missing or wrong."},
    403: {"model": Error, "description": "Pages are not allowed to make this request."},
    404: {"model": Error, "description": "The path or the named object does not exist."},
    409: {"model": Error, "description": "The object is loading, or its state does not allow the request."},
    413: {"model": Error, "description": "The body is too large."},
    422: {"model": Error, "description": "A parameter or the body does not have the described form."},
}


def make_app(opened: Workspace) -> FastAPI:
    """Return the interface of a session."""
    app = FastAPI(
        title="hannan explorer",
        version=__version__,
        description="The interface beneath the explorer's page; docs/reference/explorer_api.md describes it.",
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    for part in (session, views, solving, play, proof):
        app.include_router(part.routes(opened), prefix=API, responses=ERRORS)
    app.add_exception_handler(HannanError, _refused)
    app.add_exception_handler(RequestValidationError, _misformed)
    app.add_exception_handler(HTTPException, _unanswered)
    app.add_exception_handler(MemoryError, _too_much)
    app.add_exception_handler(Exception, _broken)
    return app


def _answer(status: int, kind: str, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence, "kind": kind}, status)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HannanError)
    status, kind = status_of(error)
    return _answer(status, kind, str(error))


async def _misformed(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = " ".join(str(part) for part in first["loc"])
    return _answer(422, "Form", f"{place}: {first['msg']}")


async def _unanswered(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    sentences = {
        404: f"{request.url.path[:100]} does not exist",
        405: f"{request.url.path[:100]} does not take this method",
    }
    kind = KINDS.get(error.status_code, "Form")
    return _answer(error.status_code, kind, sentences.get(error.status_code, str(error.detail)))


async def _too_much(request: Request, error: Exception) -> JSONResponse:
    return _answer(400, "SizeError", "there is not enough memory to answer this")


async def _broken(request: Request, error: Exception) -> JSONResponse:
    print("".join(traceback.format_exception(error)), file=sys.stderr)
    return _answer(500, "Internal", f"an unexpected error: {type(error).__name__}: {error}")
