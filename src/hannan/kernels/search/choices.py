"""Which cell of a joint node to look into next: all of them in turn, by best responses, or by optimism.

Cells are intervals. Of the lower ends the row player's strategy x guarantees val(low), of the upper ends the column
player's y guarantees val(high), and the value of the node lies between. Where these meet, the node is done, whatever
the other cells hold. Optimism: let x be optimal for the upper ends and y for the lower ones; then val(high) −
val(low) is at most Σ x·y·(high − low), so some cell with a positive weight is still open.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import kernel
from hannan.kernels.search import records as rec
from hannan.kernels.search.matrix import Scratch
from hannan.kernels.search.records import ExactPlan, Frames, NodeScratch


@kernel
def choose(frames: Frames, room: NodeScratch, scratch: Scratch, plan: ExactPlan, solve: Any) -> int:
    """Choose a cell of the deepest node, or finish it: `FINISHED` says which, `out` holds the node's bounds then."""
    d = frames.now[rec.DEPTH]
    if plan.policy == rec.ALL:
        done, lower, upper = next_of_all(frames, d, plan, room, scratch, solve)
    elif plan.policy == rec.ORACLE:
        done, lower, upper = next_of_oracle(frames, d, plan, room, scratch, solve)
    else:
        done, lower, upper = next_of_optimist(frames, d, plan, room, scratch, solve)
    frames.now[rec.FINISHED] = 1 if done else 0
    if done:
        frames.out[0], frames.out[1] = lower, upper
    return 0


@kernel
def bounded(frames: Frames, d: int, room: NodeScratch, scratch: Scratch, solve: Any) -> tuple[float, float]:
    """Solve the lower ends and the upper ends; x and y of the frame guarantee what is returned."""
    place, m, n = frames.place[d], frames.place[d, rec.ROWS], frames.place[d, rec.COLUMNS]
    low, high = frames.low[d], frames.high[d]
    frames.now[rec.SOLVES] += 1
    lower, upper = solve(low, m, n, frames.x[d], frames.y[d], scratch)
    if place[rec.WIDE] or _apart(low, high, m, n):
        frames.now[rec.SOLVES] += 1
        _, upper = solve(high, m, n, room.x, frames.y[d], scratch)
    return lower, upper


@kernel
def _apart(low: Floats, high: Floats, m: int, n: int) -> bool:
    for r in range(m):
        for c in range(n):
            if low[r, c] != high[r, c]:
                return True
    return False


@kernel
def next_of_all(
    frames: Frames, d: int, plan: ExactPlan, room: NodeScratch, scratch: Scratch, solve: Any
) -> tuple[bool, float, float]:
    """Choose the cells row by row; where that cuts, skip those of dominated rows and columns."""
    place, number = frames.place[d], frames.number[d]
    m, n, stage = place[rec.ROWS], place[rec.COLUMNS], frames.stage[d]
    while place[rec.CELL] < m * n:
        r, c = place[rec.CELL] // n, place[rec.CELL] % n
        if stage[r, c] == rec.SETTLED:
            place[rec.CELL] += 1
            continue
        if plan.pruned:
            if c == 0:
                lower, upper = bounded(frames, d, room, scratch, solve)
                if upper - lower <= plan.close or lower >= number[rec.BETA] or upper <= number[rec.ALPHA]:
                    frames.now[rec.CUTOFFS] += 1
                    return True, lower, upper
            if _dominated(frames.low[d], frames.high[d], m, n, r, c):
                frames.now[rec.CUTOFFS] += 1
                place[rec.CELL] += 1
                continue
        place[rec.ROW], place[rec.COLUMN] = r, c
        return False, 0.0, 0.0
    lower, upper = bounded(frames, d, room, scratch, solve)
    return True, lower, upper


@kernel
def _dominated(low: Floats, high: Floats, m: int, n: int, r: int, c: int) -> bool:
    """Say whether another row is at least as good as row r in every cell, or another column as column c."""
    for other in range(m):
        if other != r:
            better = True
            for k in range(n):
                if low[other, k] < high[r, k]:
                    better = False
                    break
            if better:
                return True
    for other in range(n):
        if other != c:
            better = True
            for k in range(m):
                if high[k, other] > low[k, c]:
                    better = False
                    break
            if better:
                return True
    return False


@kernel
def next_of_optimist(
    frames: Frames, d: int, plan: ExactPlan, room: NodeScratch, scratch: Scratch, solve: Any
) -> tuple[bool, float, float]:
    """Choose the cell that may explain most of the distance between the bounds of the node."""
    place, number = frames.place[d], frames.number[d]
    m, n, low, high, stage = place[rec.ROWS], place[rec.COLUMNS], frames.low[d], frames.high[d], frames.stage[d]
    if place[rec.STALE] & 1:
        frames.now[rec.SOLVES] += 1
        number[rec.FLOOR], _ = solve(low, m, n, frames.x[d], frames.hope_y[d], scratch)
    if place[rec.STALE] & 2:
        frames.now[rec.SOLVES] += 1
        _, number[rec.CEILING] = solve(high, m, n, frames.hope_x[d], frames.y[d], scratch)
    place[rec.STALE] = 0
    lower, upper = number[rec.FLOOR], number[rec.CEILING]
    if upper - lower <= plan.close or lower >= number[rec.BETA] or upper <= number[rec.ALPHA]:
        for r in range(m):
            for c in range(n):
                if stage[r, c] != rec.SETTLED:
                    frames.now[rec.CUTOFFS] += 1
        return True, lower, upper
    if _heaviest(frames, d, low, high, frames.hope_x[d], frames.hope_y[d]):
        return False, lower, upper
    place[rec.STALE] = 3
    for side in range(2):  # settled cells are intervals: go on for the sake of one end, then of the other
        for r in range(m):
            for c in range(n):
                settled = stage[r, c] == rec.SETTLED
                room.matrix[r, c] = (low if settled else high)[r, c] if side == 0 else (high if settled else low)[r, c]
        frames.now[rec.SOLVES] += 2
        if side == 0:
            solve(low, m, n, frames.x[d], room.y, scratch)
            solve(room.matrix, m, n, room.x, frames.y[d], scratch)
            if _heaviest(frames, d, low, room.matrix, room.x, room.y):
                return False, lower, upper
        else:
            solve(room.matrix, m, n, frames.x[d], room.y, scratch)
            solve(high, m, n, room.x, frames.y[d], scratch)
            if _heaviest(frames, d, room.matrix, high, room.x, room.y):
                return False, lower, upper
    lower, upper = bounded(frames, d, room, scratch, solve)
    return True, lower, upper


@kernel
def _heaviest(frames: Frames, d: int, low: Floats, high: Floats, x: Floats, y: Floats) -> bool:
    """Choose the open cell with the largest weight; False if no cell is open."""
    place, stage, heaviest = frames.place[d], frames.stage[d], 0.0
    for r in range(place[rec.ROWS]):
        if x[r] > 0.0:
            for c in range(place[rec.COLUMNS]):
                if y[c] > 0.0 and stage[r, c] != rec.SETTLED:
                    weight = x[r] * y[c] * (high[r, c] - low[r, c])
                    if weight > heaviest:
                        heaviest, place[rec.ROW], place[rec.COLUMN] = weight, r, c
    return heaviest > 0.0


@kernel
def next_of_oracle(
    frames: Frames, d: int, plan: ExactPlan, room: NodeScratch, scratch: Scratch, solve: Any
) -> tuple[bool, float, float]:
    """Choose a cell that the restricted game or a best response to its solution needs."""
    place, member = frames.place[d], frames.member[d]
    m, n = place[rec.ROWS], place[rec.COLUMNS]
    lower, upper = -np.inf, np.inf
    while True:
        grown = False
        for side in range(2):
            ends = frames.low[d] if side == 0 else frames.high[d]
            value = _restricted(frames, d, ends, room, scratch, solve)
            if np.isnan(value) or _open_response(frames, d, room):
                return False, 0.0, 0.0
            best, row, worst, column = _responses(ends, m, n, room)
            if best > value + plan.close and not member[0, row]:
                member[0, row], grown = 1, True
            if worst < value - plan.close and not member[1, column]:
                member[1, column], grown = 1, True
            if grown:
                break
            if side == 0:
                lower = worst
                for r in range(m):
                    frames.x[d, r] = room.x[r]
            if side == 1 or not place[rec.WIDE]:
                upper = best
                for c in range(n):
                    frames.y[d, c] = room.y[c]
            if not place[rec.WIDE]:
                break
        if not grown:
            break
    for r in range(m):
        for c in range(n):
            if frames.stage[d, r, c] != rec.SETTLED:
                frames.now[rec.CUTOFFS] += 1
    return True, lower, upper


@kernel
def _restricted(frames: Frames, d: int, ends: Floats, room: NodeScratch, scratch: Scratch, solve: Any) -> float:
    """Solve the restricted game into the room's x and y; NaN where one of its cells is open, which is chosen."""
    place, member, stage = frames.place[d], frames.member[d], frames.stage[d]
    rows, columns = 0, 0
    for r in range(place[rec.ROWS]):
        if member[0, r]:
            room.rows[rows] = r
            rows += 1
    for c in range(place[rec.COLUMNS]):
        if member[1, c]:
            room.columns[columns] = c
            columns += 1
    for i in range(rows):
        for j in range(columns):
            r, c = room.rows[i], room.columns[j]
            if stage[r, c] != rec.SETTLED:
                place[rec.ROW], place[rec.COLUMN] = r, c
                return np.nan
            room.matrix[i, j] = ends[r, c]
    frames.now[rec.SOLVES] += 1
    lower, upper = solve(room.matrix, rows, columns, room.x, room.y, scratch)
    for i in range(rows - 1, -1, -1):  # spread to the numbers of all rows; those are never less than the places
        share, room.x[i] = room.x[i], 0.0
        room.x[room.rows[i]] = share
    for j in range(columns - 1, -1, -1):
        share, room.y[j] = room.y[j], 0.0
        room.y[room.columns[j]] = share
    for r in range(place[rec.ROWS]):
        if not member[0, r]:
            room.x[r] = 0.0
    for c in range(place[rec.COLUMNS]):
        if not member[1, c]:
            room.y[c] = 0.0
    return (lower + upper) / 2


@kernel
def _open_response(frames: Frames, d: int, room: NodeScratch) -> bool:
    """Choose a cell that is open and that a response to the room's x or y may reach; False if none is left."""
    place, stage = frames.place[d], frames.stage[d]
    for r in range(place[rec.ROWS]):
        for c in range(place[rec.COLUMNS]):
            if (room.x[r] > 0.0 or room.y[c] > 0.0) and stage[r, c] != rec.SETTLED:
                place[rec.ROW], place[rec.COLUMN] = r, c
                return True
    return False


@kernel
def _responses(ends: Floats, m: int, n: int, room: NodeScratch) -> tuple[float, int, float, int]:
    """Return the best row against y and the best column against x, each with what it brings the row player."""
    best, row, worst, column = -np.inf, 0, np.inf, 0
    for r in range(m):
        value = 0.0
        for c in range(n):
            if room.y[c] > 0.0:
                value += ends[r, c] * room.y[c]
        if value > best:
            best, row = value, r
    for c in range(n):
        value = 0.0
        for r in range(m):
            if room.x[r] > 0.0:
                value += room.x[r] * ends[r, c]
        if value < worst:
            worst, column = value, c
    return best, row, worst, column
