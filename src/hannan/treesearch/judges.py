"""Functions of users (evaluations, policies of play): from Python, or from `file.py:function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hannan.arguments import shown
from hannan.errors import ParameterError, UnknownNameError, nearest
from hannan.forms.loader import module_at


def judge_from(evaluation: Any, what: str = "evaluation") -> tuple[Callable[..., Any] | None, str | None]:
    """Return the function that is given, itself or by its address, and its name in files."""
    if evaluation is None:
        return None, None
    if isinstance(evaluation, str):
        place, colon, name = evaluation.rpartition(":")
        if not colon:
            raise ParameterError(f"{what}={shown(evaluation)} should be file.py:function")
        module = module_at(place)
        function = getattr(module, name, None)
        if function is None:
            names = [known for known in vars(module) if not known.startswith("_")]
            raise UnknownNameError(f"{place} defines no {shown(name)}{nearest(name, names)}")
        if not callable(function):
            raise ParameterError(f"{what}={shown(evaluation)} is of type {type(function).__name__}, not a function")
        return function, evaluation
    if not callable(evaluation):
        raise ParameterError(f"{what}={shown(evaluation)} should be a function of the state, or file.py:function")
    return evaluation, f"{evaluation.__module__}:{getattr(evaluation, '__qualname__', type(evaluation).__qualname__)}"
