"""The command `hannan search`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from hannan.cli import report
from hannan.cli.options import LOG, Json, Trusted, Whole, check_targets, consent
from hannan.cli.report import answer
from hannan.cli.solve import STOPS
from hannan.runs.search import search as searching
from hannan.runs.search_work import SearchResult
from hannan.runs.status_line import duration
from hannan.strategies.files import save


def search(
    game: str | None = None,
    /,
    *,
    rule: str | None = None,
    gamma: float | None = None,
    iterations: Whole | None = None,
    seconds: float | None = None,
    path: Annotated[str | None, Parameter(name="--from")] = None,
    seed: Whole | None = None,
    bounds: str | None = None,
    tree: str | None = None,
    nodes: Whole | None = None,
    returns: str | None = None,
    explore: str | None = None,
    unvisited: str | None = None,
    c: float | None = None,
    margin: float | None = None,
    rollout: str | None = None,
    evaluation: str | None = None,
    exploration: bool | None = None,
    measure: bool | None = None,
    out: Path | None = None,
    log: Path | None = None,
    checkpoint: Path | None = None,
    every: float = 60.0,
    resume: Path | None = None,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Search a game of simultaneous moves from its rules: what to play now, and what the position is worth.

    Stops after so many iterations or seconds, else after 100,000 iterations; Ctrl-C ends the search with what it has.

    Parameters
    ----------
    game
        An address such as "goofspiel(information=open)", or file.py:MyRules. Only the current joint move may be hidden.
    rule
        rm, rm-mean, exp3, exp3-mean, exp3-ix, hedge, rm+, uct, uct-random, oos or random, or file.py:Class
        (docs/own.md). Default: rm-mean.
    gamma
        How much the rule explores, from 0 to 1; 0.1 where it is not given, of oos 0.6.
    iterations
        Stop after this many walks.
    seconds
        Stop after this much searching.
    path
        The position to search from, moves joined by colons, as in "(1,5):(2,3)".
    seed
        Where random numbers begin; 0 where it is not given.
    bounds
        LOW,HIGH: the least and the most that player 0 can gain from there on, for rules that do not say.
    tree
        incremental (the default: each walk adds a leaf) or full (all nodes are written down first, and the rule alone
        selects).
    nodes
        The most nodes of the tree, ten million where it is not given; a full tree is searched on.
    returns
        sample or mean: what nodes return, where the rule's name (mean with -mean, else sample) should not say it.
    explore
        own (the default), star (A*: play anything with probability gamma, and learn nothing) or plus (A+: so at
        visits 1, 4, 9, …).
    unvisited
        skip (the default) or zero: whether cells without a visit are left out of an update, or count as 0.
    c
        The constant of uct; 2 where it is not given.
    margin
        Of uct-random: actions whose bounds lie this close to the best are tied; 0.01 where it is not given.
    rollout
        file.py:function: from a state and a player to the probabilities with which new leaves are played out.
    evaluation
        file.py:function: from a state to what player 0 can still expect to gain; then nothing is played out.
    exploration
        Whether strategies keep the rule's exploration; they do unless --no-exploration is given.
    measure
        Whether gains are measured exactly, where the game is small enough to expand: they are, unless --no-measure is
        given. Measuring may take longer than searching.
    out
        Save the strategy here.
    log
        Write every measurement here as it is made, one JSON object a line; hannan plot draws it.
    checkpoint
        Save the whole search here from time to time, and at the end.
    every
        Seconds between two checkpoints.
    resume
        Go on from this checkpoint, to the same bits as a search that was never stopped.
    """
    given = {
        "gamma": gamma, "seed": seed, "bounds": bounds, "tree": tree, "nodes": nodes, "returns": returns,
        "explore": explore, "unvisited": unvisited, "c": c, "margin": margin, "rollout": rollout,
        "evaluation": evaluation,
    }  # fmt: skip
    targets = {"strategy": out, "log": log, "checkpoint": checkpoint}
    check_targets({"--out": out, LOG: log, "--checkpoint": checkpoint}, (game, rule, rollout, evaluation))
    run = searching.begin(
        game, rule, iterations=iterations, seconds=seconds, from_=path, exploration=exploration, measure=measure,
        checkpoint=checkpoint, every=every, resume=resume, log=log, progress=True, trust=consent(trust, as_json),
        **{name: value for name, value in given.items() if value is not None},
    )  # fmt: skip
    result = run.finish()
    try:
        answer(as_json, result.record(), lambda: _show(result))
    finally:  # neither is lost if the other fails
        if out is not None:
            save(result.strategy, out)
    if run.unsaved is not None:
        raise run.unsaved
    report.name_files(as_json, targets)


def _show(result: SearchResult) -> None:
    rows: dict[str, Any] = {
        "rule": result.rule,
        "stopped": f"{STOPS[result.stop]}, after {report.counted(result.iterations, 'iterations')} in "
        f"{duration(result.seconds)}",
        "nodes": f"{result.nodes:,} ({result.bytes / max(result.nodes, 1):.0f} bytes each)",
        "value, estimated": result.value,
    }
    if result.exact_value is not None:
        rows["value, exact"] = result.exact_value
    for player in range(2):
        if result.frequencies[player]:
            rows[f"player {player} plays"] = _shares(result.frequencies[player])
            rows[f"player {player} on average"] = _shares(result.averages[player])
            rows[f"player {player} now"] = result.move[player]
    if result.nash_conv is not None:
        rows |= {"shortfalls": result.shortfalls, "gains": result.gains, "NashConv": result.nash_conv}
    report.facts(f"{result.game}{f' after {result.path}' if result.path else ''}", rows)


def _shares(plays: dict[str, float]) -> str:
    return ", ".join(f"{name} {share:.3f}" for name, share in plays.items())
