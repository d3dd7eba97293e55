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

from hannan.kernels import inlined, kernel
from hannan.kernels.search import serial
from hannan.kernels.search.records import ALL as EVERY
from hannan.kernels.search.records import (
    ALPHA,
    ASK,
    ASKED,
    BEGUN,
    BEST,
    BETA,
    BOUNDED,
    CELL,
    CHANCE,
    CHOSEN,
    COLUMN,
    COLUMNS,
    CUTOFFS,
    DEPTH,
    END,
    ENTER,
    ENTRIES,
    EXACT,
    FINISHED,
    FIRST,
    GAIN,
    HITS,
    INSIDE,
    KIND,
    LEAF,
    LEAST,
    LIMITED,
    LOWER,
    LOWERED,
    MATRIX,
    MODE,
    MOST,
    NODES,
    OPEN,
    OUTER,
    PHASE,
    RETURN,
    ROW,
    ROWS,
    SECOND,
    SELECT,
    SERIAL,
    SETTLED,
    STALE,
    SUMMED,
    SURE,
    TOTAL,
    UNKNOWN,
    UPPER,
    WIDE,
    WORDS,
    Frames,
    Plan,
    Store,
)
from hannan.kernels.search.table import enter, lookup
from hannan.kernels.statuses import (
    CHOOSE,
    DONE,
    EMPTY_BOUNDS,
    EVALUATE,
    EXPAND,
    MORE_DEPTH,
    NO_BOUNDS,
    NOT_CONSTANT_SUM,
    OUTSIDE_BOUNDS,
)

SLACK = 1e-9
"""How far, as a part of the bounds, rounding may carry a gain outside of them."""


@inlined
def step(frames: Frames, store: Store, plan: Plan) -> int:
    """Go on until the search is done or needs something; return what."""
    now = frames.now
    while True:
        d, phase = now[DEPTH], now[PHASE]
        if phase == ENTER:
            return EXPAND
        if phase == OPEN:
            status = _opened(frames, store, plan, d)
            if status != DONE:
                return status
        elif phase == LEAF:
            frames.place[d, LIMITED] = 1
            mode = frames.place[d, MODE]
            low, high = frames.out[0], frames.out[1]
            _give(frames, d, high if mode == SECOND else low, low if mode == FIRST else high, False)
        elif phase == SELECT and frames.place[d, KIND] == MATRIX and frames.place[d, MODE] == EXACT:
            place = frames.place[d]
            if plan.policy != EVERY or plan.pruned or place[CELL] == place[ROWS] * place[COLUMNS]:
                now[PHASE] = CHOSEN
                return CHOOSE
            place[ROW], place[COLUMN] = place[CELL] // place[COLUMNS], place[CELL] % place[COLUMNS]
            place[CELL] += 1
            _how(frames, plan, d)
        elif phase == CHOSEN and not now[FINISHED]:
            _how(frames, plan, d)
        elif phase in (SELECT, CHOSEN):
            _selected(frames, store, plan, d)
        elif phase == ASK:
            if d + 1 >= frames.state.shape[0]:
                return MORE_DEPTH
            _ask(frames, d)
        else:
            if d < 0:
                return DONE
            _returned(frames, plan, d)


@kernel
def advance(frames: Frames, store: Store, plan: Plan) -> int:
    """Do as `step`; for drivers that are not compiled."""
    return step(frames, store, plan)


@inlined
def _opened(frames: Frames, store: Store, plan: Plan, d: int) -> int:
    """Settle a position at once where its bounds, the table or the end of play allow it; else prepare its cells."""
    now, place, number = frames.now, frames.place[d], frames.number[d]
    gain = number[GAIN]
    place[LIMITED] = 0
    above_least = frames.number[d - 1, LEAST] if d > 0 else plan.least
    above_most = frames.number[d - 1, MOST] if d > 0 else plan.most
    number[LEAST], number[MOST] = max(number[LEAST], above_least - gain), min(number[MOST], above_most - gain)
    for k in (ALPHA, BETA, LOWER, UPPER):
        number[k] -= gain
    least, most = number[LEAST], number[MOST]
    slack = SLACK * max(1.0, abs(least), abs(most)) if np.isfinite(least) and np.isfinite(most) else 0.0
    if least > most + slack:
        return EMPTY_BOUNDS
    if place[KIND] == END:
        if least > slack or most < -slack:
            return OUTSIDE_BOUNDS
        if not now[SUMMED]:
            now[SUMMED], frames.out[2] = 1, number[TOTAL]
        elif abs(frames.out[2] - number[TOTAL]) > SLACK * max(1.0, abs(number[TOTAL])):
            return NOT_CONSTANT_SUM
        _give(frames, d, 0.0, 0.0, True)
        return DONE
    if plan.pruned and (most - least <= plan.close or least >= number[BETA] or most <= number[ALPHA]):
        now[CUTOFFS] += 1
        _give(frames, d, least, most, most - least <= plan.close)
        return DONE
    if d == plan.limit:
        if plan.judged:
            now[PHASE] = LEAF
            return EVALUATE
        if not (np.isfinite(least) and np.isfinite(most)):
            return NO_BOUNDS
        frames.out[0], frames.out[1] = least, most
        now[PHASE] = LEAF
        return DONE
    mode = place[MODE]
    place[BEGUN], place[WIDE], place[CELL] = now[NODES] + now[SERIAL], 0, 0
    if mode != EXACT:
        number[LOWER], number[UPPER] = least, most
    if d > 0 and plan.tabled and _remembered(frames, store, plan, d):
        return DONE
    if plan.pruned and d > 0 and number[UPPER] - number[LOWER] <= plan.close:
        _give(frames, d, number[LOWER], number[UPPER], False)
        return DONE
    now[NODES if mode == EXACT else SERIAL] += 1
    _prepare(frames, d)
    now[PHASE] = SELECT
    return DONE


@inlined
def _remembered(frames: Frames, store: Store, plan: Plan, d: int) -> bool:
    """Take over what the table knows of a position; leave the frame, and say so, where that is enough."""
    place, number = frames.place[d], frames.number[d]
    for limited in range(2 if plan.limit >= 0 else 1):
        k = lookup(store, frames.key[d], place[WORDS], _what(plan, place[MODE], d, limited))
        if k >= 0:
            low, high = max(number[LOWER], store.bound[k, 0]), min(number[UPPER], store.bound[k, 1])
            if high - low <= plan.close or store.work[k] & 1 or low >= number[BETA] or high <= number[ALPHA]:
                frames.now[HITS] += 1
                place[LIMITED] = limited
                _give(frames, d, low, high, False)
                return True
            if limited == 0:
                number[LOWER], number[UPPER] = low, high
    return False


@inlined
def _what(plan: Plan, mode: int, d: int, limited: int) -> int:
    """Number what a table's entry tells: the mode and, where a depth limit shows in it, the moves that were left."""
    return mode + (3 * (plan.limit - d) if limited else 0)


@inlined
def _prepare(frames: Frames, d: int) -> None:
    """Begin with cells of which only the range is known."""
    place, number = frames.place[d], frames.number[d]
    m, n = place[ROWS], place[COLUMNS]
    if place[MODE] != EXACT and place[KIND] == MATRIX:
        serial.begin(frames, d)
        return
    low, high, stage, member = frames.low[d], frames.high[d], frames.stage[d], frames.member[d]
    for r in range(m):
        for c in range(n):
            low[r, c], high[r, c], stage[r, c] = number[LEAST], number[MOST], UNKNOWN
    for r in range(m):
        member[0, r] = 1 if r == 0 else 0
    for c in range(n):
        member[1, c] = 1 if c == 0 else 0
    place[STALE] = 3


@inlined
def _selected(frames: Frames, store: Store, plan: Plan, d: int) -> None:
    """Choose the next cell of a chance node or of a serialised game, or finish the node."""
    place, number = frames.place[d], frames.number[d]
    lower, upper = 0.0, 0.0
    if place[KIND] == CHANCE:
        done, lower, upper = _next_of_chance(frames, plan, d)
        if not done:
            return
    elif place[MODE] != EXACT:
        if place[OUTER] < 0:
            lower, upper = serial.outcome(frames, d)
        else:
            serial.next_pair(frames, d)
            return
    else:
        lower, upper = frames.out[0], frames.out[1]
    if place[MODE] == EXACT:
        lower, upper = max(lower, number[LOWER]), min(upper, number[UPPER])
    if plan.tabled:
        work = frames.now[NODES] + frames.now[SERIAL] - place[BEGUN]
        inside = lower < number[BETA] and upper > number[ALPHA]
        what = _what(plan, place[MODE], d, place[LIMITED])
        frames.now[ENTRIES] += enter(
            store, frames.key[d], place[WORDS], what, lower, upper, 2 * work + (1 if inside else 0)
        )
    _give(frames, d, lower, upper, False)


@inlined
def _how(frames: Frames, plan: Plan, d: int) -> None:
    """Ask for a cell's lower bound, its upper bound, or its value."""
    place, number = frames.place[d], frames.number[d]
    r, c = place[ROW], place[COLUMN]
    low, high = frames.low[d, r, c], frames.high[d, r, c]
    stage = frames.stage[d, r, c]
    place[ASKED] = EXACT
    if plan.serial and stage == UNKNOWN:
        place[ASKED] = FIRST
    elif plan.serial and stage == LOWERED:
        place[ASKED] = SECOND
    elif plan.pruned and place[COLUMNS] == 1:  # the best of several rows: only more than the best so far counts
        for k in range(place[ROWS]):
            low = max(low, frames.low[d, k, 0])
        low, high = max(low, number[ALPHA]), min(high, number[BETA])
    elif plan.pruned and place[ROWS] == 1:
        for k in range(place[COLUMNS]):
            high = min(high, frames.high[d, 0, k])
        low, high = max(low, number[ALPHA]), min(high, number[BETA])
    number[INSIDE], number[BEST] = low, high
    frames.now[PHASE] = ASK


@inlined
def _next_of_chance(frames: Frames, plan: Plan, d: int) -> tuple[bool, float, float]:
    """Choose the first outcome that is open; its window is what the others leave (B. W. Ballard, 1983, Star1)."""
    place, number, odds = frames.place[d], frames.number[d], frames.odds[d]
    low, high, stage = frames.low[d, 0], frames.high[d, 0], frames.stage[d, 0]
    lower, upper, chosen = 0.0, 0.0, -1
    for k in range(place[COLUMNS]):
        if odds[k] > 0.0:
            lower += odds[k] * low[k]
            upper += odds[k] * high[k]
            if chosen < 0 and stage[k] != SETTLED:
                chosen = k
    if chosen < 0:
        return True, lower, upper
    if plan.pruned and (upper - lower <= plan.close or lower >= number[BETA] or upper <= number[ALPHA]):
        frames.now[CUTOFFS] += 1
        return True, lower, upper
    place[ROW], place[COLUMN] = 0, chosen
    if place[MODE] == EXACT and plan.serial and stage[chosen] < BOUNDED:
        place[ASKED] = FIRST if stage[chosen] == UNKNOWN else SECOND
    else:
        place[ASKED] = place[MODE]
    alpha, beta = -np.inf, np.inf
    if plan.pruned:
        weight = odds[chosen]
        alpha = max(low[chosen], (number[ALPHA] - (upper - weight * high[chosen])) / weight)
        beta = min(high[chosen], (number[BETA] - (lower - weight * low[chosen])) / weight)
    number[INSIDE], number[BEST] = alpha, beta
    frames.now[PHASE] = ASK
    return False, 0.0, 0.0


@inlined
def _ask(frames: Frames, d: int) -> None:
    """Begin the frame of a cell."""
    place, number, child, numbers = frames.place[d], frames.number[d], frames.place[d + 1], frames.number[d + 1]
    r, c = place[ROW], place[COLUMN]
    child[MODE] = place[ASKED]
    if place[MODE] == EXACT or place[KIND] == CHANCE:
        numbers[LOWER], numbers[UPPER] = frames.low[d, r, c], frames.high[d, r, c]
        numbers[ALPHA], numbers[BETA] = number[INSIDE], number[BEST]
    elif place[MODE] == FIRST:
        numbers[ALPHA], numbers[BETA] = max(number[ALPHA], number[BEST]), min(number[BETA], number[INSIDE])
    else:
        numbers[ALPHA], numbers[BETA] = max(number[ALPHA], -number[INSIDE]), min(number[BETA], -number[BEST])
    frames.now[DEPTH], frames.now[PHASE] = d + 1, ENTER


@inlined
def _give(frames: Frames, d: int, lower: float, upper: float, sure: bool) -> None:
    """Leave a frame with an interval. `sure`: it is one for the value, whatever was asked for."""
    gain = frames.number[d, GAIN]
    frames.out[0], frames.out[1] = lower + gain, upper + gain
    frames.now[SURE] = 1 if sure else 0
    frames.now[DEPTH], frames.now[PHASE] = d - 1, RETURN


@inlined
def _returned(frames: Frames, plan: Plan, d: int) -> None:
    """Take the interval of a cell."""
    now, place = frames.now, frames.place[d]
    place[LIMITED] |= frames.place[d + 1, LIMITED]
    now[PHASE] = SELECT
    if place[MODE] != EXACT and place[KIND] == MATRIX:
        serial.answered(frames, d)
        return
    r, c = place[ROW], place[COLUMN]
    low, high, stage = frames.low[d], frames.high[d], frames.stage[d]
    before_low, before_high, asked = low[r, c], high[r, c], place[ASKED]
    whole = now[SURE] or asked == place[MODE]
    if whole or asked == FIRST:
        low[r, c] = max(before_low, frames.out[0])
    if whole or asked == SECOND:
        high[r, c] = min(before_high, frames.out[1])
    if low[r, c] > high[r, c]:  # by rounding
        low[r, c] = high[r, c] = (low[r, c] + high[r, c]) / 2
    place[STALE] |= (1 if low[r, c] != before_low else 0) | (2 if high[r, c] != before_high else 0)
    if now[SURE]:
        stage[r, c] = SETTLED
    elif asked == place[MODE]:
        inside = frames.out[0] < frames.number[d, BEST] and frames.out[1] > frames.number[d, INSIDE]
        same = low[r, c] == before_low and high[r, c] == before_high
        if inside or same or high[r, c] - low[r, c] <= plan.close:
            stage[r, c] = SETTLED
    else:
        stage[r, c] = LOWERED if asked == FIRST else BOUNDED
        if high[r, c] - low[r, c] <= plan.close:
            stage[r, c] = SETTLED
            now[CUTOFFS] += 1
        elif asked == FIRST and place[KIND] == MATRIX:
            _how(frames, plan, d)
    if stage[r, c] == SETTLED and high[r, c] - low[r, c] > plan.close:
        place[WIDE] = 1
