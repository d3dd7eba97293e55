"""Responses found in a given time: compared with best responses, and in games too large for those."""

from __future__ import annotations

from statistics import NormalDist
from typing import cast

from hannan.bench.rows import Figure, Row, Say, Section, alone
from hannan.forms.loader import load, load_expanded
from hannan.measures.appraisal import evaluate
from hannan.measures.responses.field import Field
from hannan.measures.responses.respond import MeasuredResponse, Method, respond
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile, uniform

GAMES = {
    "Leduc": "leduc_poker",
    "liar's dice-6": "liars_dice",
    "Goofspiel-5 hidden": "goofspiel(cards=5)",
    "battleship 2 by 2": "battleship",
}
SMALL = {"Kuhn": "kuhn_poker"}
SEARCHED, METHODS = ("Leduc", "Kuhn"), cast("tuple[Method, ...]", ("search", "local"))
"""The games in which a response looks ahead while it plays, and the methods."""
LARGE = "goofspiel(cards=13)"

ITERATIONS = 20
"""Iterations of CFR, to whose average the responses are."""
SECONDS, LARGE_SECONDS = 10.0, 30.0
"""Seconds for one response: in games that can be expanded, and in the one that cannot (60 s for both players)."""
LEARNT = 6.0
"""Seconds of outcome sampling, to whose policy the responses are."""
SHARE = 0.9
AGAINST_UNIFORM, AGAINST_SAMPLED = 24.0, 20.0

NOTES = (
    "The share is what the response gains in fresh plays over what a best response gains; of both players, the smaller "
    "one. The strategy is handed over as a policy, so that `auto` learns and computes nothing exact. A share "
    "above 1 is an error of the plays.",
    "`search` and `local` look ahead from beliefs, in plays of their own: a few hundred plays measure them, so shares "
    "are rough.",
    "A bound is what a best response gains at least, with probability 95 %, whatever the distribution within the range "
    "of payoffs; of both players, the smaller one. Next to each gain are the lower bound and the lower end of a "
    "one-sided normal interval at 95 %, which is not a bound. The rule `bid the prize's value` gains 28 against "
    "uniform play.",
)


def run(quick: bool, say: Say) -> Section:
    """Respond to uniform play and to CFR's early average; then to play of a game that is too large to expand."""
    rows = []
    seconds = 1.0 if quick else SECONDS
    for name, address in (SMALL if quick else GAMES).items():
        game = load_expanded(address)
        solver = CFR(game)
        solver.run(ITERATIONS)
        for whom, profile in {"uniform play": uniform(game), f"CFR-{ITERATIONS}": solver.average()}.items():
            say(f"responses: {name} against {whom}")
            rows.append(share(f"{name}, against {whom}, {seconds:g} s", profile, seconds, quick))
            if name in SEARCHED:
                rows += [ahead(f"{name}, {method} against {whom}", profile, method, seconds) for method in METHODS]
    if not quick:
        game13 = load(LARGE).played()
        sampler = OutcomeSampling(game13, over="rules", seed=1)
        say("responses: Goofspiel-13")
        rows.append(bound("Goofspiel-13, against uniform play, 30 s a player", Policy.uniform(game13), AGAINST_UNIFORM))
        sampler.run(1)  # compiles
        _run_for(sampler, LEARNT)
        measure = f"Goofspiel-13, against {LEARNT:g} s of outcome sampling, 30 s a player"
        rows.append(bound(measure, sampler.policy(), AGAINST_SAMPLED))
    return Section("responses", tuple(rows), NOTES)


def share(measure: str, profile: Profile, seconds: float, quick: bool) -> Row:
    """Respond for both players; the smaller share of a best response's gain counts."""
    gains, policy = evaluate(profile.game, profile).gains, profile.policy()
    responses = [respond(policy, player, seconds=seconds) for player in range(policy.game.players)]
    shares = [response.gain / gain for response, gain in zip(responses, gains, strict=True)]
    worst = min(range(len(shares)), key=shares.__getitem__)
    one = responses[worst]
    note = f"{_told(one)} of {gains[worst]:.4g}, by {one.method}"
    ours = Figure("hannan", shares[worst], "of the best gain")
    return alone(measure, ours, least=None if quick else SHARE, note=note)


def ahead(measure: str, profile: Profile, method: Method, seconds: float) -> Row:
    """Respond by looking ahead, for both players; the smaller share of a best response's gain counts."""
    gains = evaluate(profile.game, profile).gains
    responses = [respond(profile, player, method, seconds=seconds) for player in range(profile.players)]
    worst = min(responses, key=lambda one: one.gain / gains[one.player])
    note = f"{_told(worst)} of {gains[worst.player]:.4g}"
    return Row(measure, Figure("hannan", worst.gain / gains[worst.player], "of the best gain"), note=note)


def bound(measure: str, policy: Policy, least: float) -> Row:
    """Respond for both players of a large game; the smaller bound counts."""
    field = Field(policy)
    responses = [respond(policy, player, seconds=LARGE_SECONDS, field=field) for player in range(2)]
    one = min(responses, key=_least)
    ours = Figure("hannan", _least(one), "points")
    return alone(measure, ours, least=least, note=f"{_told(one)}, by {one.method}")


def _least(response: MeasuredResponse) -> float:
    assert response.lower_bound is not None  # every game here has a known range
    return response.lower_bound


def _told(response: MeasuredResponse) -> str:
    """Return what a response gains in words: the mean, the bound, and the lower end of a normal interval."""
    normal = NormalDist().inv_cdf(response.confidence) / NormalDist().inv_cdf(0.5 + response.confidence / 2)
    end = max(response.gain - normal * response.interval_half_width, 0.0)
    gain = f"player {response.player} gains {response.gain:.4g} in {response.plays:,} plays"
    return f"{gain}, at least {_least(response):.4g} (normal: {end:.4g})"


def _run_for(sampler: OutcomeSampling, seconds: float) -> None:
    from time import perf_counter

    began = perf_counter()
    while perf_counter() - began < seconds:
        sampler.run(1000)
