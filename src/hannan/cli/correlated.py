"""The command `hannan correlated`: advice that no player leaves, a leader's strategy, and how near learning comes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from hannan.cli import report
from hannan.cli.options import Json, Whole, check_targets
from hannan.cli.report import answer
from hannan.errors import ParameterError
from hannan.files import write_text
from hannan.forms.loader import load
from hannan.runs.learning import Learning
from hannan.runs.learning import learning as measured
from hannan.solvers.general.commitment import stackelberg
from hannan.solvers.general.correlated import MEANINGS, correlated_equilibrium

ITERATIONS = 1000
"""The default number of iterations with --learning."""

SHOWN = 20
"""The most lines of advice that are printed."""


def correlated(
    game: str,
    /,
    *,
    kind: Literal["ce", "cce", "efce", "efcce", "nfcce"] | None = None,
    objective: str = "welfare",
    leader: Whole | None = None,
    learning: str | None = None,
    iterations: Whole = ITERATIONS,
    seed: Whole | None = None,
    out: Path | None = None,
    as_json: Json = False,
) -> None:
    """Find the best correlated equilibrium of a small game, or the best strategy to commit to.

    A mediator advises each player, and no player gains by leaving the advice. With --leader, no mediator takes part:
    one of two players announces its strategy, and the other plays a best response to it. With --learning, a method
    learns instead: the command measures how far its play is from the correlated and Nash equilibria, and whether play
    cycles.

    Parameters
    ----------
    game
        The game: an address, or a file of Gambit's.
    kind
        What a player knows when it may leave the advice: its whole plan (ce), nothing (cce), in a tree the actions
        advised so far (efce), those before the action at hand (efcce), or nothing, found on sequences (nfcce). Default:
        ce.
    objective
        What is best: the sum of the values (welfare), the smallest value (egalitarian), or the number of a player.
    leader
        The player that announces its strategy.
    learning
        Measure a run of this method: a full-width method, einr or komwu, fictitious-play or replicator.
    iterations
        With --learning: iterations of the run.
    seed
        With --learning: begin from a profile that is drawn by this seed. Default: the method's own start.
    out
        Write the record here, as JSON.
    """
    check_targets({"--out": out}, (game,))
    if learning is not None:
        if kind is not None or objective != "welfare" or leader is not None:
            raise ParameterError("--kind, --objective and --leader do not apply with --learning: leave them out")
        found: Any = measured(load(game), learning, iterations=iterations, seed=seed)
    elif seed is not None or iterations != ITERATIONS:
        raise ParameterError("--iterations and --seed apply only with --learning METHOD: leave them out")
    elif leader is not None:
        if kind is not None or objective != "welfare":
            raise ParameterError(
                "--kind and --objective do not apply with --leader, which has no mediator: leave them out"
            )
        found = stackelberg(load(game), leader)
    else:
        goal: Any = int(objective) if objective.lstrip("-").isdigit() else objective
        found = correlated_equilibrium(load(game), goal, kind or "ce")
    advised = leader is None and learning is None
    record = {**found.record(), **({"objective": objective} if advised else {})}
    if out is not None:
        write_text(out, json.dumps(record, indent=1, ensure_ascii=False) + "\n")

    def show() -> None:
        if learning is not None:
            _show_learning(found)
        elif leader is not None:
            _show_commitment(record)
        else:
            _show_advice(record)

    try:
        answer(as_json, record, show)
    finally:
        report.name_files(as_json, {"record": out})


def _show_advice(record: dict[str, Any]) -> None:
    report.facts(
        f"{record['game']}: {record['kind']}",
        {"a player that may leave": MEANINGS[record["kind"]], "values": record["values"], "gains": record["gains"]},
    )
    rows = sorted(record["advice"], key=lambda line: -line["probability"])
    if not rows:
        return
    what = "plans" if "plans" in rows[0] else "sequences"
    header = ["probability", *(f"player {p}" for p in range(len(rows[0][what])))]
    more = f", the {SHOWN} most frequent of {len(rows):,}" if len(rows) > SHOWN else ""
    report.grid(f"advised {what}{more}", header, [[line["probability"], *line[what]] for line in rows[:SHOWN]])


def _show_learning(found: Learning) -> None:
    stations = ["; ".join(plans) for plans in found.cycle]
    facts: dict[str, Any] = {"play": found.course, "range of a probability in the second half": found.amplitude}
    if stations:
        facts |= {"likeliest in turn": " → ".join(stations), "last round, iterations": found.period}
        facts |= {"last round over the one before": found.growth}
    known = f"{found.equilibria}{'' if found.complete else ', perhaps not all'}"
    report.facts(f"{found.game}: {found.method}", {**facts, "known Nash equilibria": known})
    plays = {"current": ("Nash", "CE", "CCE"), "average": ("Nash", "CE", "CCE"), "joint": ("CE", "CCE")}
    header = ["iteration", *(f"{play}: {what}" for play, measures in plays.items() for what in measures)]
    rows = []
    for point in found.curve:
        cells = [x for one in (point.current, point.average) for x in (one.nash, one.ce, one.cce)]
        cells += [point.joint.ce, point.joint.cce]
        rows.append([point.iteration, *("" if x is None else f"{x:.3g}" for x in cells)])
    report.grid("total variation distance to equilibria", header, rows)


def _show_commitment(record: dict[str, Any]) -> None:
    leader = record["leader"]
    report.facts(
        f"{record['game']}: player {leader} announces",
        {"values": record["values"], "the follower could gain": record["gain"]},
    )
    rows = [
        [
            "leader" if player == leader else "follower",
            name,
            ", ".join(f"{a} {p:.4g}" for a, p in actions.items() if p > 0),
        ]
        for player, places in enumerate(record["strategies"])
        for name, actions in places.items()
    ]
    report.grid("strategies", ["who", "at", "plays"], rows)
