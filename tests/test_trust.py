"""Nothing that a file names is run: every reader and every --resume, with every kind of address.

The files are forged and sealed again with the functions that write them, as whoever edits a file can do. What they name
would leave a mark if it were run: the trap. The same calls with consent spring it, so that a trap that cannot work is
noticed.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import hannan as hn
from hannan.certificates.strategies import read_correlated
from hannan.forms.trust import Named, named_game, names_files
from hannan.solvers import METHODS, method_class
from hannan.solvers.parameters import _keywords
from tests.fuzz.files import KINDS, KUHN, OPEN, THREE, Files, kinds_here
from tests.trap import BROKEN, CODE, LONG, NAMELESS, OTHERS, Trap, forged


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("files")
    made = Files(folder)
    hn.certify(THREE, playthroughs=25, equilibrium="cce").save(folder / "good.joint")
    return made


# --- games -----------------------------------------------------------------------------------------------------------

Use = Callable[[Path, Any, bool], Any]
"""Use a file with a game, or None, and with consent or without."""

GAMES: dict[str, tuple[str, str, Use]] = {
    "read": ("certificate", "game", lambda path, game, trust: hn.read(path, game, trust=trust)),
    "read_correlated": ("certificate", "game", lambda path, game, trust: read_correlated(path, game, trust=trust)),
    "joint": ("joint", "game", lambda path, game, trust: read_correlated(path, game, trust=trust)),
    "verify": ("certificate", "game", lambda path, game, trust: hn.verify(path, game, replay=True, trust=trust)),
    "reproduce": ("certificate", "game", lambda path, game, trust: hn.verify(path, game, reproduce=True, trust=trust)),
    "certify": (
        "certification", "options__game",
        lambda path, game, trust: hn.certify(game, resume=path, playthroughs=31, trust=trust),
    ),
    "regretting": (
        "regretting", "options__game",
        lambda path, game, trust: hn.certify(game, resume=path, playthroughs=31, trust=trust),
    ),
    "correlated": (
        "correlated", "options__game",
        lambda path, game, trust: hn.certify(game, resume=path, playthroughs=31, trust=trust),
    ),
}  # fmt: skip
"""What loads the game that a file names: the kind of file, where it says the game, and what is done."""


NO_GAME = r"forged (belongs to .*: give the game too|names a game (that cannot be made|in .* give the game too))"


@pytest.mark.parametrize("reader", GAMES)
def test_no_game_of_a_file_is_loaded_without_consent(reader: str, files: Files, trap: Trap) -> None:
    kind, place, use = GAMES[reader]
    path = trap.folder / "forged"
    for address in map(trap.told, CODE + OTHERS):
        forged(files.good(kind), path, **{place: address})
        with pytest.raises(
            hn.errors.TrustError, match=r"(?s)forged names the game .*: give the game yourself, or agree with"
        ):
            use(path, None, False)
        assert not trap.sprung(), address
    for address in NAMELESS + BROKEN + LONG:
        forged(files.good(kind), path, **{place: address})
        with pytest.raises(hn.errors.FileError, match=NO_GAME):
            use(path, None, False)
        with pytest.raises(hn.errors.FileError, match=NO_GAME):
            use(path, None, True)
        assert not trap.sprung(), address


@pytest.mark.parametrize("reader", GAMES)
def test_consent_springs_the_trap(reader: str, files: Files, trap: Trap) -> None:
    kind, place, use = GAMES[reader]
    for address in map(trap.told, CODE):
        path = forged(files.good(kind), trap.folder / "forged", **{place: address})
        with pytest.raises(hn.HannanError) as raised:
            use(path, None, True)
        assert not isinstance(raised.value, hn.errors.TrustError)
        assert trap.sprung(), address


@pytest.mark.parametrize("reader", GAMES)
def test_built_in_games_pass(reader: str, files: Files, trap: Trap) -> None:
    kind, _, use = GAMES[reader]
    assert use(files.good(kind), None, False)
    assert use(files.good(kind), hn.load(THREE if kind in ("joint", "correlated") else KUHN), False)
    assert not trap.sprung()


def test_games_of_openspiel_pass(trap: Trap) -> None:
    pytest.importorskip("pyspiel")
    assert hn.load(named_game("x", "openspiel:kuhn_poker(players=3)", False)).players == 3
    assert not trap.sprung()


def test_which_parameters_of_openspiel_name_files() -> None:
    """Of all that take a text, by name; a version of OpenSpiel with another one fails here, and it is to be judged."""
    pyspiel = pytest.importorskip("pyspiel")
    texts = {
        name
        for game in pyspiel.registered_games()
        for name, default in game.parameter_specification.items()
        if not isinstance(default, bool | int | float)
    }
    harmless = {
        "betting", "bettingAbstraction", "bidding_rule", "blind", "blind_schedule", "boardCards", "fen", "firstPlayer",
        "forbidden_states", "game", "gameversion", "grid", "handReaches", "history", "initial_distribution",
        "initial_distribution_value", "maxRaises", "network", "numBoardCards", "observation_type", "obstype", "payoff",
        "payoffs", "pile_sizes", "points_order", "positional_reward", "positional_reward_value", "raiseSize",
        "returns_type", "scoring_type", "ship_sizes", "ship_values", "stack", "stage_game", "string_rep", "subgame",
        "universal_poker_game_string",
    }  # fmt: skip
    assert {name for name in texts if not names_files(f"x({name}=y)")} <= harmless
    assert all(names_files(f"x({name}=y)") for name in ("filename", "boards_file", "word_list_file", "puzzles_root"))


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {kind for kind, _, _ in GAMES.values()}))
def test_other_files_name_built_in_games_alone(kind: str, files: Files, trap: Trap) -> None:
    """Strategies, policies, networks, checkpoints of solvers, searches and matches: a name and parameters."""
    if kind not in kinds_here():
        pytest.skip(f"{KINDS[kind].needs} is not installed")
    path = trap.folder / "forged"
    for address in map(trap.told, CODE + OTHERS):
        forged(files.good(kind), path, game=address, parameters={}, built_in=True)
        with pytest.raises(hn.HannanError):
            KINDS[kind].use(path, None)
        assert not trap.sprung(), address
    for value in ("evil.py:G", "trap.efg(x=1"):
        forged(files.good(kind), path, game="matrix_game", parameters={"payoffs": value}, built_in=True)
        with pytest.raises(hn.HannanError):
            KINDS[kind].use(path, None)
        assert not trap.sprung(), value


def test_a_built_in_game_that_reads_a_file() -> None:
    """No game has such a parameter yet; one that gets it is gated by the parameter's name."""
    assert names_files("holdem(file='spot.toml')")
    with pytest.raises(hn.errors.TrustError, match=r"'kuhn_poker\(file=1\)', which reads another file"):
        named_game("x", "kuhn_poker(file=1)", False)
    assert named_game("x", "kuhn_poker(file=1)", True) == "kuhn_poker(file=1)"


# --- functions and paths ---------------------------------------------------------------------------------------------

FUNCTIONS = ["evil.py:f", "./evil.py:f", "{folder}/evil.py:f", "evil:f"]
PLAYED: dict[str, Callable[[Path, bool], Any]] = {
    "resume": lambda path, trust: hn.resume(path, trust=trust),
    "solve": lambda path, trust: hn.solve(resume=path, trust=trust),
    "read": lambda path, trust: hn.read(path, trust=trust),
    "read with the game": lambda path, trust: hn.read(path, OPEN, trust=trust),
    "start": lambda path, trust: hn.solve(OPEN, "cfr", iterations=1, start=path, trust=trust),
    "match": lambda path, trust: hn.match(OPEN, path, "uniform", games=2, trust=trust),
    "certified": lambda path, trust: hn.certify(OPEN, playthroughs=2, strategy=path, trust=trust),
}  # fmt: skip
"""What reads the checkpoint of an exact search, whose evaluation function may have an address."""


@pytest.mark.parametrize("reader", PLAYED)
def test_no_evaluation_of_a_file_is_imported(reader: str, files: Files, trap: Trap) -> None:
    for address in map(trap.told, FUNCTIONS):
        path = forged(files.good("bi"), trap.folder / "forged", method_parameters__evaluation=address)
        with pytest.raises(
            hn.errors.TrustError, match=r"forged names the evaluation .*, which imports and runs Python code"
        ):
            PLAYED[reader](path, False)
        assert not trap.sprung(), address
        with pytest.raises(hn.HannanError):
            PLAYED[reader](path, True)
        assert trap.sprung(), address


@pytest.mark.parametrize("reader", PLAYED)
def test_no_class_of_a_file_is_imported(reader: str, files: Files, trap: Trap) -> None:
    for address in map(trap.told, FUNCTIONS):
        for named in ({}, {"method": "my-cfr"}):
            path = forged(files.good("bi"), trap.folder / "forged", **{"class": address}, **named)
            with pytest.raises(
                hn.errors.TrustError, match=r"forged names the method .*, which imports and runs Python code"
            ):
                PLAYED[reader](path, False)
            assert not trap.sprung(), address
        with pytest.raises(hn.HannanError):
            PLAYED[reader](path, True)
        assert trap.sprung(), address


@pytest.mark.parametrize("what", ["evaluation", "rollout", "rule"])
def test_no_function_of_a_search_is_imported(what: str, files: Files, trap: Trap) -> None:
    for address in map(trap.told, FUNCTIONS):
        place = what if what == "rule" else f"method_parameters__{what}"
        path = forged(files.good("search"), trap.folder / "forged", **{place: address})
        with pytest.raises(hn.errors.TrustError, match=f"forged names the {what} .*: give the {what} yourself"):
            hn.search(resume=path, iterations=60)
        assert not trap.sprung()
        with pytest.raises(hn.HannanError):
            hn.search(resume=path, iterations=60, trust=True)
        assert trap.sprung()


def _takes_a_text(hint: Any) -> bool:
    """Return whether a type has all texts, or paths, among its values; a few words are not all."""
    if get_origin(hint) is Literal:
        return False
    return hint is str or get_origin(hint) is PathLike or any(map(_takes_a_text, get_args(hint)))


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_of_a_method_that_takes_a_text(method: str) -> None:
    """Each names no place, or is gated, or is not read from a file at all."""
    harmless = {"at": "moves", "device": "a word of a few", "memory_limit": "an amount"}
    kind = method_class(method)
    for owner, parameter in _keywords(kind):
        name = parameter.name
        if _takes_a_text(get_type_hints(vars(owner)["__init__"])[name]):
            gated = kind.names_a_place(name, "evil.py:f") and kind.names_a_place(name, "/folder/full")
            assert gated or name in kind.unkept or name in harmless, name


@pytest.mark.parametrize(("kind", "name"), [("einr", "prior"), ("mccfr-rules", "sampling_policy")])
def test_a_checkpoint_names_no_file_to_read(kind: str, name: str, files: Files, trap: Trap) -> None:
    hn.save(hn.uniform(KUHN), trap.folder / "other.strategy")
    path = forged(files.good(kind), trap.folder / "forged", **{f"method_parameters__{name}": "other.strategy"})
    with pytest.raises(
        hn.errors.TrustError, match=f"forged names the {name} 'other.strategy', which reads another file"
    ):
        hn.resume(path)


def test_a_checkpoint_names_no_place_to_write_to(files: Files, trap: Trap) -> None:
    path = forged(
        files.good("training"), trap.folder / "forged", method_parameters__tensorboard=str(trap.folder / "ran")
    )
    solver: Any = hn.resume(path, trust=True)
    solver.run(1)
    assert solver.tensorboard is None
    assert not trap.sprung()


JUDGE = "def f(state):\n    return 0.0\n\n\ndef other(state):\n    return 1.0\n"


def test_an_evaluation_that_the_caller_gives(trap: Trap) -> None:
    (trap.folder / "judge.py").write_text(JUDGE)
    path = trap.folder / "bi.checkpoint"
    before: Any = hn.methods.BackwardInduction(OPEN, depth=2, evaluation="judge.py:f")
    before.run(1)
    before.save(path)
    with pytest.raises(hn.errors.TrustError, match=r"bi\.checkpoint names the evaluation 'judge\.py:f'"):
        hn.resume(path)
    for solver in (hn.resume(path, evaluation="judge.py:f"), hn.resume(path, trust=True)):
        assert isinstance(solver, hn.methods.BackwardInduction)
        assert solver.proof() == before.proof()
    with pytest.raises(hn.errors.MismatchError, match=r"evaluation='judge.py:f', not with evaluation='judge.py:other'"):
        hn.resume(path, evaluation="judge.py:other")
    own: Any = hn.methods.BackwardInduction(OPEN, depth=2, evaluation=_zero)
    own.run(1)
    own.save(path)
    assert isinstance(hn.resume(path, evaluation=_zero), hn.methods.BackwardInduction)
    with pytest.raises(hn.errors.TrustError, match=r"tests\.test_trust:_zero"):
        hn.resume(path)


def _zero(state: Any) -> float:
    return 0.0


def test_a_search_with_a_function_goes_on(trap: Trap) -> None:
    (trap.folder / "judge.py").write_text(JUDGE)
    path = trap.folder / "search.checkpoint"
    whole = hn.search(OPEN, "rm", iterations=60, evaluation="judge.py:f")
    hn.search(OPEN, "rm", iterations=40, evaluation="judge.py:f", checkpoint=path)
    for given in ({"evaluation": "judge.py:f"}, {"trust": True}):
        assert hn.search(resume=path, iterations=60, **given).averages == whole.averages


BOX = """
import hannan as hn
from hannan.forms.boxes import boxed

box = boxed("kuhn_poker").box
"""


def test_a_box_that_the_caller_gives(trap: Trap) -> None:
    """A certificate and a checkpoint of an honest box: given again, or trusted, they are read and go on."""
    (trap.folder / "sim.py").write_text(BOX)
    address, saved, checkpoint = "module:sim.py:box", trap.folder / "x.certificate", trap.folder / "x.checkpoint"
    hn.certify(address, playthroughs=30, solve_every=10, checkpoint=checkpoint).save(saved)
    uses: list[Callable[..., Any]] = [
        lambda **given: hn.read(saved, **given),
        lambda **given: read_correlated(saved, **given)[0],
        lambda **given: hn.certify(resume=checkpoint, playthroughs=31, **given).strategy,
    ]
    for use in uses:
        with pytest.raises(hn.errors.TrustError, match=r"names the game 'module:sim\.py:box', which imports and runs"):
            use()
        for given in ({"game": address}, {"game": hn.load(address)}, {"trust": True}):
            assert use(**given).game.address == address


def test_consent_is_asked_for_exactly_one_address(files: Files, trap: Trap) -> None:
    path = forged(files.good("certificate"), trap.folder / "forged", game="command:touch ran")
    asked: list[Named] = []

    def answer(named: Named) -> Any:
        asked.append(named)
        return 1  # not True

    with pytest.raises(hn.errors.TrustError):
        hn.read(path, trust=answer)
    assert asked == [Named(str(path), "game", "command:touch ran", "starts a program")]
    assert not trap.sprung()
    readers: list[Any] = [hn.read, read_correlated, hn.resume]
    for wrong in list[Any]([None, 1, "yes", "", []]):
        for use in readers:
            with pytest.raises(hn.errors.ParameterError, match="trust="):
                use(path, trust=wrong)
    for call in list[Any]([hn.solve, hn.search, hn.certify, hn.match]):
        with pytest.raises(hn.errors.ParameterError, match="trust="):
            call("kuhn_poker", trust="yes")
