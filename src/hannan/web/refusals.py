"""Errors of the interface: a sentence, a word for programs, and a status."""

from __future__ import annotations

from hannan.errors import HannanError, TrustError


class RefusalError(HannanError):
    """A request that the interface refuses."""

    status = 400
    kind = "ParameterError"


class NotFoundError(RefusalError):
    """The path or the named object does not exist."""

    status, kind = 404, "NotFound"


class ForbiddenError(RefusalError):
    """Pages are not allowed to make this request."""

    status, kind = 403, "Forbidden"


class LoadingError(RefusalError):
    """The object is still loading."""

    status, kind = 409, "Loading"


class StateError(RefusalError):
    """The state of the object does not allow the request."""

    status, kind = 409, "State"


def status_of(error: HannanError) -> tuple[int, str]:
    """Return the status and the kind of any error that hannan raises on purpose."""
    if isinstance(error, RefusalError):
        return error.status, error.kind
    return (403 if isinstance(error, TrustError) else 400), type(error).__name__
