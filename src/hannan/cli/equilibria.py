"""The command `hannan equilibria`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json, check_targets, offering
from hannan.cli.report import answer
from hannan.cli.sets import show_sets
from hannan.measures.equilibrium import Equilibrium, simultaneous
from hannan.measures.tables import summary
from hannan.runs.equilibria import AUTO, Equilibria
from hannan.runs.equilibria import equilibria as finding
from hannan.runs.status_line import duration
from hannan.solvers.exact.normalform import normal_form
from hannan.strategies.files import save

STOPS = {
    "exact": "the method ended by itself",
    "decided": "enough equilibria were found",
    "seconds": "time was up",
    "interrupted": "interrupted",
}
FEW = 12
"""The most actions of a player for which all probabilities are shown."""
MOST, SETS = 100, 40
"""The most equilibria, and the most information sets of each, that are shown."""
MARKS = ("strict", "quasi_strict", "isolated", "component", "index")


@offering(finding)
def equilibria(
    game: str, /, *, mixed: bool = False, out: Path | None = None, strategy: Path | None = None, as_json: Json = False,
    **given: Any,
) -> None:  # fmt: skip
    """Find Nash equilibria of a small game, each with a proof.

    The answer says whether the list is complete, and why. Ctrl-C, or a limit, prints the equilibria that are known by
    then.

    Parameters
    ----------
    mixed
        Show the probabilities of plans (pure strategies) too, for a game that is not a matrix.
    out
        Write the equilibria with their proofs here; `hannan verify` checks the file.
    strategy
        Save the first equilibrium here, for `hannan show`, `play`, `match` and `evaluate`.
    """
    method = str(given.pop("method", AUTO))
    check_targets({"--out": out, "--strategy": strategy}, (game,))
    found = finding(game, method, progress=True, **given)
    writers = {"proofs": lambda: found.save(str(out)), "strategy": lambda: _save_first(found, strategy)}
    if given.get("refinements") and (late := sum(one.refinements is None for one in found.equilibria)):
        report.note(f"the work was stopped before the refinements of {late:,} of {len(found):,} equilibria were known")
    try:
        answer(as_json, found.record, lambda: _show(found, mixed))
    finally:
        report.write_all(as_json, {"proofs": out, "strategy": strategy}, writers, None)


def _save_first(found: Equilibria, path: Path | None) -> bool:
    """Save the first equilibrium; return whether there is one."""
    if not found.equilibria:
        report.note(f"no equilibrium was found, so {path} was not written")
        return False
    assert path is not None
    save(found[0].profile, path)
    return True


def _show(found: Equilibria, mixed: bool) -> None:
    number = len(found)
    rows = {
        "method": found.method,
        "complete": f"{'yes' if found.complete else 'no'}: {found.why}",
        "stopped": f"{STOPS[found.stop]}, after {duration(found.seconds)}",
    }
    if found.components is not None:
        rows["components"] = f"{found.components:,}"
    elif found.complete:
        rows["components"] = "not known: the time was up, or the work was interrupted"
    report.facts(f"{found.game}: {report.counted(number, 'equilibria') if number != 1 else '1 equilibrium'}", rows)
    shown = found.equilibria[:MOST]
    if not shown:
        return
    lists = found[0].mixed is not None and simultaneous(found[0].game)
    heads = ["", "payoffs", *([f"player {p}" for p in range(found[0].game.players)] if lists else []), *MARKS, "proof"]
    lines = []
    for k, one in enumerate(shown, 1):
        own = [_probabilities(one, player) for player in range(one.game.players)] if lists else []
        lines.append([k, _payoffs(one), *own, *(_mark(getattr(one, name)) for name in MARKS), _proof(one)])
    report.grid("", [head.replace("_", "-") for head in heads], lines)
    if shown[0].refinements is not None:
        names = list(shown[0].refinements)
        judged = [[k, *(_mark((one.refinements or {}).get(name)) for name in names)] for k, one in enumerate(shown, 1)]
        report.grid("refinements", ["", *(name.replace("_", "-") for name in names)], judged)
    if not lists:
        for k, one in enumerate(shown, 1):
            report.console().print(f"equilibrium {k}")
            show_sets(summary(one.profile, most=SETS))
    if mixed and not lists:
        for k, one in enumerate(shown, 1):
            _show_plans(k, one)
    if number > MOST:
        report.note(f"the first {MOST} of {number:,} are shown; --json and --out have all of them")


def _payoffs(one: Equilibrium) -> str:
    return "  ".join(map(str, one.exact_payoffs) if one.exact_payoffs else (f"{pay:.8g}" for pay in one.payoffs))


def _probabilities(one: Equilibrium, player: int) -> str:
    """Write the probabilities of a player's actions; of many actions, the positive ones with their numbers."""
    assert one.mixed is not None
    exact = one.fractions[player] if one.fractions is not None else None
    said = [str(part) for part in exact] if exact is not None else [f"{part:.6g}" for part in one.mixed[player]]
    if len(said) <= FEW:
        return "  ".join(said)
    return "  ".join(f"{k}: {part}" for k, part in enumerate(said) if part != "0")


def _mark(known: bool | int | None) -> Any:
    return "yes" if known is True else "no" if known is False else known


def _proof(one: Equilibrium) -> str:
    if one.proof == "fractions":
        return "exact fractions"
    if one.proof == "krawczyk":
        return f"a true one within {one.radius:.1e}"
    return f"an ε-equilibrium, ε ≤ {one.regret:.1e}"


def _show_plans(number: int, one: Equilibrium) -> None:
    """Print the plans that an equilibrium mixes."""
    if one.mixed is None or one.support is None:
        report.note(f"equilibrium {number} was found without plans: only its behaviour is known")
        return
    form = normal_form(one.game)
    lines = [
        [player, form.plan_text(player, plan), str(_weight(one, player, plan))]
        for player, plans in enumerate(one.support)
        for plan in plans
    ]
    report.grid(f"plans of equilibrium {number}", ["player", "plan", "probability"], lines)


def _weight(one: Equilibrium, player: int, plan: int) -> Any:
    assert one.mixed is not None
    return one.fractions[player][plan] if one.fractions is not None else float(one.mixed[player][plan])
