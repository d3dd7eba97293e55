"""Objects that people already have are games: of OpenSpiel, pygambit, PettingZoo, Gymnasium, NumPy and pandas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import ParameterError, UnsuitableError
from hannan.exports.gambit.text import efg_text, nfg_text
from hannan.exports.openspiel import counterpart
from hannan.forms.loader import load_expanded
from hannan.forms.objects import MOST_KEPT

PENNIES = [[1, -1], [-1, 1]]


def test_labels_of_rows_and_columns_name_the_actions() -> None:
    payoffs = np.array([[2.0, -1.0, 0.0], [-1.0, 1.0, 3.0]])
    game = hn.load(hn.matrix_game(payoffs, rows=["up", "down"], columns=("left", "middle", "right")))
    profile = hn.solve(game).profile
    plain = hn.solve(payoffs).profile
    assert list(profile.at(0, 0)) == ["up", "down"]
    assert list(profile.at(1, 0)) == ["left", "middle", "right"]
    for player in (0, 1):
        assert list(profile.at(player, 0).values()) == pytest.approx(list(plain.at(player, 0).values()), abs=1e-9)
    assert list(hn.uniform(hn.matrix_game(PENNIES, rows=["H", "T"])).at(1, 0)) == ["0", "1"]


def test_labels_stand_in_the_address(tmp_path: Path) -> None:
    address = "matrix_game(payoffs=[[[1,-1],[-1,1]],[[0,1],[2,3]]],rows=['all in','b'],columns=['true','d'])"
    game = hn.load(address)
    assert game.address == address
    assert list(hn.uniform(game).at(0, 0)) == ["all in", "b"]
    hn.save(hn.uniform(game), tmp_path / "m.strategy")
    assert list(hn.read(tmp_path / "m.strategy").at(1, 0)) == ["true", "d"]


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ({"rows": ["a"]}, "should have 2 names, as many as the payoffs have rows"),
        ({"columns": ["a", "a"]}, "'a' is named twice in columns"),
        ({"rows": "ab"}, "rows='ab' should be a list of names"),
        ({"columns": 3}, "columns=3 should be a list of names"),
    ],
)
def test_wrong_labels_are_refused(labels: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        hn.matrix_game(PENNIES, **labels)
    with pytest.raises(ParameterError, match="of two players, but the payoffs are for 3"):
        hn.matrix_game(np.zeros((3, 2, 2, 2)), rows=["a", "b"])


class Frame:
    """As much of a DataFrame as is asked for."""

    def __init__(self, payoffs: Any, index: list[Any], columns: list[Any]) -> None:
        self.payoffs, self.index, self.columns = np.array(payoffs), np.array(index), np.array(columns)

    def to_numpy(self) -> Any:
        return self.payoffs


Frame.__module__, Frame.__name__ = "pandas.core.frame", "DataFrame"


@pytest.fixture
def pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", ModuleType("pandas"))


@pytest.mark.usefixtures("pandas")
def test_a_frame_of_payoffs_names_the_actions() -> None:
    frame = Frame(PENNIES, ["H", "T"], [10, 20])
    game = hn.load(frame)  # type: ignore[arg-type]
    assert hn.load(game.address).address == game.address
    assert hn.solve(game).profile.at(1, 0) == pytest.approx({"10": 0.5, "20": 0.5}, abs=1e-9)
    both = hn.load((frame, Frame([[3, 0], [5, 1]], ["H", "T"], [10, 20])))
    assert hn.values(both, hn.uniform(both)) == pytest.approx((0.0, 9 / 4))
    with pytest.raises(ParameterError, match="the same index and the same columns"):
        hn.load((frame, Frame(PENNIES, ["T", "H"], [10, 20])))


@pytest.fixture
def pyspiel() -> Any:
    return pytest.importorskip("pyspiel")


def test_a_game_of_openspiel_is_loaded_once(pyspiel: Any) -> None:
    theirs = pyspiel.load_game("kuhn_poker(players=3)")
    game = hn.load(theirs)
    assert game.address == "openspiel:kuhn_poker(players=3)"
    assert hn.load(theirs) is game
    assert load_expanded(game.address).form.hash == load_expanded(theirs).form.hash
    for _ in range(MOST_KEPT):
        hn.load(pyspiel.load_game("matrix_pd"))
    assert hn.load(theirs) is not game
    with pytest.raises(ParameterError, match=r"give state.get_game\(\)"):
        hn.load(theirs.new_initial_state())


def test_both_trees_are_walked_once_per_game(pyspiel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[Any] = []

    class Counted(counterpart._Matching):
        def __init__(self, game: Any, theirs: Any) -> None:
            walked.append(theirs)
            super().__init__(game, theirs)

    monkeypatch.setattr(counterpart, "_Matching", Counted)
    theirs = pyspiel.load_game("kuhn_poker")
    table = pyspiel.UniformRandomPolicy(theirs)
    ours = load_expanded("kuhn_poker")
    for game in (ours, ours, "kuhn_poker(players=2)", "kuhn_poker(players=2)"):
        profile = hn.interop.from_openspiel(game, table)
        np.testing.assert_array_equal(np.concatenate(profile.strategies), np.concatenate(hn.uniform(ours).strategies))
    assert len(walked) == 2
    hn.interop.from_openspiel(theirs, table)  # whose sets are OpenSpiel's own
    assert len(walked) == 2


@pytest.mark.parametrize("address", ["leduc_poker", "liars_dice(dice_sides=3)", "matrix_pd", "blotto(coins=4)"])
def test_sets_of_a_game_of_openspiel_need_no_walk(address: str, pyspiel: Any) -> None:
    """The same sets, names and actions as by walking both trees side by side."""
    theirs = pyspiel.load_game(address)
    game = load_expanded(theirs)
    short = {(one.player, one.number): (one.name, one.actions) for one in counterpart.matched(game, theirs)}
    long = counterpart._Matching(game, pyspiel.load_game(address)).sets
    assert short == {(one.player, one.number): (one.name, one.actions) for one in long}


def test_environments_are_boxes_or_rules() -> None:
    pytest.importorskip("pettingzoo")
    from tests.interop.environments import Pennies, Takes

    assert isinstance(hn.load(Takes(4)), hn.boxes.BoxedGame)
    assert hn.certify(Takes(4), bounds=(-1, 1), playthroughs=200, seed=1).gap <= 1e-9
    pile = Takes(4)
    pile.reset(seed=1)
    before = pile.agent_selection, dict(vars(pile))
    nim = hn.interop.from_environment(pile, copies=True)
    assert hn.solve(nim).values == pytest.approx((1.0, -1.0))
    assert (pile.agent_selection, dict(vars(pile))) == before  # copies were stepped
    pennies = hn.interop.from_environment(lambda: Pennies(rounds=2), copies=True).expanded()
    assert pennies.sizes.histories == 1 + 4 + 16
    noisy = hn.interop.from_environment(Pennies(noise=0.25), outcomes=4)
    assert hn.certify(noisy, bounds=(-1, 1), playthroughs=500, seed=1).gap < 2
    with pytest.raises(UnsuitableError, match="draws at random"):
        hn.interop.from_environment(Pennies(noise=0.5), copies=True)
    with pytest.raises(ParameterError, match="copies=1 should be"):
        hn.interop.from_environment(pile, copies=1)  # type: ignore[arg-type]


def test_an_environment_of_gymnasium_needs_an_end() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    lake = gymnasium.make("FrozenLake-v1", desc=["SF", "HG"], is_slippery=False)
    assert hn.solve(hn.interop.from_environment(lake, horizon=3, copies=True)).values == pytest.approx((1.0,), abs=1e-3)
    endless = gymnasium.make("FrozenLake-v1", max_episode_steps=-1)
    with pytest.raises(UnsuitableError, match=r"hn.interop.from_environment\(env, horizon=100\)"):
        hn.load(endless)


class Stranger:
    def __call__(self) -> int:
        return 3


def test_what_is_no_game_is_refused_with_what_to_call() -> None:
    with pytest.raises(ParameterError, match=r"hn.interop.from_environment\(function\)"):
        hn.load(lambda: None)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="3 is not an environment: give a PettingZoo AECEnv"):
        hn.interop.from_environment(Stranger())


class Gambit:
    """As much of pygambit's game as is asked for."""

    def __init__(self, text: str) -> None:
        self.title, self._text, self.is_tree = "a game", text, text.startswith("EFG")

    def to_efg(self) -> str:
        assert self.is_tree
        return self._text

    def to_nfg(self) -> str:
        assert not self.is_tree
        return self._text


Gambit.__module__, Gambit.__name__ = "pygambit.gambit", "Game"


@pytest.mark.parametrize("write", [efg_text, nfg_text])
def test_a_game_of_pygambits(write: Any) -> None:
    game = load_expanded(Gambit(write("prisoners_dilemma")))  # type: ignore[arg-type]
    assert hn.values(game, hn.uniform(game)) == pytest.approx((9 / 4, 9 / 4))
    assert list(hn.uniform(game).at(0, 0)) == ["cooperate", "defect"]


def test_nothing_is_imported_for_an_object_that_is_no_game() -> None:
    """A list, a number and a function are told apart without the other libraries."""
    code = (
        "import sys, hannan as hn\n"
        "hn.load([[1, -1], [-1, 1]])\n"
        "for wrong in (3, len):\n"
        "    try:\n        hn.load(wrong)\n    except hn.errors.ParameterError:\n        pass\n"
        "print(sorted({'pyspiel', 'pygambit', 'pettingzoo', 'gymnasium', 'pandas'} & set(sys.modules)))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
