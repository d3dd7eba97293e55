"""The stack of a walk: nodes whose children are being visited, and the sums of what these are worth."""

from __future__ import annotations

from hannan.kernels import inlined
from hannan.kernels.addresses import address
from hannan.kernels.sampling.baselines import expect, note
from hannan.kernels.sampling.choices import take_drawn, take_everything, take_own
from hannan.kernels.sampling.modes import Mode
from hannan.kernels.sampling.moves import played_by, write_move
from hannan.kernels.sampling.nodes import Here
from hannan.kernels.sampling.others import Moved, Road, show
from hannan.kernels.sampling.records import CHANCE, LEARNED, PLANS, Board, SamplingPlan, Scratch, Tables
from hannan.kernels.signatures import BESIDE, Book
from hannan.kernels.statuses import DONE, MORE_DEPTH, MORE_VISITS, MORE_WIDTH


@inlined
def open_frame(
    here: Here, moved: Moved, basis: int, i: int, j: int, depth: int, steps: int, road: Road, plan: SamplingPlan,
    mode: Mode, board: Board, tables: Tables, scratch: Scratch,
) -> int:  # fmt: skip
    """Put a node on the stack: choose the children to visit, and begin the sum of what they are worth."""
    if depth + 1 >= scratch.frame.size:
        return MORE_DEPTH
    if mode.listing and here.moves > scratch.pick.shape[1]:
        return MORE_WIDTH
    if mode.weighting and moved.ours and j == i:  # there is one player  # noqa: SIM102
        if not show(moved.first, moved.size, moved.reach / moved.drawn, scratch):
            return MORE_VISITS
    top = scratch.frame[depth]
    at, expected = -1, 0.0
    if moved.ours:
        at = scratch.used[0].values
        top.touched = scratch.used[0].touched
        above = scratch.frame[depth - 1].touched if plan.learner == PLANS and depth > 0 else -1
        if not _touch(moved, here.children, road.own, above, 1.0 if mode.level else road.weight, scratch):
            return MORE_VISITS
    if mode.everybody and here.who != CHANCE and here.who != i:
        choice = take_everything(here.moves, here.movers, i, depth, tables, scratch)
    elif moved.ours:
        choice = take_own(moved, depth, plan, tables, scratch)
    else:
        choice = take_drawn(moved)
    if basis >= 0:
        expected = expect(here, moved, basis, at, i, depth, board, tables, scratch)
    top.picks, top.base, top.action, top.listed, top.xi = choice
    top.children, top.stride, top.cursor, top.basis = here.children, moved.stride, 0, basis
    top.first, top.size, top.own, top.at = moved.first, moved.size, road.own, at
    top.movers, top.steps, top.coded = here.movers, steps, here.coded
    top.gained, top.scale, top.weight = road.lead + road.scale * here.gained, road.scale, road.weight
    top.rho, top.sum = moved.rho, expected
    if mode.weighting:
        top.reach, top.drawn = moved.reach, moved.drawn
    return DONE


@inlined
def _touch(moved: Moved, children: int, own: int, above: int, weight: float, scratch: Scratch) -> bool:
    """Write down that one of the traverser's sets is visited; return False if the room is full."""
    used = scratch.used[0]
    at, k = used.values, used.touched
    if k == scratch.touched.size or at + moved.size > scratch.value.size:
        return False
    touch = scratch.touched[k]
    touch.first, touch.count, touch.at, touch.own = moved.first, moved.size, at, own
    touch.child, touch.stride, touch.above, touch.weight = children, moved.stride, above, weight
    used.touched, used.values = k + 1, at + moved.size
    return True


@inlined
def next_child(depth: int, scratch: Scratch) -> tuple[int, int, float]:
    """Return the child whose turn it is, the traverser's action that leads there, and what the others' moves count."""
    top = scratch.frame[depth]
    k = top.cursor
    if top.listed:
        return scratch.pick[depth, k, 0], scratch.pick[depth, k, 1], scratch.ratio[depth, k]
    return top.base + k * top.stride, k + top.action, top.rho


@inlined
def descend(depth: int, i: int, j: int, mode: Mode, tables: Tables, scratch: Scratch) -> tuple[int, int, Road]:
    """Go on to the next child of the frame; return which one it is, its number on the board, and the road to it."""
    top, learnt = scratch.frame[depth], tables.learnt
    child, action, rho = next_child(depth, scratch)
    own, weight, reach, drawn = top.own, top.weight * rho, 1.0, 1.0
    if top.xi != 1.0:  # what divides by 1 takes as long as any other division
        weight /= top.xi
    if mode.weighting:
        reach, drawn = top.reach, top.drawn * top.xi
    if top.at >= 0:
        if (mode.forgets >> i) & 1 == 0:
            own = top.first + 2 * top.size + action
        if mode.weighting and j == i:
            reach *= learnt[top.first + action]
    if mode.weighting and mode.everybody and top.listed:
        reach *= played_by(j, child, scratch.mover[depth], top.movers, learnt)
    return child, number_of(top.children, child), Road(own, weight, reach, drawn, 0.0, 1.0)


@inlined
def climb(
    depth: int, result: float, i: int, plan: SamplingPlan, tables: Tables, scratch: Scratch
) -> tuple[int, int, float]:
    """Take a child's value in; where it was the last child, go up with the node's own value, and so on.

    Return a status, the depth of the frame that has another child (-1 where none has), and the value there.
    """
    learnt, value = tables.learnt, scratch.value
    while depth >= 0:
        top = scratch.frame[depth]
        child, action, rho = next_child(depth, scratch)
        if top.basis >= 0:
            entry = top.basis + child
            if plan.baseline == LEARNED and not note(entry, result, scratch):
                return MORE_VISITS, depth, result
            result -= tables.baseline[i, entry]
        result *= rho
        at = top.at
        if at >= 0:
            if top.xi != 1.0:
                result /= top.xi
            value[at + action] += result
            result *= learnt[top.first + action]
        result += top.sum
        top.sum = result
        top.cursor += 1
        if top.cursor < top.picks:
            return DONE, depth, result
        if at >= 0:
            scratch.touched[top.touched].value = result
        result = top.gained + top.scale * result
        depth -= 1
    return DONE, depth, result


@inlined
def number_of(children: int, child: int) -> int:
    """Return the number of a child on the board; -1 where it has none."""
    return children + child if children > 0 else -1


@inlined
def make_move(
    child: int, actors: int, coded: int, depth: int, to: int, steps: int, rules: Book, board: Board, tables: Tables,
    scratch: Scratch,
) -> int:  # fmt: skip
    """Make the state at depth `to` the next one, by the move with a number at `depth`; return the steps so far."""
    scratch.trail[steps] = child
    write_move(
        child, actors, coded, scratch.mover[depth], scratch.code[depth], board.code, tables.buckets, scratch.choice,
        scratch.last[to],
    )  # fmt: skip
    rules.move(rules.table, address(scratch.state, to * scratch.state.shape[1]), address(scratch.choice, 0))
    return steps + 1


@inlined
def copy_below(depth: int, scratch: Scratch) -> None:
    """Copy the state, and each player's last sequence, to the next depth."""
    state, last = scratch.state, scratch.last
    for k in range(state.shape[1] - BESIDE):
        state[depth + 1, k] = state[depth, k]
    for p in range(last.shape[1]):
        last[depth + 1, p] = last[depth, p]
