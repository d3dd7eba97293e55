"""The clock and the curve of the run that wrote a checkpoint, every number checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from hannan.arguments import limit, number, whole
from hannan.arrays import Known
from hannan.errors import FileError, ParameterError
from hannan.files import understanding
from hannan.runs.progress import Point
from hannan.runs.run import Past

MOST = 2**53


def past_in(path: str | PathLike[str], facts: Mapping[str, Any]) -> Past:
    """Return the clock and the curve: zero and empty if a solver was saved without a run."""
    with understanding(path, "a checkpoint that says how its run went so far"):
        return _past(path, facts)


def _past(path: str | PathLike[str], facts: Mapping[str, Any]) -> Past:
    try:
        seconds, points = limit("seconds", facts.get("seconds", 0.0)), facts.get("curve", [])
        measuring = limit("measure_seconds", facts.get("measure_seconds", 0.0))  # older versions lack it
        if not isinstance(points, list):
            raise ParameterError("its curve is not a list")
        curve = tuple(_point(point) for point in points)
    except ParameterError as error:
        raise FileError(f"{path} does not say how its run went so far ({error})") from error
    return Past(seconds, curve, measuring)


def _point(told: Any) -> Point:
    """Return a measurement: iteration, seconds, gap, and perhaps NashConv, variance and variance given the visit."""
    if not isinstance(told, Sequence) or isinstance(told, str) or not 3 <= len(told) <= 6:
        raise ParameterError("a point of its curve has another form")
    left_out: tuple[Any, ...] = (None, None, None)
    iteration, seconds, gap, nash_conv, variance, given = (*told, *left_out[len(told) - 3 :])
    return Point(
        whole("iteration", iteration, 0, MOST),
        limit("seconds", seconds),
        measured("gap", gap),
        measured("nash_conv", nash_conv),
        None if variance is None else number("variance", variance),
        None if given is None else number("given_visit", given),
    )


def measured(name: str, value: Any) -> Known:
    """Return a number, or None: not measured. Files of version 0.1 have NaN."""
    unknown = value is None or (isinstance(value, float) and math.isnan(value))
    return None if unknown else number(name, value)
