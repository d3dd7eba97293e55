"""Policies and bots of OpenSpiel's as they are: evaluated, matched and responded to; a large one without a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import ParameterError, PlayerError, UnsuitableError
from hannan.exports.openspiel.strategy import SpielPolicy
from hannan.forms.loader import load_expanded

pyspiel: Any = pytest.importorskip("pyspiel")
theirs_policy: Any = pytest.importorskip("open_spiel.python.policy")
exploitability: Any = pytest.importorskip("open_spiel.python.algorithms.exploitability")


def random_table(game: Any, seed: int) -> Any:
    """A tabular policy of OpenSpiel's with random probabilities."""
    table = theirs_policy.TabularPolicy(game)
    shares = np.random.default_rng(seed).random(table.action_probability_array.shape) * table.legal_actions_mask
    table.action_probability_array[:] = shares / shares.sum(axis=1, keepdims=True)
    return table


@pytest.mark.parametrize("address", ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker"])
def test_a_policy_is_evaluated_as_openspiel_does(address: str) -> None:
    """The same NashConv by OpenSpiel's own algorithm, within rounding of sums over the tree."""
    game = pyspiel.load_game(address)
    table = random_table(game, 3)
    expected = exploitability.nash_conv(game, table)
    assert hn.evaluate(table).nash_conv == pytest.approx(expected, abs=1e-9)
    assert hn.evaluate(game, table).nash_conv == pytest.approx(expected, abs=1e-9)
    assert hn.evaluate(address, table).nash_conv == pytest.approx(expected, abs=1e-9)
    for player in range(game.num_players()):
        best = hn.respond(table, player, "exact").gain
        assert best == pytest.approx(hn.evaluate(table).gains[player], abs=1e-12)


def test_policies_of_c_take_their_game_beside_them() -> None:
    game = pyspiel.load_game("kuhn_poker")
    uniform = pyspiel.UniformRandomPolicy(game)
    assert hn.evaluate(game, uniform).nash_conv == pytest.approx(11 / 12, abs=1e-12)
    with pytest.raises(ParameterError, match=r"hn.evaluate\(game, policy\)"):
        hn.evaluate(uniform)
    joint = pyspiel.load_game("matrix_pd")  # both move at once: the second action is to defect
    state = joint.new_initial_state()
    defects = pyspiel.TabularPolicy({state.information_state_string(player): [(0, 0.0), (1, 1.0)] for player in (0, 1)})
    both = hn.match(joint, defects, lambda sight: sight.actions[1], games=2)
    assert both.scores == (1.0, 1.0)
    assert hn.evaluate(joint, defects).nash_conv == pytest.approx(0.0, abs=1e-12)


def test_a_policy_plays_what_it_says() -> None:
    """The exact score of the same profile lies within bounds that hold with probability 0.9999."""
    game = pyspiel.load_game("kuhn_poker")
    table = random_table(game, 5)
    ours, uniform = hn.interop.from_openspiel(game, table), hn.uniform(load_expanded(game))
    both = [
        hn.values(ours.game, hn.Profile(ours.game, tuple(p.strategies[k] for k, p in enumerate(seats)), {}))
        for seats in ((ours, uniform), (uniform, ours))
    ]
    result = hn.match(game, table, "uniform", games=3000, seed=1, confidence=0.9999)
    assert result.half_widths is not None
    assert result.players == ("TabularPolicy", "uniform")
    assert abs(result.scores[0] - (both[0][0] + both[1][1]) / 2) < result.half_widths[0]


class Counting(theirs_policy.Policy):  # type: ignore[misc]
    """Plays the first action three times in four, and counts how often it is asked."""

    def __init__(self, game: Any) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.asked: set[str] = set()

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        player = state.current_player() if player_id is None else player_id
        self.asked.add(state.information_state_string(player))
        menu = state.legal_actions(player)
        rest = 0.25 / max(len(menu) - 1, 1)
        return {action: (0.75 if k == 0 else rest) if len(menu) > 1 else 1.0 for k, action in enumerate(menu)}


LARGE = "liars_dice(numdice=2)"


def test_a_large_policy_plays_without_a_table() -> None:
    game = pyspiel.load_game(LARGE)
    mine = Counting(game)
    result = hn.match(game, mine, "uniform", games=20, seed=1)
    assert result.games == 20
    assert 0 < len(mine.asked) < 200  # sets that plays came to, of millions


@pytest.mark.slow
def test_a_large_policy_is_responded_to_without_a_table() -> None:
    """A player who never bluffs beats one who mostly makes the lowest bid: the response gains, and sets stay few."""
    game = pyspiel.load_game(LARGE)
    mine = Counting(game)
    response = hn.respond(mine, 1, lambda sight: sight.actions[0], plays=100, walks=1)
    assert response.plays == 100
    assert len(mine.asked) < 50_000


def test_bots_take_the_seats_that_they_were_made_for() -> None:
    game = pyspiel.load_game("kuhn_poker")
    bots = [pyspiel.make_uniform_random_bot(seat, 7) for seat in range(2)]
    result = hn.match(game, bots, "uniform", games=400, seed=1, confidence=0.9999)
    assert result.players == ("Bot", "uniform")
    assert result.half_widths is not None
    assert abs(result.scores[0]) < result.half_widths[0]  # both play uniformly, and each sits everywhere
    with pytest.raises(ParameterError, match=r"\[make\(seat\) for seat in range\(2\)\]"):
        hn.match(game, bots[0], "uniform", games=2)
    with pytest.raises(ParameterError, match="there are 1 bots, and openspiel:kuhn_poker has 2 seats"):
        hn.match(game, bots[:1], "uniform", games=2)
    with pytest.raises(UnsuitableError, match="load kuhn_poker as openspiel:NAME"):
        hn.match("kuhn_poker", bots, "uniform", games=2)


class Listening(pyspiel.Bot):  # type: ignore[misc]
    """Passes, and notes what it hears."""

    def __init__(self, seat: int) -> None:
        pyspiel.Bot.__init__(self)
        self.seat, self.heard = seat, list[tuple[str, int, int]]()

    def restart(self) -> None:
        self.heard.append(("restart", -1, -1))

    def inform_action(self, state: Any, player: int, action: int) -> None:
        assert player == state.current_player()
        self.heard.append((str(state), player, action))

    def step(self, state: Any) -> int:
        assert state.current_player() == self.seat
        return int(state.legal_actions()[0])


def test_bots_hear_of_the_others_moves() -> None:
    bots = [Listening(seat) for seat in range(2)]
    hn.match(pyspiel.load_game("kuhn_poker"), bots, "uniform", games=40, seed=2)
    for seat, bot in enumerate(bots):
        assert sum(what == "restart" for what, _, _ in bot.heard) == 20
        told = [(player, action) for what, player, action in bot.heard if what != "restart"]
        assert {player for player, _ in told} == {1 - seat}


def test_wrong_policies_are_named() -> None:
    game = pyspiel.load_game("kuhn_poker")

    class Broken(Counting):
        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            return {0: 0.25, 1: 0.5}

    with pytest.raises(PlayerError, match=r"sum to 0.75, not 1"):
        hn.match(game, Broken(game), "uniform", games=2)
    with pytest.raises(UnsuitableError, match=r"load goofspiel\(cards=8\) as openspiel:NAME"):
        hn.match("goofspiel(cards=8)", Counting(game), "uniform", games=2)
    strategy = SpielPolicy(load_expanded(game), Counting(game))
    with pytest.raises(UnsuitableError, match=r"save its `profile\(\)`"):
        hn.save(strategy, "nowhere")
    assert strategy.at(0, 0) == hn.interop.from_openspiel(game, Counting(game)).at(0, 0)
