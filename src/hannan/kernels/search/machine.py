"""The search, one step after another, over frames that a driver fills from the rules.

B. Bošanský, V. Lisý, J. Čermák, R. Vítek, M. Pěchouček (2013), Using double-oracle method and serialized alpha–beta
search for pruning in simultaneous move games; A. Saffidine, H. Finnsson, M. Buro (2012), Alpha–beta pruning for games
with simultaneous moves.

All numbers are player 0's. A frame computes the value of its position, or that of one of the two serialised games:
where player 0 moves first and is seen (never more than the value), or second (never less). What it returns is an
interval; either its ends meet, or it lies outside the window.
"""

from __future__ import annotations

import numpy as np

from hannan.kernels import inlined, statuses
from hannan.kernels.search import records as rec
from hannan.kernels.search import serial
from hannan.kernels.search.records import ALL as EVERY
from hannan.kernels.search.records import ExactPlan, Frames, Store
from hannan.kernels.search.table import enter, lookup

SLACK = 1e-9
"""How far, as a part of the bounds, rounding may carry a gain outside of them."""


@inlined
def step(frames: Frames, store: Store, plan: ExactPlan) -> int:
    """Go on until the search is done or needs something; return what."""
    now = frames.now
    while True:
        d, phase = now[rec.DEPTH], now[rec.PHASE]
        if phase == rec.ENTER:
            return statuses.EXPAND
        if phase == rec.OPEN:
            status = _opened(frames, store, plan, d)
            if status != statuses.DONE:
                return status
        elif phase == rec.LEAF:
            frames.place[d, rec.LIMITED] = 1
            mode = frames.place[d, rec.MODE]
            low, high = frames.out[0], frames.out[1]
            _give(frames, d, high if mode == rec.SECOND else low, low if mode == rec.FIRST else high, False)
        elif phase == rec.SELECT and frames.place[d, rec.KIND] == rec.MATRIX and frames.place[d, rec.MODE] == rec.EXACT:
            place = frames.place[d]
            if plan.policy != EVERY or plan.pruned or place[rec.CELL] == place[rec.ROWS] * place[rec.COLUMNS]:
                now[rec.PHASE] = rec.CHOSEN
                return statuses.CHOOSE
            place[rec.ROW], place[rec.COLUMN] = (
                place[rec.CELL] // place[rec.COLUMNS],
                place[rec.CELL] % place[rec.COLUMNS],
            )
            place[rec.CELL] += 1
            _how(frames, plan, d)
        elif phase == rec.CHOSEN and not now[rec.FINISHED]:
            _how(frames, plan, d)
        elif phase in (rec.SELECT, rec.CHOSEN):
            _selected(frames, store, plan, d)
        elif phase == rec.ASK:
            if d + 1 >= frames.state.shape[0]:
                return statuses.MORE_DEPTH
            _ask(frames, d)
        else:
            if d < 0:
                return statuses.DONE
            _returned(frames, plan, d)


@inlined
def _opened(frames: Frames, store: Store, plan: ExactPlan, d: int) -> int:
    """Settle a position at once where its bounds, the table or the end of play allow it; else prepare its cells."""
    now, place, number = frames.now, frames.place[d], frames.number[d]
    gain = number[rec.GAIN]
    place[rec.LIMITED] = 0
    above_least = frames.number[d - 1, rec.LEAST] if d > 0 else plan.least
    above_most = frames.number[d - 1, rec.MOST] if d > 0 else plan.most
    number[rec.LEAST], number[rec.MOST] = (
        max(number[rec.LEAST], above_least - gain),
        min(number[rec.MOST], above_most - gain),
    )
    for k in (rec.ALPHA, rec.BETA, rec.LOWER, rec.UPPER):
        number[k] -= gain
    least, most = number[rec.LEAST], number[rec.MOST]
    slack = SLACK * max(1.0, abs(least), abs(most)) if np.isfinite(least) and np.isfinite(most) else 0.0
    if least > most + slack:
        return statuses.EMPTY_BOUNDS
    if place[rec.KIND] == rec.END:
        if least > slack or most < -slack:
            return statuses.OUTSIDE_BOUNDS
        if not now[rec.SUMMED]:
            now[rec.SUMMED], frames.out[2] = 1, number[rec.TOTAL]
        elif abs(frames.out[2] - number[rec.TOTAL]) > SLACK * max(1.0, abs(number[rec.TOTAL])):
            return statuses.NOT_CONSTANT_SUM
        _give(frames, d, 0.0, 0.0, True)
        return statuses.DONE
    if plan.pruned and (most - least <= plan.close or least >= number[rec.BETA] or most <= number[rec.ALPHA]):
        now[rec.CUTOFFS] += 1
        _give(frames, d, least, most, most - least <= plan.close)
        return statuses.DONE
    if d == plan.limit:
        if plan.judged:
            now[rec.PHASE] = rec.LEAF
            return statuses.EVALUATE
        if not (np.isfinite(least) and np.isfinite(most)):
            return statuses.NO_BOUNDS
        frames.out[0], frames.out[1] = least, most
        now[rec.PHASE] = rec.LEAF
        return statuses.DONE
    mode = place[rec.MODE]
    place[rec.BEGUN], place[rec.WIDE], place[rec.CELL] = now[rec.NODES] + now[rec.SERIAL], 0, 0
    if mode != rec.EXACT:
        number[rec.LOWER], number[rec.UPPER] = least, most
    if d > 0 and plan.tabled and _remembered(frames, store, plan, d):
        return statuses.DONE
    if plan.pruned and d > 0 and number[rec.UPPER] - number[rec.LOWER] <= plan.close:
        _give(frames, d, number[rec.LOWER], number[rec.UPPER], False)
        return statuses.DONE
    now[rec.NODES if mode == rec.EXACT else rec.SERIAL] += 1
    _prepare(frames, d)
    now[rec.PHASE] = rec.SELECT
    return statuses.DONE


@inlined
def _remembered(frames: Frames, store: Store, plan: ExactPlan, d: int) -> bool:
    """Take over what the table knows of a position; leave the frame, and say so, where that is enough."""
    place, number = frames.place[d], frames.number[d]
    for limited in range(2 if plan.limit >= 0 else 1):
        k = lookup(store, frames.key[d], place[rec.WORDS], _what(plan, place[rec.MODE], d, limited))
        if k >= 0:
            low, high = max(number[rec.LOWER], store.bound[k, 0]), min(number[rec.UPPER], store.bound[k, 1])
            if high - low <= plan.close or store.work[k] & 1 or low >= number[rec.BETA] or high <= number[rec.ALPHA]:
                frames.now[rec.HITS] += 1
                place[rec.LIMITED] = limited
                _give(frames, d, low, high, False)
                return True
            if limited == 0:
                number[rec.LOWER], number[rec.UPPER] = low, high
    return False


@inlined
def _what(plan: ExactPlan, mode: int, d: int, limited: int) -> int:
    """Number what a table's entry tells: the mode and, where a depth limit shows in it, the moves that were left."""
    return mode + (3 * (plan.limit - d) if limited else 0)


@inlined
def _prepare(frames: Frames, d: int) -> None:
    """Begin with cells of which only the range is known."""
    place, number = frames.place[d], frames.number[d]
    m, n = place[rec.ROWS], place[rec.COLUMNS]
    if place[rec.MODE] != rec.EXACT and place[rec.KIND] == rec.MATRIX:
        serial.begin(frames, d)
        return
    low, high, stage, member = frames.low[d], frames.high[d], frames.stage[d], frames.member[d]
    for r in range(m):
        for c in range(n):
            low[r, c], high[r, c], stage[r, c] = number[rec.LEAST], number[rec.MOST], rec.UNKNOWN
    for r in range(m):
        member[0, r] = 1 if r == 0 else 0
    for c in range(n):
        member[1, c] = 1 if c == 0 else 0
    place[rec.STALE] = 3


@inlined
def _selected(frames: Frames, store: Store, plan: ExactPlan, d: int) -> None:
    """Choose the next cell of a chance node or of a serialised game, or finish the node."""
    place, number = frames.place[d], frames.number[d]
    lower, upper = 0.0, 0.0
    if place[rec.KIND] == rec.CHANCE:
        done, lower, upper = _next_of_chance(frames, plan, d)
        if not done:
            return
    elif place[rec.MODE] != rec.EXACT:
        if place[rec.OUTER] < 0:
            lower, upper = serial.outcome(frames, d)
        else:
            serial.next_pair(frames, d)
            return
    else:
        lower, upper = frames.out[0], frames.out[1]
    if place[rec.MODE] == rec.EXACT:
        lower, upper = max(lower, number[rec.LOWER]), min(upper, number[rec.UPPER])
    if plan.tabled:
        work = frames.now[rec.NODES] + frames.now[rec.SERIAL] - place[rec.BEGUN]
        inside = lower < number[rec.BETA] and upper > number[rec.ALPHA]
        what = _what(plan, place[rec.MODE], d, place[rec.LIMITED])
        frames.now[rec.ENTRIES] += enter(
            store, frames.key[d], place[rec.WORDS], what, lower, upper, 2 * work + (1 if inside else 0)
        )
    _give(frames, d, lower, upper, False)


@inlined
def _how(frames: Frames, plan: ExactPlan, d: int) -> None:
    """Ask for a cell's lower bound, its upper bound, or its value."""
    place, number = frames.place[d], frames.number[d]
    r, c = place[rec.ROW], place[rec.COLUMN]
    low, high = frames.low[d, r, c], frames.high[d, r, c]
    stage = frames.stage[d, r, c]
    place[rec.ASKED] = rec.EXACT
    if plan.serial and stage == rec.UNKNOWN:
        place[rec.ASKED] = rec.FIRST
    elif plan.serial and stage == rec.LOWERED:
        place[rec.ASKED] = rec.SECOND
    elif plan.pruned and place[rec.COLUMNS] == 1:  # the best of several rows: only more than the best so far counts
        for k in range(place[rec.ROWS]):
            low = max(low, frames.low[d, k, 0])
        low, high = max(low, number[rec.ALPHA]), min(high, number[rec.BETA])
    elif plan.pruned and place[rec.ROWS] == 1:
        for k in range(place[rec.COLUMNS]):
            high = min(high, frames.high[d, 0, k])
        low, high = max(low, number[rec.ALPHA]), min(high, number[rec.BETA])
    number[rec.INSIDE], number[rec.BEST] = low, high
    frames.now[rec.PHASE] = rec.ASK


@inlined
def _next_of_chance(frames: Frames, plan: ExactPlan, d: int) -> tuple[bool, float, float]:
    """Choose the first outcome that is open; its window is what the others leave (B. W. Ballard, 1983, Star1)."""
    place, number, odds = frames.place[d], frames.number[d], frames.odds[d]
    low, high, stage = frames.low[d, 0], frames.high[d, 0], frames.stage[d, 0]
    lower, upper, chosen = 0.0, 0.0, -1
    for k in range(place[rec.COLUMNS]):
        if odds[k] > 0.0:
            lower += odds[k] * low[k]
            upper += odds[k] * high[k]
            if chosen < 0 and stage[k] != rec.SETTLED:
                chosen = k
    if chosen < 0:
        return True, lower, upper
    if plan.pruned and (upper - lower <= plan.close or lower >= number[rec.BETA] or upper <= number[rec.ALPHA]):
        frames.now[rec.CUTOFFS] += 1
        return True, lower, upper
    place[rec.ROW], place[rec.COLUMN] = 0, chosen
    if place[rec.MODE] == rec.EXACT and plan.serial and stage[chosen] < rec.BOUNDED:
        place[rec.ASKED] = rec.FIRST if stage[chosen] == rec.UNKNOWN else rec.SECOND
    else:
        place[rec.ASKED] = place[rec.MODE]
    alpha, beta = -np.inf, np.inf
    if plan.pruned:
        weight = odds[chosen]
        alpha = max(low[chosen], (number[rec.ALPHA] - (upper - weight * high[chosen])) / weight)
        beta = min(high[chosen], (number[rec.BETA] - (lower - weight * low[chosen])) / weight)
    number[rec.INSIDE], number[rec.BEST] = alpha, beta
    frames.now[rec.PHASE] = rec.ASK
    return False, 0.0, 0.0


@inlined
def _ask(frames: Frames, d: int) -> None:
    """Begin the frame of a cell."""
    place, number, child, numbers = frames.place[d], frames.number[d], frames.place[d + 1], frames.number[d + 1]
    r, c = place[rec.ROW], place[rec.COLUMN]
    child[rec.MODE] = place[rec.ASKED]
    if place[rec.MODE] == rec.EXACT or place[rec.KIND] == rec.CHANCE:
        numbers[rec.LOWER], numbers[rec.UPPER] = frames.low[d, r, c], frames.high[d, r, c]
        numbers[rec.ALPHA], numbers[rec.BETA] = number[rec.INSIDE], number[rec.BEST]
    elif place[rec.MODE] == rec.FIRST:
        numbers[rec.ALPHA], numbers[rec.BETA] = (
            max(number[rec.ALPHA], number[rec.BEST]),
            min(number[rec.BETA], number[rec.INSIDE]),
        )
    else:
        numbers[rec.ALPHA], numbers[rec.BETA] = (
            max(number[rec.ALPHA], -number[rec.INSIDE]),
            min(number[rec.BETA], -number[rec.BEST]),
        )
    frames.now[rec.DEPTH], frames.now[rec.PHASE] = d + 1, rec.ENTER


@inlined
def _give(frames: Frames, d: int, lower: float, upper: float, sure: bool) -> None:
    """Leave a frame with an interval. `sure`: it is one for the value, whatever was asked for."""
    gain = frames.number[d, rec.GAIN]
    frames.out[0], frames.out[1] = lower + gain, upper + gain
    frames.now[rec.SURE] = 1 if sure else 0
    frames.now[rec.DEPTH], frames.now[rec.PHASE] = d - 1, rec.RETURN


@inlined
def _returned(frames: Frames, plan: ExactPlan, d: int) -> None:
    """Take the interval of a cell."""
    now, place = frames.now, frames.place[d]
    place[rec.LIMITED] |= frames.place[d + 1, rec.LIMITED]
    now[rec.PHASE] = rec.SELECT
    if place[rec.MODE] != rec.EXACT and place[rec.KIND] == rec.MATRIX:
        serial.answered(frames, d)
        return
    r, c = place[rec.ROW], place[rec.COLUMN]
    low, high, stage = frames.low[d], frames.high[d], frames.stage[d]
    before_low, before_high, asked = low[r, c], high[r, c], place[rec.ASKED]
    whole = now[rec.SURE] or asked == place[rec.MODE]
    if whole or asked == rec.FIRST:
        low[r, c] = max(before_low, frames.out[0])
    if whole or asked == rec.SECOND:
        high[r, c] = min(before_high, frames.out[1])
    if low[r, c] > high[r, c]:  # by rounding
        low[r, c] = high[r, c] = (low[r, c] + high[r, c]) / 2
    place[rec.STALE] |= (1 if low[r, c] != before_low else 0) | (2 if high[r, c] != before_high else 0)
    if now[rec.SURE]:
        stage[r, c] = rec.SETTLED
    elif asked == place[rec.MODE]:
        inside = frames.out[0] < frames.number[d, rec.BEST] and frames.out[1] > frames.number[d, rec.INSIDE]
        same = low[r, c] == before_low and high[r, c] == before_high
        if inside or same or high[r, c] - low[r, c] <= plan.close:
            stage[r, c] = rec.SETTLED
    else:
        stage[r, c] = rec.LOWERED if asked == rec.FIRST else rec.BOUNDED
        if high[r, c] - low[r, c] <= plan.close:
            stage[r, c] = rec.SETTLED
            now[rec.CUTOFFS] += 1
        elif asked == rec.FIRST and place[rec.KIND] == rec.MATRIX:
            _how(frames, plan, d)
    if stage[r, c] == rec.SETTLED and high[r, c] - low[r, c] > plan.close:
        place[rec.WIDE] = 1
