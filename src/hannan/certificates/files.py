"""Certificate files, and checkpoints of certifications: all that was counted, and no code to run."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from hannan import arguments
from hannan.certificates.checking import check_counts, check_method, check_names, check_strategies, check_trunk
from hannan.certificates.trunk import Trunk
from hannan.errors import MismatchError
from hannan.files import digest, read_arrays, understanding, write_arrays

if TYPE_CHECKING:
    from hannan.certificates.certification import Certification

KIND, CHECKPOINT = "certificate", "certification"
CONTINUED = "a checkpoint that this hannan can read"


def save(work: Certification, record: Mapping[str, Any], path: str | PathLike[str]) -> None:
    """Write a certificate: what is claimed, trunk, counts, bounds, groups, strategies, and the actions taken."""
    facts = {
        **record,
        "players": work.trunk.players,
        "expansion": work.expansion,
        "range": None if work.given is None else list(work.given),
        "names": work.trunk.names(),
    }
    arrays = counted(work)
    facts["digest"] = digest(arrays, facts)
    write_arrays(path, KIND, arrays, facts)


def counted(work: Certification) -> dict[str, np.ndarray]:
    """Return the trunk, the strategies that are kept, and the actions of all playthroughs."""
    most = max(work.actions, default=0)
    kind = np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32
    x, y = work.kept
    return work.trunk.arrays() | {
        "strategy0": x,
        "strategy1": y,
        "actions": np.array(work.actions, kind),
        "lengths": np.array(work.lengths, np.int32),
    }


def save_checkpoint(work: Certification, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
    """Write all that a certification goes on from."""
    arrays = counted(work)
    for number, plan in enumerate(work.plans):
        arrays |= {f"plan{number}_{player}": strategy for player, strategy in enumerate(plan)}
    arrays |= {f"method_{name}": array for name, array in work.method.state().items()}
    own = {
        "setup": work.setup,
        "names": work.trunk.names(),
        "clocks": [work.simulator_seconds, work.solve_seconds],
        "plans": len(work.plans),
    }
    write_arrays(path, CHECKPOINT, arrays, {**own, **facts})


def restored(players: int, arrays: dict[str, np.ndarray], names: Any) -> Trunk:
    """Return the trunk that a file holds, all of it checked."""
    check_names(names)
    return Trunk.restored(players, arrays, names, check_trunk)


def restore(work: Certification, path: str | PathLike[str]) -> dict[str, Any]:
    """Let a fresh certification go on from a checkpoint; refuse that of another box, method or promise."""
    arrays, facts = read_arrays(path, CHECKPOINT)
    with understanding(path, CONTINUED):
        if facts["setup"] != work.setup:
            other = [name for name in work.setup if facts["setup"].get(name) != work.setup[name]]
            raise MismatchError(
                f"{path} is of a certification with "
                + ", ".join(f"{name}={facts['setup'].get(name)!r} (here {work.setup[name]!r})" for name in other)
            )
        trunk = restored(work.box.players, arrays, facts["names"])
        kept = arrays["strategy0"], arrays["strategy1"]
        many = arguments.whole("plans", facts["plans"], 1, len(arrays))
        plans = [(arrays[f"plan{k}_0"], arrays[f"plan{k}_1"]) for k in range(many)]
        check_strategies(trunk, kept, *plans)
        check_counts(arrays)
        state = {name[7:]: array for name, array in arrays.items() if name.startswith("method_")}
        check_method(trunk, state)
        clocks = facts["clocks"]
        work.simulator_seconds, work.solve_seconds = (arguments.limit("clocks", seconds) for seconds in clocks)
        work.take(trunk, kept, plans, arrays["actions"].tolist(), arrays["lengths"].tolist())
        work.method.restore(state)
    return facts
