"""Certificate files, and checkpoints of certifications: all counts, and the address of the box."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from hannan import arguments
from hannan.certificates.soundness import check_counts, check_names, check_state, check_trunk, joint_strategies
from hannan.certificates.trunk import Trunk
from hannan.errors import FileError, MismatchError
from hannan.files import digest, read_arrays, understanding, write_arrays

if TYPE_CHECKING:
    from hannan.certificates.certification import Certification

KIND, CHECKPOINT = "certificate", "certification"
CONTINUED = "a checkpoint that this hannan can read"


Contents = tuple[dict[str, np.ndarray], dict[str, Any]]
"""The arrays and the facts of a certificate's file."""


def save(contents: Contents, path: str | PathLike[str]) -> None:
    """Write the contents of a certificate."""
    write_arrays(path, KIND, *contents)


def contents(work: Certification, record: Mapping[str, Any]) -> Contents:
    """Return the contents of a certificate's file: claims, trunk, counts, bounds, groups, strategies, actions."""
    sums, rounds = work.proof()
    facts = {
        **record,
        "rounds": rounds,
        "players": work.trunk.players,
        "expansion": work.expansion,
        "range": None if work.given is None else list(work.given),
        "names": work.trunk.names(),
    }
    arrays = counted(work) | sums
    facts["digest"] = digest(arrays, facts)
    return arrays, facts


def counted(work: Certification) -> dict[str, np.ndarray]:
    """Return the trunk, the kept strategies, and the actions of all playthroughs."""
    actions = np.array(work.actions, np.int64)
    most = int(actions.max(initial=0))
    kind = np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32
    counts = {"actions": actions.astype(kind), "lengths": np.array(work.lengths, np.int32)}
    if work.failed:
        counts["failed"] = np.array(work.failed, np.int64)
    return work.trunk.arrays() | work.strategies() | counts


def save_checkpoint(work: Certification, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
    """Write the state from which a certification continues."""
    arrays = counted(work) | work.state()
    own = {
        "setup": work.setup,
        "names": work.trunk.names(),
        "clocks": [work.simulator_seconds, work.solve_seconds],
    }
    write_arrays(path, CHECKPOINT, arrays, {**own, **facts})


def options_in(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the options with which a checkpoint's certification began; empty for older files."""
    _, facts = read_arrays(path, CHECKPOINT)
    options = facts.get("options", {})
    if not isinstance(options, dict):
        raise FileError(f"{path} is not {CONTINUED}")
    for name in ("method", "resolved", "why", "game", "explore"):
        none = name == "explore" and options.get(name) is None  # left to its default
        if not none and not isinstance(options.get(name, ""), str):
            raise FileError(f"{path} is not {CONTINUED} (its {name} is not text)")
    return options


def restored(players: int, arrays: dict[str, np.ndarray], names: Any) -> Trunk:
    """Return the trunk in a file, fully checked."""
    check_names(names)
    return Trunk.restored(players, arrays, names, check_trunk)


def restore(work: Certification, path: str | PathLike[str]) -> dict[str, Any]:
    """Let a new certification continue from a checkpoint; refuse another box, method or promise."""
    arrays, facts = read_arrays(path, CHECKPOINT)
    with understanding(path, CONTINUED):
        if facts["setup"] != work.setup:
            other = [name for name in work.setup if facts["setup"].get(name) != work.setup[name]]
            raise MismatchError(
                f"{path} is of a certification with "
                + ", ".join(
                    f"{name}={arguments.shown(facts['setup'].get(name))} (here {arguments.shown(work.setup[name])})"
                    for name in other
                )
            )
        trunk = restored(work.box.players, arrays, facts["names"])
        check_counts(arrays)
        joint_strategies(trunk, arrays)
        check_state(trunk, arrays)
        work.take(trunk, arrays["actions"], arrays["lengths"], arrays.get("failed", np.zeros((0, 2), np.int64)))
        work.restore(arrays)
        work.simulator_seconds, work.solve_seconds = (_seconds(clock) for clock in facts["clocks"])
    return facts


def _seconds(clock: Any) -> float:
    """Return the seconds of a clock; NaN if playing and counting were one step, which is not measured."""
    return math.nan if isinstance(clock, float) and math.isnan(clock) else arguments.limit("clocks", clock)
