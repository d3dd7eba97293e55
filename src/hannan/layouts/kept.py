"""What is made once of a sequence form and kept as long as the form lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from hannan.forms.sequence import SequenceForm

T = TypeVar("T")

_KEPT: dict[int, dict[Hashable, Any]] = {}
"""By the `id` of a form that is alive. What is kept here must not hold on to the form."""


def kept(form: SequenceForm, key: Hashable, make: Callable[[SequenceForm], T]) -> T:
    """Return what `make` made of the form under this key; it is called the first time only."""
    number = id(form)
    if number not in _KEPT:
        _KEPT[number] = {}
        weakref.finalize(form, _KEPT.pop, number).atexit = False
    things = _KEPT[number]
    if key not in things:
        things[key] = make(form)
    thing: T = things[key]
    return thing
