"""Optional libraries, imported at their use, with a message if one is not installed."""

from __future__ import annotations

import importlib
from typing import Any

from hannan.errors import UnsuitableError

EXTRAS = {
    "pyspiel": "pip install 'hannan[openspiel]'",
    "open_spiel": "pip install 'hannan[openspiel]'",
    "pettingzoo": "pip install 'hannan[pettingzoo]'",
    "gymnasium": "pip install 'hannan[pettingzoo]'",
    "pygambit": "pip install pygambit",
    "pyarrow": "pip install 'hannan[parquet]'",
    "fastapi": "pip install 'hannan[web]'",
    "uvicorn": "pip install 'hannan[web]'",
    "ray": "pip install 'hannan[ray]'",
}
"""The command that installs each library."""


def library(module: str) -> Any:
    """Import a module of another library, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        name = (error.name or module).partition(".")[0]
        root = module.partition(".")[0]
        if name != root:
            raise UnsuitableError(f"{module} needs {name}, which is not installed: pip install {name}") from error
        raise UnsuitableError(f"{root} is not installed: {EXTRAS.get(root, f'pip install {root}')}") from error
