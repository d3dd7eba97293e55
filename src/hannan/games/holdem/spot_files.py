"""Spots as TOML files: reading and writing.

A file has the parameters of `Spot` as keys. Sizes of a street or a player stand in tables, `[turn]` and `[turn.ip]`, or
as keys such as `turn_ip_bets`.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from hannan.errors import FileError, HannanError, UnknownNameError, nearest
from hannan.files import read_bytes, write_text
from hannan.games.holdem.betting import PLAYERS
from hannan.games.holdem.spot import STREETS, WHAT, Spot, make_spot

MOST_BYTES = 1_000_000
"""The longest file that is read: a range of 1326 hands with weights takes about 30,000 bytes."""


def parse_spot(text: str, **changes: Any) -> Spot:
    """Return the spot of a TOML text; `changes` are keywords of `make_spot` and override the text.

    Raises
    ------
    FileError
        If the text is not TOML.
    HannanError
        If a key is not known or a value is wrong.
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileError(f"this is not TOML: {error}") from None
    return make_spot(**(dict(_flat(document)) | changes))


def _flat(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield keywords of `make_spot`: a key of a table `[turn.ip]` gets the name `turn_ip_…`."""
    for key, value in document.items():
        if not isinstance(value, dict):
            yield key, value
            continue
        if key not in STREETS[3]:
            raise UnknownNameError(f"street [{key}] does not exist{nearest(key, STREETS[3])}")
        for what, inner in value.items():
            table = isinstance(inner, dict)
            known = PLAYERS if table else WHAT
            if what not in known:
                shown = f"[{key}.{what}]" if table else f"{what!r} in [{key}]"
                raise UnknownNameError(f"{shown} does not exist{nearest(what, known)}")
            if not table:
                yield f"{key}_{what}", inner
                continue
            for name, sizes in inner.items():
                if name not in WHAT[:2]:
                    raise UnknownNameError(f"{name!r} in [{key}.{what}] does not exist{nearest(name, WHAT[:2])}")
                yield f"{key}_{what}_{name}", sizes


def spot_text(spot: Spot) -> str:
    """Write a spot as TOML, so that `parse_spot` returns the same spot; defaults are left out."""
    lines = []
    for field in fields(spot):
        value = getattr(spot, field.name)
        if field.name != "sizes" and value != field.default:
            lines.append(f"{field.name} = {_value(value)}")
    tables: dict[str, list[str]] = {}
    for name, text in spot.sizes:
        *where, what = name.split("_")
        if where[0] in STREETS[3]:
            tables.setdefault(".".join(where), []).append(f"{what} = {_value(text)}")
        else:
            lines.append(f"{name} = {_value(text)}")
    for table, inside in sorted(tables.items()):
        lines += ["", f"[{table}]", *inside]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """Return a value in TOML."""
    return json.dumps(value) if isinstance(value, str) else repr(value)


def read_spot(path: str | os.PathLike[str], **changes: Any) -> Spot:
    """Return the spot of a TOML file; `changes` override it. Errors begin with the name of the file."""
    content = read_bytes(path)
    if len(content) > MOST_BYTES:
        raise FileError(f"{path}: longer than {MOST_BYTES:,} bytes, so this is not a spot")
    try:
        return parse_spot(content.decode("utf-8"), **changes)
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None
    except HannanError as error:
        raise type(error)(f"{path}: {error}") from None


def write_spot(spot: Spot, path: str | os.PathLike[str]) -> None:
    """Write a spot to a TOML file, under a temporary name first."""
    write_text(path, spot_text(spot))
