"""Measurements in a process of its own: of memory, of work that may have to be stopped, and of very large work."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hannan.errors import HannanError


def in_time(function: str, limit: float, **arguments: Any) -> dict[str, Any] | None:
    """Return the result of `in_child`; None if it takes longer than `limit` seconds."""
    try:
        return in_child(function, limit, **arguments)
    except subprocess.TimeoutExpired:
        return None


def in_child(
    function: str,
    limit: float | None = None,
    *,
    shown: bool = False,
    environment: Mapping[str, str] | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """Call `hannan.bench.<module>:<function>` in a fresh process; return what it returns.

    Arguments and the result are JSON. `environment` has additional environment variables of the process. Its standard
    error is `shown` as it comes, or hidden.
    """
    command = [sys.executable, "-m", "hannan.bench.child", function, json.dumps(arguments)]
    errors = None if shown else subprocess.PIPE
    variables = {**os.environ, **(environment or {})}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=errors, text=True, timeout=limit, check=False, env=variables
    )
    if done.returncode != 0:
        last = ((done.stderr or "").strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise HannanError(f"{function} failed in its own process: {last}")
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def peak() -> int:
    """Return the most memory that this process has held, in bytes.

    It is read from /proc if that exists, since a new process inherits the `ru_maxrss` of the process that started it.
    """
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def main(function: str, arguments: str) -> None:
    """Call the named function, and print its result as the last line."""
    module, _, name = function.partition(":")
    answer = getattr(importlib.import_module(f"hannan.bench.{module}"), name)(**json.loads(arguments))
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
