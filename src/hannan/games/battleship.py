"""Battleship, as a small general-sum benchmark.

G. Farina, C. K. Ling, F. Fang, T. Sandholm (2019), Correlation in extensive-form games: saddle-point
formulation and benchmarks; the rules are those of OpenSpiel's `battleship`. The players take turns to place one ship,
in the order of the list. A place that leaves no room for a later ship is not allowed. Then they take turns to shoot,
until both have used up their shots or a fleet is sunk. A player sees where the other shoots, and whether its own last
shot met water, hit a ship or sank one (a shot at a cell of a sunk ship answers "sank" again). When a ship sinks, the
shooter gains its value, and the owner loses `loss_multiplier` times its value at once. The sums are those that
OpenSpiel pays at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hannan.arguments import each_number, each_whole, number, truth, whole
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.games.catalogue import Entry, Known
from hannan.games.parts import never, nothing_left, picture, real
from hannan.kernels import kernel
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END

WATER, HIT, SANK = 1, 2, 3

# table: [height, width, ships, shots, repeated, loss multiplier, size and value of ship 0, 1, …, and for each
#         place and cell: which part of an endless ship at the place covers the cell, or FAR if no part does];
#         the multiplier and the values are the bits of floats.
# Cells are numbered by rows. Action c < cells shoots at cell c. At place cells + c, a ship lies with its left end
# on cell c; at place 2·cells + c, it stands with its upper end on cell c.
HEIGHT, WIDTH, SHIPS, SHOTS, REPEATED, LOSS, FLEET = range(7)

# state: [moves made, ship just sunk + 1, ships afloat (2), last shot of each player + 1 (2), its result (2),
#         place and hits (as bits) of each ship of player 0, then of player 1;
#         unless shots may be repeated, the cells that each player shot at, as bits, in two words of 50]
MOVES, SUNK, AFLOAT, SHOT, ANSWER, BOARD = 0, 1, 2, 4, 6, 8
WORD = 50
FAR = 99


def start(table: Longs, state: Longs) -> None:
    """Count all ships as afloat; no ship is placed yet."""
    state[AFLOAT] = table[SHIPS]
    state[AFLOAT + 1] = table[SHIPS]


@kernel
def turn(table: Longs, state: Longs) -> int:
    """Let the players alternate, first placing, then shooting."""
    moves = state[MOVES]
    if moves >= 2 * table[SHIPS] and (
        state[AFLOAT] == 0 or state[AFLOAT + 1] == 0 or moves == 2 * (table[SHIPS] + table[SHOTS])
    ):
        return END
    return 1 + (moves & 1)


@kernel
def inside(table: Longs, size: int, place: int) -> bool:
    """Return whether a ship at this place is on the board. A ship of one cell lies and never stands."""
    height, width = table[HEIGHT], table[WIDTH]
    cells = height * width
    if place < 2 * cells:
        return place % width + size <= width
    return size > 1 and (place - 2 * cells) // width + size <= height


@kernel
def part_of(table: Longs, place: int, cell: int) -> int:
    """Return which part of a ship at this place covers a cell; a number less than the ship's size is a hit."""
    cells = table[HEIGHT] * table[WIDTH]
    return table[FLEET + 2 * table[SHIPS] + (place - cells) * cells + cell]


@kernel
def free(table: Longs, places: Longs, ship: int) -> bool:
    """Return whether places[ship] is on the board and overlaps no earlier ship."""
    cells = table[HEIGHT] * table[WIDTH]
    size = table[FLEET + 2 * ship]
    if not inside(table, size, places[ship]):
        return False
    step = table[WIDTH] if places[ship] >= 2 * cells else 1
    for part in range(size):
        cell = places[ship] % cells + part * step
        for other in range(ship):
            if part_of(table, places[other], cell) < table[FLEET + 2 * other]:
                return False
    return True


@kernel
def room(table: Longs, places: Longs, ship: int) -> bool:
    """Return whether `ship` and all later ships have room together with the earlier ones; overwrite places[ship:]."""
    cells = table[HEIGHT] * table[WIDTH]
    k = ship
    places[k] = cells
    while k < table[SHIPS]:
        while places[k] < 3 * cells and not free(table, places, k):
            places[k] += 1
        if places[k] < 3 * cells:
            k += 1
            if k < table[SHIPS]:
                places[k] = cells
        else:
            k -= 1
            if k < ship:
                return False
            places[k] += 1
    return True


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List the places that leave room for later ships, lying ones first; or the cells to shoot at."""
    ships = table[SHIPS]
    cells = table[HEIGHT] * table[WIDTH]
    count = 0
    if state[MOVES] >= 2 * ships:
        shot_at = BOARD + 4 * ships + 2 * player
        for cell in range(cells):
            if table[REPEATED] or not state[shot_at + cell // WORD] >> (cell % WORD) & 1:
                out[count] = cell
                count += 1
        return count
    ship = state[MOVES] // 2
    places = np.zeros(ships + 1, np.int64)
    for k in range(ship):
        places[k] = state[BOARD + 2 * (player * ships + k)]
    for place in range(cells, 3 * cells):
        places[ship] = place
        if free(table, places, ship) and room(table, places, ship + 1):
            out[count] = place
            count += 1
    return count


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Place the ship, or record the result of the shot."""
    ships = table[SHIPS]
    player = state[MOVES] & 1
    made = state[MOVES]
    state[MOVES] += 1
    state[SUNK] = 0
    if made < 2 * ships:
        state[BOARD + 2 * (player * ships + made // 2)] = choice[0]
        return
    cell = choice[0]
    answer = WATER
    for ship in range(ships):
        spot = BOARD + 2 * ((1 - player) * ships + ship)
        size = table[FLEET + 2 * ship]
        part = part_of(table, state[spot], cell)
        if part < size:
            answer = HIT
            hits = state[spot + 1] | (1 << part)
            if hits == (1 << size) - 1:
                answer = SANK
                if hits != state[spot + 1]:
                    state[SUNK] = ship + 1
                    state[AFLOAT + 1 - player] -= 1
            state[spot + 1] = hits
            break
    state[SHOT + player] = cell + 1
    state[ANSWER + player] = answer
    if not table[REPEATED]:
        state[BOARD + 4 * ships + 2 * player + cell // WORD] |= 1 << (cell % WORD)


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the other's last shot and the result of the player's own last shot."""
    return 4 * state[SHOT + 1 - player] + state[ANSWER + player]


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay for the ship that has just sunk."""
    if state[SUNK] == 0:
        return
    value = real(table, FLEET + 2 * (state[SUNK] - 1) + 1)
    owner = state[MOVES] & 1
    out[1 - owner] = value
    out[owner] = -real(table, LOSS) * value


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Add up the ships afloat that the remaining shots can still sink."""
    ships = table[SHIPS]
    made = max(state[MOVES], 2 * ships)
    nothing_left(2, out)
    if turn(table, state) == END:
        return
    for owner in range(2):
        shots = (2 * (ships + table[SHOTS]) - made + 1 - owner) // 2  # of the other player
        loss = -real(table, LOSS)
        for ship in range(ships):
            hits = state[BOARD + 2 * (owner * ships + ship) + 1]
            missing = 0
            for part in range(table[FLEET + 2 * ship]):
                missing += 1 - ((hits >> part) & 1)
            if missing == 0 or missing > shots:
                continue
            value = real(table, FLEET + 2 * ship + 1)
            out[2 * (1 - owner) + 1] += value
            out[2 * owner] += min(loss * value, 0.0)
            out[2 * owner + 1] += max(loss * value, 0.0)


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write planes of cells: each own ship, then hits, last shots and all shots, by the other and by the player.

    Then follow the result of the last shot, the ships afloat, the moves made, and the player. All shots are known only
    if shots may not be repeated.
    """
    ships = table[SHIPS]
    cells = table[HEIGHT] * table[WIDTH]
    for owner in range(2):
        mine = owner == player
        for ship in range(ships):
            spot = BOARD + 2 * (owner * ships + ship)
            if state[spot] == 0:
                continue
            for cell in range(cells):
                part = part_of(table, state[spot], cell)
                if part < table[FLEET + 2 * ship]:
                    if mine:
                        out[ship * cells + cell] = 1.0
                    if (state[spot + 1] >> part) & 1:
                        out[(ships + (0 if mine else 1)) * cells + cell] = 1.0
        if state[SHOT + 1 - owner] > 0:
            out[(ships + (2 if mine else 3)) * cells + state[SHOT + 1 - owner] - 1] = 1.0
        if not table[REPEATED]:
            shot_at = BOARD + 4 * ships + 2 * (1 - owner)
            for cell in range(cells):
                bit = (state[shot_at + cell // WORD] >> (cell % WORD)) & 1
                out[(ships + (4 if mine else 5)) * cells + cell] = bit
    at = (ships + 6) * cells
    if state[ANSWER + player] > 0:
        out[at + state[ANSWER + player] - 1] = 1.0
    out[at + 3] = state[AFLOAT + player] / ships
    out[at + 4] = state[AFLOAT + 1 - player] / ships
    out[at + 5] = state[MOVES] / (2.0 * (ships + table[SHOTS]))
    out[at + 6] = player


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds, features=features)
ANSWERS = ("", "water", "hit", "sank")


@remade
def battleship(
    height: int = 2,
    width: int = 2,
    ship_sizes: Sequence[int] = (2,),
    ship_values: Sequence[float] | None = None,
    shots: int = 3,
    allow_repeated_shots: bool = True,
    loss_multiplier: float = 1.0,
) -> CompiledRules:
    """Build the rules. `ship_values`: default 1 each; `shots`: number of shots of each player."""
    whole("height", height, 1, 10)
    whole("width", width, 1, 10)
    each_whole("ship_sizes", ship_sizes, 1, max(height, width))
    if not 1 <= len(ship_sizes) <= 26:
        raise ParameterError(f"ship_sizes lists {len(ship_sizes)} ships; it may list 1 to 26")
    ship_values = [1.0] * len(ship_sizes) if ship_values is None else ship_values
    each_number("ship_values", ship_values, least=0)
    if len(ship_values) != len(ship_sizes):
        raise ParameterError(f"ship_values lists {len(ship_values)} values for {len(ship_sizes)} ships")
    truth("allow_repeated_shots", allow_repeated_shots)
    cells = height * width
    whole("shots", shots, 1, 1000 if allow_repeated_shots else cells)
    number("loss_multiplier", loss_multiplier)

    ships = len(ship_sizes)
    table = np.zeros(FLEET + 2 * ships + 2 * cells * cells, np.int64)
    table[:LOSS] = height, width, ships, shots, allow_repeated_shots
    parts = FLEET + 2 * ships
    table[FLEET:parts:2] = ship_sizes
    numbers = table.view(np.float64)
    numbers[LOSS] = loss_multiplier
    numbers[FLEET + 1 : parts : 2] = ship_values
    row, column = np.divmod(np.arange(cells), width)
    right, down = column - column[:, None], row - row[:, None]  # [end of the ship, cell]
    table[parts : parts + cells * cells] = np.where((down == 0) & (right >= 0), right, FAR).ravel()
    table[parts + cells * cells :] = np.where((right == 0) & (down >= 0), down, FAR).ravel()
    if sum(ship_sizes) > cells or not room(table, np.zeros(ships + 1, np.int64), 0):
        raise ParameterError(f"ships of sizes {list(ship_sizes)} do not fit on a board of {height} by {width} cells")

    def cell_text(cell: int) -> str:
        return f"{'abcdefghij'[cell % width]}{cell // width + 1}"

    def observation_text(player: int, observation: int) -> str:
        shot, answer = divmod(observation, 4)
        words = [ANSWERS[answer], f"at {cell_text(shot - 1)}" if shot else ""]
        return f"({' '.join(filter(None, words))})" if observation else "-"

    def action_help(player: int, action: int) -> str:
        return ("shoot at this cell", "a ship from this cell to the right", "a ship from this cell down")[
            action // cells
        ]

    def board_text(state: tuple[int, ...], player: int) -> str:
        """Show the player's ships, and the hits on both sides; the other's ships stay hidden."""
        seas: tuple[dict[int, str], ...] = ({}, {})
        for k in range(2 * ships):
            place, hits = state[BOARD + 2 * k], state[BOARD + 2 * k + 1]
            step, end = (1, place - cells) if place < 2 * cells else (width, place - 2 * cells)
            for part in range(ship_sizes[k % ships] if place else 0):
                if hits >> part & 1:
                    seas[k // ships][end + part * step] = "*"
                elif k // ships == player:
                    seas[player][end + part * step] = "s"
        mine, theirs = (picture(width, height, seas[who]) for who in (player, 1 - player))
        return f"your ships (s; * is a hit):\n{mine}\nyour hits:\n{theirs}"

    return CompiledRules(
        "battleship",
        2,
        BOOK,
        table,
        state_size=BOARD + 4 * ships + (0 if allow_repeated_shots else 4),
        width=2 * cells,
        feature_size=(ships + 6) * cells + 7,
        action_text=lambda player, action: ("", "-", "|")[action // cells] + cell_text(action % cells),
        observation_text=observation_text,
        action_help=action_help,
        board_text=board_text,
    )


LADDER = "Kim and Sandholm (2026), on OpenSpiel's rules"

ENTRY = Entry(
    name="battleship",
    make=battleship,
    summary="hide ships, then take turns to shoot at a hidden board",
    source="G. Farina, C. K. Ling, F. Fang, T. Sandholm (2019), Correlation in extensive-form games",
    parameters={
        "height": "1 to 10 rows",
        "width": "1 to 10 columns",
        "ship_sizes": "number of cells of each ship, such as [1,2]",
        "ship_values": "value of each ship, such as [1,1.5]; default: 1 each",
        "shots": "shots of each player",
        "allow_repeated_shots": "whether a cell may be shot at twice",
        "loss_multiplier": "cost of a lost ship, as a multiple of its value; if not 1, the game is general-sum",
    },
    known={
        "battleship": Known(58_709, (2_373, 7_825), source=f"{LADDER}; sets: OpenSpiel"),
        "battleship(height=3)": Known(2_271_795, source=LADDER),
        "battleship(height=4,width=4,ship_sizes=[1],shots=2)": Known(14_811_409, source=LADDER),
        "battleship(height=3,width=3,ship_sizes=[1,2],shots=2)": Known(52_081_183, source=LADDER),
    },
    openspiel={
        "battleship": ("battleship(board_height=2,board_width=2,ship_sizes=[2],ship_values=[1],num_shots=3)"),
        "battleship(allow_repeated_shots=false,loss_multiplier=2)": (
            "battleship(board_height=2,board_width=2,ship_sizes=[2],ship_values=[1],num_shots=3,"
            "allow_repeated_shots=false,loss_multiplier=2.0)"
        ),
        "battleship(height=1,width=4,ship_sizes=[1,2],ship_values=[1,1.5],shots=2)": (
            "battleship(board_height=1,board_width=4,ship_sizes=[1;2],ship_values=[1;1.5],num_shots=2)"
        ),
        "battleship(height=3,ship_sizes=[2,3],ship_values=[0.5,3],shots=2,allow_repeated_shots=false)": (
            "battleship(board_height=3,board_width=2,ship_sizes=[2;3],ship_values=[0.5;3],num_shots=2,"
            "allow_repeated_shots=false)"
        ),
    },
)
