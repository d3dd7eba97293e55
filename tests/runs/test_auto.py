"""The method `auto`: what it forecasts, when it switches, and that neither threads nor a stop change its bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.runs.auto import Auto
from hannan.runs.auto_beside import Beside
from hannan.runs.auto_forecast import FARTHEST, Costs, Curve, program_seconds
from hannan.runs.auto_rounds import Rounds
from hannan.solvers.exact.finish import Finish

LEDUC = "leduc_poker"


def curve(power: float, last: int = 100) -> Curve:
    """A curve that falls like iterations^-power, measured as `auto` measures."""
    iterations = list(range(10, last + 1, 10))
    return Curve(iterations, [float(k) ** -power for k in iterations])


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_a_power_law_is_forecast_where_it_arrives(power: float) -> None:
    """By hand: k^-p is ε at k = ε^(-1/p). A tenth of the last gap is near enough for the line to be believed."""
    target = 0.2 * 100.0**-power
    assert curve(power).end(target) == pytest.approx(target ** (-1 / power), rel=1e-9)


def test_far_ahead_a_forecast_takes_the_steady_slope() -> None:
    """By hand: from 1/100 at iteration 100, a tenth at slope 1 ends at 1,000; another at slope 2 at √10 times that."""
    assert curve(1.0).end(1e-4, (2.0, 8.0)) == pytest.approx(1000 * 10**0.5, rel=1e-9)
    assert curve(1.0).end(0.0) == FARTHEST
    assert curve(1.0).end(0.5) == 100


def fed(rounds: Rounds, k: int, gaps: Any, first: int = 1) -> None:
    for number, gap in enumerate(gaps, first):
        rounds.note(k, 10 * number, gap)


def test_a_method_that_falls_behind_pauses_and_runs_again_when_the_other_flattens() -> None:
    rounds = Rounds(("pdcfr+", "dcfr+"))
    fed(rounds, 0, [1.0, 0.8, 0.6, 0.5])
    fed(rounds, 1, [1.0, 0.1, 0.02, 0.005])
    rounds.decide(40, 1e-3, None)
    assert rounds.running == [1]
    assert "dcfr+ goes on alone from iteration 40" in rounds.story("")
    fed(rounds, 1, [0.005] * 12, first=5)  # as flat as can be
    rounds.decide(160, 1e-3, None)
    assert rounds.running == [0, 1]


def test_the_finish_takes_over_once_less_work_is_predicted_for_it() -> None:
    for cost, exact in ((1e2, True), (1e9, False), (None, False)):
        rounds = Rounds(("pdcfr+", "dcfr+"))
        fed(rounds, 0, [1.0, 0.8, 0.6, 0.5])
        fed(rounds, 1, [1.0, 0.8, 0.6, 0.5])
        rounds.decide(40, 1e-6, cost)
        assert rounds.exact is exact
        assert not exact or "goes on alone from iteration 40" in rounds.story("")
    rounds.fail()  # after 80 iterations of both methods: it may try again after 160
    rounds.decide(40, 1e-6, 1e2)
    assert not rounds.exact
    fed(rounds, 0, [0.5] * 8, first=5)
    rounds.decide(80, 1e-6, 1e2)
    assert rounds.exact


def test_exact_answers_are_predicted_dearer_where_more_is_played() -> None:
    form = load_expanded(LEDUC).form
    costs = Costs.of(form)
    assert costs.guess(200, 400) < costs.guess(2000, 400) < costs.guess(2000, 4000)
    assert costs.finish(200, 400, 1e4) < costs.finish(200, 800, 1e4) < costs.finish(200, 800, 1e5)
    assert 0.01 < program_seconds(form) < 1.0  # measured: 0.05 to 0.08 s


def test_the_cost_of_a_finish_is_looked_up_when_it_would_take_over() -> None:
    rounds = Rounds(("pdcfr+", "dcfr+"))
    assert not rounds.tempting(40, 1e-6, 1e2, 0.0)  # nothing is measured
    fed(rounds, 0, [1.0, 0.8, 0.6, 0.5])
    fed(rounds, 1, [1.0, 0.8, 0.6, 0.5])
    assert rounds.tempting(40, 1e-6, 1e2, 80.0)
    assert not rounds.tempting(40, 1e-6, 1e2, 81.0)  # a look takes longer than all so far
    assert not rounds.tempting(40, 1e-6, 1e9, 80.0)
    rounds.look(40, 7.0)
    assert rounds.looked
    assert not rounds.tempting(79, 1e-6, 1e2, 80.0)
    assert rounds.tempting(80, 1e-6, 1e2, 80.0)
    restored = Rounds(("pdcfr+", "dcfr+"))
    assert restored.accepts(rounds.state())
    restored.restore(rounds.state())
    assert restored.dearer == 7.0
    assert not restored.tempting(79, 1e-6, 1e2, 80.0)


def test_a_finish_that_found_no_answer_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """After too few rounds it goes on from a better average, and what it found stays if that is better."""
    game = load_expanded("random_game(depth=4,branching=3,seed=6,hidden=true)")
    monkeypatch.setattr("hannan.runs.auto.MOST_ROUNDS", 1)
    begun: list[float] = []
    begin = Finish.begin

    def noted(finish: Finish, strategies: Any) -> None:
        begin(finish, strategies)
        begun.append(finish.gap)

    monkeypatch.setattr(Finish, "begin", noted)
    auto = Auto(game, target=1e-12)
    while not auto.solved and auto.iterations < 20_000:
        auto.run(200)
    assert auto.solved
    assert hn.evaluate(auto.average()).nash_conv < 1e-12
    assert len(begun) > 2
    assert begun[-1] < begun[0]


@pytest.mark.parametrize("stop", [40, 120, 240, 270])
def test_resumed_before_and_after_a_look(stop: int) -> None:
    """A look at the cost of the finish is kept: the resumed run comes to the same bits."""
    game = load_expanded("random_game(depth=4,branching=3,seed=6,hidden=true)")
    whole, begun = Auto(game, target=1e-9), Auto(game, target=1e-9)
    whole.run(20_000)
    begun.run(stop)
    resumed = Auto(game, target=1e-9)
    assert resumed.accepts(begun.state())
    resumed.restore(begun.iterations, begun.state())
    resumed.run(20_000)
    assert whole.solved
    assert resumed.iterations == whole.iterations
    assert whole._rounds.looked
    np.testing.assert_array_equal(resumed._rounds.state()["auto.facts"], whole._rounds.state()["auto.facts"])
    for mine, other in zip(resumed.average().strategies, whole.average().strategies, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("address", [LEDUC, "oshi_zumo(coins=4)", "liars_dice(faces=3)", "goofspiel(cards=3)"])
def test_payoffs_of_games_that_people_play_are_small_multiples(address: str) -> None:
    assert Costs.of(load_expanded(address).form).even
    assert not Costs.of(load_expanded("random_game(depth=3,hidden=true)").form).even


def test_the_systems_of_a_finish_tell_its_cost() -> None:
    """The guess fits poker. Factors of games without structure have many times its numbers."""
    fill = []
    for address in (LEDUC, "random_game(depth=4,branching=3,seed=5,hidden=true)"):
        game = load_expanded(address)
        dcfr = hn.methods.DCFRPlus(game)
        dcfr.run(300)
        finish = Finish(game)
        finish.begin(dcfr.average().strategies)
        payoffs = np.count_nonzero(finish.kept[0][game.form.sequences[0]] & finish.kept[1][game.form.sequences[1]])
        numbers, products = finish.factors()
        assert products > numbers
        fill.append(numbers / (sum(map(np.count_nonzero, finish.kept)) + payoffs))
    assert 1.0 < fill[0] < 5.0 < fill[1]


@pytest.fixture(scope="module")
def fine() -> hn.Result:
    return hn.solve(LEDUC, gap=1e-9)


def test_a_tiny_gap_ends_exactly_and_a_coarse_one_does_not(fine: hn.Result) -> None:
    """Leduc poker is worth -0.0856064 to its first player (the catalogue's source)."""
    assert (fine.method, fine.stop, fine.record()["winner"]) == ("auto", "exact", "support")
    assert fine.nash_conv < 1e-10
    assert fine.values[0] == pytest.approx(-0.0856064, abs=1e-7)
    assert "support ended the run exactly" in fine.why
    coarse = hn.solve(LEDUC, gap=0.05)
    assert (coarse.stop, coarse.method) == ("gap", "auto")
    assert coarse.record()["winner"] in ("pdcfr+", "dcfr+")
    assert hn.evaluate(coarse.profile).nash_conv == pytest.approx(coarse.nash_conv, abs=1e-12)
    assert coarse.nash_conv <= 0.05


def strategies(result: hn.Result) -> bytes:
    return b"".join(part.tobytes() for part in result.profile.strategies)


def test_the_same_bits_on_any_threads_and_through_stops(tmp_path: Path) -> None:
    """Stopped inside the race at iteration 100, and resumed; with one thread and two; in slices of any size."""
    how: dict[str, Any] = {"gap": 1e-3, "support": False}
    whole = hn.solve(LEDUC, "auto", **how)
    assert whole.stop == "gap"
    assert strategies(hn.solve(LEDUC, "auto", threads=2, **how)) == strategies(whole)
    path = tmp_path / "race.checkpoint"
    stopped = hn.solve(LEDUC, "auto", iterations=100, checkpoint=path, **how)
    assert (stopped.stop, stopped.iterations) == ("iterations", 100)
    again = hn.solve(resume=path, gap=1e-3)
    assert (again.iterations, again.gap, again.record()["winner"]) == (
        whole.iterations,
        whole.gap,
        whole.record()["winner"],
    )
    assert strategies(again) == strategies(whole)
    by_hand = Auto(LEDUC, target=1e-3, support=False)
    while by_hand.iterations < whole.iterations:
        by_hand.run(min(7, whole.iterations - by_hand.iterations))
    assert b"".join(part.tobytes() for part in by_hand.average().strategies) == strategies(whole)


def test_an_exact_end_is_kept_in_a_checkpoint(tmp_path: Path, fine: hn.Result) -> None:
    path, log = tmp_path / "exact.checkpoint", tmp_path / "run.log"
    result = hn.solve(LEDUC, gap=1e-9, checkpoint=path, log=log)
    assert (result.stop, result.iterations) == ("exact", fine.iterations)
    solver = hn.resume(path)
    assert solver.solved
    assert [part.tolist() for part in solver.average().profile().strategies] == [
        p.tolist() for p in fine.profile.strategies
    ]
    last = json.loads(log.read_text().splitlines()[-1])
    assert (last["stop"], last["story"]) == ("exact", result.story)


def test_resumed_inside_the_finish(tmp_path: Path) -> None:
    """This game takes several rounds."""
    address = "random_game(depth=6,branching=2,seed=7,hidden=true)"
    whole, split = (Auto(address, target=1e-9) for _ in range(2))
    whole.run(10_000)
    assert whole.solved
    while split._finish is None:
        split.run(1)
    assert not split.solved
    split.save(tmp_path / "inside.checkpoint")
    resumed = hn.resume(tmp_path / "inside.checkpoint")
    assert [part.tolist() for part in resumed.average().profile().strategies] == [
        part.tolist() for part in split.average().strategies
    ]
    resumed.run(10_000)
    assert resumed.iterations == whole.iterations
    for name, array in whole.state().items():
        np.testing.assert_array_equal(resumed.state()[name], array)


def test_an_answer_is_never_worse_than_the_methods_and_says_its_gap() -> None:
    """Between the rounds of the finish, too: the gap that a run sees is that of the average that it returns."""
    solver = Auto("random_game(depth=6,branching=2,seed=7,hidden=true)", target=1e-9)
    while not solver.solved:
        solver.run(1)
        if solver._finish is not None:
            gap = hn.evaluate(solver.average()).nash_conv
            assert gap <= solver._rounds.lowest + 1e-12
    assert hn.evaluate(solver.average()).nash_conv < 1e-12


def test_a_state_that_cannot_be_is_refused() -> None:
    solver = Auto(LEDUC, target=1e-9)
    solver.run(10_000)
    assert solver.solved
    good = solver.state()
    assert solver.accepts(good)
    for name, spoil in (
        ("auto.curves", -1.0),
        ("auto.facts", 0.5),
        ("auto.done", 0.5),
        ("pdcfr+.strategy", 2.0),
        ("finish.answer", np.nan),
        ("finish.kept", 2.0),
        ("finish.facts", -1.0),
    ):
        bad = {**good, name: np.full_like(good[name], spoil)}
        assert not solver.accepts(bad), name


def test_a_start_is_taken_by_both_methods() -> None:
    """An equilibrium to begin from is within reach at once; from uniform play, Leduc's gap after 16 is above 0.3."""
    exact = hn.solve(LEDUC, "lp")
    warm = hn.solve(LEDUC, "auto", start=exact.profile, iterations=16)
    assert warm.nash_conv < 0.05


def test_a_race_against_the_program_is_won_by_somebody() -> None:
    """Which one depends on the clock; the answer is an equilibrium either way."""
    result = hn.solve("goofspiel(cards=3)", gap=1e-7, race=True)
    assert result.stop in ("exact", "gap")
    assert result.nash_conv <= 1e-7
    assert result.record()["winner"] in ("lp", "support", "pdcfr+", "dcfr+")
    assert "depends on the clock" in result.why


def test_the_program_beside_can_be_cancelled() -> None:
    beside = Beside(load_expanded("leduc_poker(ranks=4)"))
    beside.cancel()
    assert not beside._thread.is_alive()


@pytest.mark.parametrize(
    ("game", "how", "words"),
    [
        ("chicken", {}, "two-player zero-sum game, and chicken is not one"),
        (LEDUC, {"target": -1.0}, "target"),
        (LEDUC, {"support": 1}, "support=1 should be true or false"),
    ],
    ids=str,
)
def test_what_it_cannot_do_is_refused_by_name(game: str, how: dict[str, Any], words: str) -> None:
    with pytest.raises(hn.HannanError, match=words):
        Auto(game, **how)


def test_a_race_is_for_auto() -> None:
    with pytest.raises(hn.HannanError, match="race is for method auto, not for cfr"):
        hn.solve(LEDUC, "cfr", race=True)
    with pytest.raises(hn.HannanError, match="auto takes cfr on chicken with these parameters: leave race out"):
        hn.solve("chicken", race=True, iterations=1)
