"""Records of certificates, files of equilibria, logs and matches for the interface."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hannan.arguments import choice
from hannan.certificates.certificate import RECORDED
from hannan.certificates.files import CHECKPOINT, KIND
from hannan.certificates.report import TrunkReport, TrunkRow, trunk_report
from hannan.errors import FileError, HannanError
from hannan.files import NONSENSE, facts_of, read_arrays, understanding
from hannan.runs.log import LoggedRun, read_log
from hannan.runs.match_work import KIND as MATCH
from hannan.web.numbers import fact_text, finite, number_text, numbers_text, percent_text, plain
from hannan.web.solving import point_record, thinned

if TYPE_CHECKING:
    from hannan.web.session import Session

ORDERS = ("count", "radius", "name", "leaves")
SHOWN = (
    ("game", "game"), ("gap", "proven gap"), ("gaps", "gap of each player"), ("confidence", "confidence"),
    ("playthroughs", "playthroughs"), ("method", "method"), ("why", "why this method"), ("radius", "radius"),
    ("guarantees", "each strategy guarantees"), ("value_bounds", "the value lies between"),
    ("true_gap", "true gap"), ("bounds", "bounds on gains by"), ("groups", "groups of chance by"),
    ("trunk", "nodes of the trunk"), ("expanded", "expanded nodes"), ("failures", "failed playthroughs"),
    ("seconds", "seconds"), ("stop", "stopped by"), ("seed", "seed"),
)  # fmt: skip


def certificate_record(session: Session, file: str) -> dict[str, Any]:
    """Return a certificate, with the curve of its gap if a log or checkpoint in the folder has the curve."""
    path = session.folder.path(file)
    _, facts = read_arrays(path, KIND)
    shown = {name: facts.get(name) for name in RECORDED}
    rows = [{"name": text, "text": fact_text(shown[name])} for name, text in SHOWN if shown.get(name) not in (None, "")]
    points, origin, where = _bounds(session, facts)
    return {
        "file": file, "facts": plain(shown), "rows": rows, "curve": points, "curve_from": origin, "curve_file": where,
    }  # fmt: skip


def _bounds(session: Session, facts: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str | None, str | None]:
    """Return the gap over playthroughs from a log or checkpoint of the same certification, and its kind and file."""
    about = [one for one in session.folder.files() if one.kind in ("certification", "log")]
    for one in sorted(about, key=lambda file: file.kind):
        path = session.folder.path(one.file)
        try:
            found = _from_checkpoint(path, facts) if one.kind == CHECKPOINT else _from_log(path, facts)
        except HannanError:
            continue
        if found:
            return found, "checkpoint" if one.kind == CHECKPOINT else "log", one.file
    return [], None, None


def _bound(playthroughs: Any, gap: Any, lower: Any = None, upper: Any = None) -> dict[str, Any]:
    return {
        "playthroughs": int(playthroughs), "gap": finite(gap), "lower": finite(lower), "upper": finite(upper),
        "gap_text": number_text(gap),
    }  # fmt: skip


def _from_checkpoint(path: Path, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the bounds in a checkpoint; none if its game or seed differ from those of the certificate."""
    found = facts_of(path)
    if found is None:
        return []
    with understanding(path, "a checkpoint of a certification"):
        _, told = found
        options = told["options"]
        if (options.get("game"), options.get("seed")) != (facts.get("game"), facts.get("seed")):
            return []
        points = []
        for bound in told["bounds"]:
            playthroughs, lower, upper = bound[:3]
            gaps, rounds = [*bound[5:7], None, None][:2]
            gap = max(gaps) if gaps else upper - lower
            points.append(_bound(playthroughs, gap if rounds is None else min(gap, rounds), lower, upper))
        return [point for point in points if point["playthroughs"] <= facts["playthroughs"]]


def _from_log(path: Path, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    run = read_log(path)
    told = run.heading.get("parameters") or {}
    if run.counts != "playthroughs" or run.heading.get("game") != facts.get("game"):
        return []
    if told.get("seed") != facts.get("seed"):
        return []
    return [_bound(one.iteration, one.gap) for one in run.curve if one.iteration <= int(facts["playthroughs"])]


@lru_cache(4)
def _trunk(path: Path, modified: float, game: Any) -> TrunkReport:
    return trunk_report(path, game)


def trunk_record(
    session: Session, file: str, player: int | None, sort: str, descending: bool, offset: int, limit: int
) -> dict[str, Any]:
    """Return a page of the trunk of a certificate."""
    choice("sort", sort, ORDERS)
    path = session.folder.path(file)
    kept = facts_of(path)
    address = None if kept is None else kept[1].get("game")
    known = next((one.game for one in session.games.values() if one.game is not None and one.address == address), None)
    report = _trunk(path, path.stat().st_mtime, known)
    rows = [row for row in report.rows if player is None or row.player == player]
    rows.sort(key=lambda row: _order(row, sort), reverse=descending)
    items = [
        {
            "name": row.name, "player": row.player, "kind": row.kind, "count": row.count,
            "radius": finite(row.radius), "radius_text": number_text(row.radius), "nodes": row.nodes,
            "leaves": row.leaves,
        }
        for row in rows[offset : offset + limit]
    ]  # fmt: skip
    return {
        "total": len(rows), "offset": offset, "limit": limit, "items": items, "nodes": report.nodes,
        "sets": report.sets, "expanded": report.expanded, "unknown": report.unknown,
        "radius": str(report.facts["radius"]),
    }  # fmt: skip


def _order(row: TrunkRow, sort: str) -> Any:
    if sort == "name":
        return row.name
    number = getattr(row, sort)
    return -1 if number is None else number


def equilibria_record(session: Session, file: str, offset: int, limit: int) -> dict[str, Any]:
    """Return a page of the equilibria of a file, as the file states them, unchecked."""
    from hannan.verifier import read_equilibria

    path = session.folder.path(file)
    told = read_equilibria(path)
    try:
        found, names = list(told["equilibria"]), told["names"]
        items = [
            _equilibrium(number, one, names)
            for number, one in list(enumerate(found))[offset : offset + limit]
        ]  # fmt: skip
        return {
            "total": len(found), "offset": offset, "limit": limit, "items": items, "file": file,
            "game": str(told["game"]), "complete": bool(told["complete"]), "why": str(told.get("why", "")),
        }  # fmt: skip
    except NONSENSE as error:
        raise FileError(f"{file} is not a file of equilibria that this hannan can read ({error})") from error


def _equilibrium(number: int, one: Mapping[str, Any], names: Any) -> dict[str, Any]:
    strategies = []
    for player, (shares, texts) in enumerate(zip(one["decimals"], names, strict=True)):
        rows = [
            {"label": str(text), "probability": finite(share), "probability_text": percent_text(share)}
            for text, share in zip(texts, shares, strict=True)
            if text
        ]
        strategies.append({"player": player, "rows": rows})
    payoffs = [" to ".join(map(str, paid)) if isinstance(paid, list) else str(paid) for paid in one["payoffs"]]
    return {
        "number": number, "payoffs": payoffs, "proof": str(one["proof"]),
        "radius": None if one.get("radius") is None else str(one["radius"]),
        "regret": None if one.get("regret") is None else str(one["regret"]), "index": one.get("index"),
        "strategies": strategies,
    }  # fmt: skip


def log_record(session: Session, file: str) -> dict[str, Any]:
    """Return the curve of a log."""
    run: LoggedRun = read_log(session.folder.path(file))
    points = [point_record(vars(point)) for point in run.curve]
    game, method = run.heading.get("game"), run.heading.get("method")
    return {
        "file": file, "game": game, "method": method, "label": run.label, "counts": run.counts, "stop": run.stop,
        **thinned(points),
    }  # fmt: skip


def match_record(session: Session, file: str) -> dict[str, Any]:
    """Return the scores of a match from its checkpoint."""
    from hannan.runs.tally import scores_in

    path = session.folder.path(file)
    arrays, facts = read_arrays(path, MATCH)
    with understanding(path, "a match that this hannan can read"):
        players, terms = [str(name) for name in facts["players"]], facts["terms"]
        rounds, means, widths = scores_in(arrays, float(terms["confidence"]))
        rows = [{"name": str(name), "text": fact_text(value)} for name, value in terms.items()]
    return {
        "file": file, "game": str(facts["game"]), "players": players, "rounds": rounds,
        "scores": [finite(mean) for mean in means], "scores_text": numbers_text(means),
        "interval_half_widths": [finite(width) for width in widths], "rows": rows,
    }  # fmt: skip
