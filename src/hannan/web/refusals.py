"""Errors of the interface: a sentence, a word for programs, and a status."""

from __future__ import annotations

from hannan.errors import HannanError, TrustError


class RefusalError(HannanError):
    """A request that is not answered as asked."""

    status = 400
    kind = "ParameterError"


class NotFoundError(RefusalError):
    """There is no such thing."""

    status, kind = 404, "NotFound"


class ForbiddenError(RefusalError):
    """The page may not ask for this."""

    status, kind = 403, "Forbidden"


class LoadingError(RefusalError):
    """It is not there yet."""

    status, kind = 409, "Loading"


class StateError(RefusalError):
    """The state of a thing does not allow this."""

    status, kind = 409, "State"


def status_of(error: HannanError) -> tuple[int, str]:
    """Return the status and the kind of any error that hannan raises on purpose."""
    if isinstance(error, RefusalError):
        return error.status, error.kind
    return (403 if isinstance(error, TrustError) else 400), type(error).__name__
