"""Random games that are not stored: everything in them is computed from a hash of the path of play.

In each stage chance may move; then all players move, at once or in turn. The kinds of utilities are those of papers on
search in simultaneous-move games (V. Lisý et al., 2013; B. Bošanský et al., 2016): drawn at the leaves, or summed over
the moves. The same parameters give the same game on every machine.
"""

from __future__ import annotations

import numpy as np

from hannan.arguments import choice as one_of
from hannan.arguments import fits, truth, whole
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.games.catalogue import Entry
from hannan.games.parts import each
from hannan.kernels import kernel
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import CHANCE, END

UTILITIES = ("uniform", "ternary", "edges")
MOVES = ("joint", "turns")
PAYOFFS = ("zero_sum", "general_sum", "identical")

# table: players, stages, actions, outcomes of chance, seed, then places of words in the tuples above, and
# whether the past is hidden
PLAYERS, DEPTH, BRANCHING, OUTCOMES, SEED, UTILITY, TURNS, PAYOFF, HIDDEN = range(9)

# state: the two halves of the hash, stages done, who moves next (-1 for chance, else the first player who has
# not moved in this stage), last outcome of chance + 1; then the last action + 1 of each player
HIGH, LOW, STAGE, NEXT, OUTCOME, LAST = range(6)

LOW_32 = 2**32 - 1


@kernel
def scramble(x: int) -> int:
    """Mix 32 bits well (C. Wellons' lowbias32).

    The second factor is 0x846ca68b - 2**32. It is the same number modulo 2**32, and no product exceeds 64 bits, so
    that Python, NumPy and numba agree.
    """
    x ^= x >> 16
    x = (x * 0x7FEB352D) & LOW_32
    x ^= x >> 15
    x = (x * -0x7B935975) & LOW_32
    return x ^ (x >> 16)


@kernel
def absorb(high: int, low: int, value: int) -> tuple[int, int]:
    """Mix a value into 64 bits, by a Feistel network: different values never give the same bits."""
    high ^= scramble((low + value * 0x1E3779B1 + 1) & LOW_32)
    low ^= scramble((high + 0x2545F491) & LOW_32)
    high ^= scramble((low + 0x5851F42D) & LOW_32)
    low ^= scramble((high + 0x14057B7E) & LOW_32)
    return high, low


@kernel
def uniform(state: Longs, tag: int) -> float:
    """Return a number in [0, 1) that depends on the path and on `tag`."""
    high, low = absorb(state[HIGH], state[LOW], -1 - tag)
    return ((high >> 5) * 67108864.0 + (low >> 6)) / 9007199254740992.0


def start(table: Longs, state: Longs) -> None:
    """Begin the hash with the seed."""
    high, low = absorb(0, 0, table[SEED] & LOW_32)
    high, low = absorb(high, low, table[SEED] >> 32)
    state[HIGH] = high
    state[LOW] = low
    state[NEXT] = -1 if table[OUTCOMES] > 0 else 0


def turn(table: Longs, state: Longs) -> int:
    """Let chance (if it has outcomes) and then the players act in each stage."""
    if state[STAGE] == table[DEPTH]:
        return END
    if state[NEXT] < 0:
        return CHANCE
    if table[TURNS]:
        player: int = state[NEXT]
        return 1 << player
    players: int = table[PLAYERS]
    return (1 << players) - 1


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """Offer the same number of actions everywhere."""
    return each(0, table[BRANCHING], out)


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    """Draw weights in [0.1, 1.1) and normalise them."""
    count = each(0, table[OUTCOMES], out)
    total = 0.0
    for k in range(count):
        probabilities[k] = 0.1 + uniform(state, k)
        total += probabilities[k]
    for k in range(count):
        probabilities[k] /= total
    return count


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Mix the move into the hash, and set who moves next."""
    high, low = state[HIGH], state[LOW]
    if state[NEXT] < 0:
        high, low = absorb(high, low, choice[0])
        state[OUTCOME] = choice[0] + 1
        state[NEXT] = 0
    elif table[TURNS]:
        high, low = absorb(high, low, choice[0])
        state[LAST + state[NEXT]] = choice[0] + 1
        state[NEXT] += 1
    else:
        for player in range(table[PLAYERS]):
            high, low = absorb(high, low, choice[player])
            state[LAST + player] = choice[player] + 1
        state[NEXT] = table[PLAYERS]
    state[HIGH] = high
    state[LOW] = low
    if state[NEXT] == table[PLAYERS]:
        state[STAGE] += 1
        state[NEXT] = -1 if table[OUTCOMES] > 0 else 0


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the last outcome and all players' last actions or, if the past is hidden, one bit of the path's hash."""
    if table[HIDDEN]:
        return 1 if uniform(state, 64 + player) < 0.5 else 0
    code: int = state[OUTCOME]
    for other in range(table[PLAYERS]):
        code = code * (table[BRANCHING] + 1) + state[LAST + other]
    return code


@kernel
def drawn(table: Longs, state: Longs, player: int) -> float:
    """Draw one utility."""
    number = uniform(state, 32 + player)
    if table[UTILITY] == 0:
        return 2.0 * number - 1.0
    third = int(3.0 * number)
    return 0.5 * third if table[UTILITY] == 1 else third - 1.0


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Draw utilities at the end of play or, with `edges`, after every move of the players."""
    if table[UTILITY] == 2:
        after_players = (state[STAGE] > 0 or state[NEXT] > 0) and not (state[NEXT] == 0 and table[OUTCOMES] > 0)
        if not after_players:
            return
    elif state[STAGE] < table[DEPTH]:
        return
    first = drawn(table, state, 0)
    out[0] = first
    for player in range(1, table[PLAYERS]):
        if table[PAYOFF] == 0:
            out[player] = 0.0 - first
        elif table[PAYOFF] == 1:
            out[player] = drawn(table, state, player)
        else:
            out[player] = first


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Write the range of one draw; with `edges`, times the number of moves that players still make."""
    players = table[PLAYERS]
    stages = table[DEPTH] - state[STAGE]
    draws = 1 if stages > 0 else 0
    if table[UTILITY] == 2:
        draws = stages * players - max(state[NEXT], 0) if table[TURNS] else stages
    for player in range(players):
        turned = player > 0 and table[PAYOFF] == 0
        ternary = table[UTILITY] == 1
        out[2 * player] = 0.0 if ternary and not turned else -1.0 * draws
        out[2 * player + 1] = 0.0 if ternary and turned else 1.0 * draws


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write the stage, the seat, the observed bit, the last outcome and the last actions, counted from the player.

    If the past is hidden, a player knows only the bit and its own last action; otherwise it knows all but the bit.
    """
    players, branching = table[PLAYERS], table[BRANCHING]
    out[0] = state[STAGE] / table[DEPTH]
    out[1] = player / players
    if table[HIDDEN]:
        out[2] = 1.0 if uniform(state, 64 + player) < 0.5 else 0.0
    elif state[OUTCOME] > 0:
        out[2 + state[OUTCOME]] = 1.0
    for k in range(players):
        last = state[LAST + (player + k) % players]
        if last > 0 and (k == 0 or not table[HIDDEN]):
            out[3 + table[OUTCOMES] + k * branching + last - 1] = 1.0


BOOK = Rulebook(start, turn, actions, chance, move, observe, gains, bounds=bounds, features=features)


@remade
def random_game(
    depth: int = 2,
    branching: int = 2,
    seed: int = 0,
    utilities: str = "uniform",
    players: int = 2,
    chance: int = 0,
    hidden: bool = False,
    moves: str = "joint",
    payoffs: str | None = None,
) -> CompiledRules:
    """Build the rules. Default of `payoffs`: zero-sum for two players, general-sum for more.

    `utilities`: `uniform` on [-1, 1] and `ternary` in {0, 0.5, 1} at the end of play, `edges` in {-1, 0, 1}
    after every move of the players. `hidden`: before each choice a player sees only one bit, a hash of the path.
    """
    whole("depth", depth, 1, 1000)
    whole("branching", branching, 1, 1000)
    whole("seed", seed, 0, 2**63 - 1)
    one_of("utilities", utilities, UTILITIES)
    whole("players", players, 2, 6)
    whole("chance", chance, 0, 32)
    truth("hidden", hidden)
    one_of("moves", moves, MOVES)
    payoffs = ("zero_sum" if players == 2 else "general_sum") if payoffs is None else payoffs
    one_of("payoffs", payoffs, PAYOFFS)
    if payoffs == "zero_sum" and players > 2:
        raise ParameterError(f"payoffs='zero_sum' is for two players, not {players}; take 'general_sum' or 'identical'")
    fits((branching + 1) ** players * (chance + 1))
    words = [UTILITIES.index(utilities), MOVES.index(moves), PAYOFFS.index(payoffs)]

    def observation_text(player: int, observation: int) -> str:
        if hidden:
            return f"bit{observation}"
        digits = [observation // (branching + 1) ** k % (branching + 1) for k in reversed(range(players))]
        acted = ",".join(str(digit - 1) if digit else "-" for digit in digits)
        outcome = observation // (branching + 1) ** players
        return f"({acted})" + (f"c{outcome - 1}" if outcome else "")

    return CompiledRules(
        "random_game",
        players,
        BOOK,
        np.array([players, depth, branching, chance, seed, *words, hidden], np.int64),
        state_size=LAST + players,
        width=max(branching, chance, 1),
        feature_size=3 + chance + players * branching,
        action_text=lambda player, action: f"c{action}" if player < 0 else str(action),
        observation_text=observation_text,
        action_help=lambda player, action: "one of your choices",
    )


ENTRY = Entry(
    name="random_game",
    make=random_game,
    summary="a random game of any size, computed from its seed",
    source="B. Bošanský et al. (2016), Algorithms for computing strategies in simultaneous move games",
    parameters={
        "depth": "stages",
        "branching": "actions of each player in each stage",
        "seed": "the seed of the hash: which game",
        "utilities": "uniform, ternary or edges",
        "players": "2 to 6",
        "chance": "outcomes of the chance node before each stage; 0: no chance nodes",
        "hidden": "whether players see only one bit of the past before each choice",
        "moves": "joint or turns",
        "payoffs": "zero_sum (for two players), general_sum or identical",
    },
)
