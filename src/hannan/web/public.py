"""Nodes of a public tree: the hands of each player, their values, and the square grid of poker tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hannan.errors import UnsuitableError
from hannan.measures.poker.report import NodeReport, PlayerReport, ReportRow
from hannan.strategies.public import PublicStrategy
from hannan.web.numbers import finite, finites, number_text, percent_text

if TYPE_CHECKING:
    from hannan.web.opened import OpenStrategy


def _report(opened: OpenStrategy, at: str) -> NodeReport:
    strategy = opened.loaded()
    if not isinstance(strategy, PublicStrategy):
        raise UnsuitableError(f"{opened.name} is {strategy.kind}, and not on a public tree: it is shown set by set")
    with opened.lock:
        return opened.reader.report(at)


def public_record(opened: OpenStrategy, at: str, player: int | None) -> dict[str, Any]:
    """Return a node of a public tree."""
    node = _report(opened, at)
    shown = _player(node, player)
    words = node.at.split()
    crumbs = [{"label": words[k - 1] if k else "root", "at": " ".join(words[:k])} for k in range(len(words) + 1)]
    cards = []
    strategy = opened.loaded()
    if node.acts == "card" and isinstance(strategy, PublicStrategy):
        names = map(strategy.game.rules.outcome_text, strategy.node(at).outcomes)
        cards = [{"label": name, "at": f"{node.at} {name}".strip()} for name in names]
    return {
        "game": opened.game.id, "at": node.at, "board": node.board, "pot": finite(node.pot),
        "pot_text": number_text(node.pot), "acts": node.acts, "actor": node.actor, "crumbs": crumbs,
        "moves": _moves(node), "cards": cards, "player": shown.player, "player_name": shown.name,
        "range": node.ranges.get(shown.name), "total": row_record(shown.total),
        "players": [
            {"player": one.player, "name": one.name, "total": row_record(one.total)} for one in node.players
        ],
        "grid": _grid(node, shown),
        "groups": [] if node.deck is not None else [row_record(row) for row in shown.groups],
    }  # fmt: skip


def _player(node: NodeReport, player: int | None) -> PlayerReport:
    number = (node.actor or 0) if player is None else player
    if not 0 <= number < len(node.players):
        raise UnsuitableError(f"player {number} does not exist; the players are 0 and 1")
    return node.players[number]


def _moves(node: NodeReport) -> list[dict[str, Any]]:
    if node.actor is None:
        return []
    total = node.players[node.actor].total
    moves = []
    for k, label in enumerate(node.actions):
        share = None if total.frequencies is None else finite(total.frequencies[k])
        worth = None if total.action_evs is None else finite(total.action_evs[k])
        moves.append({
            "label": label, "at": f"{node.at} {label}".strip(), "frequency": share,
            "frequency_text": percent_text(share), "ev": worth, "ev_text": number_text(worth),
            "range": node.action_ranges.get(label),
        })  # fmt: skip
    return moves


def _grid(node: NodeReport, player: PlayerReport) -> dict[str, Any] | None:
    """Return groups of hands in a square: aces first, suited hands above the diagonal, offsuit hands below it."""
    if node.deck is None:
        return None
    ranks = node.deck.rank_letters[::-1]
    groups = {row.name: row for row in player.groups}
    cells = []
    for i, high in enumerate(ranks):
        line = []
        for j, low in enumerate(ranks):
            name = high + low if i == j else f"{high}{low}s" if i < j else f"{low}{high}o"
            line.append(row_record(groups[name]) if name in groups else None)
        cells.append(line)
    return {"ranks": list(ranks), "cells": cells}


def hands_record(
    opened: OpenStrategy, at: str, player: int | None, group: str | None, offset: int, limit: int
) -> dict[str, Any]:
    """Return a page of single hands."""
    shown = _player(_report(opened, at), player)
    rows = [row for row in shown.hands if group is None or row.group == group]
    items = [row_record(row) for row in rows[offset : offset + limit]]
    return {"total": len(rows), "offset": offset, "limit": limit, "items": items}


def row_record(row: ReportRow) -> dict[str, Any]:
    """Return the record of a hand, a group of hands or all hands."""
    return {
        "name": row.name, "weight": finite(row.weight), "matchups": finite(row.matchups),
        "equity": finite(row.equity), "ev": finite(row.ev), "eqr": finite(row.eqr),
        "frequencies": finites(row.frequencies), "action_evs": finites(row.action_evs),
        "weight_text": number_text(row.weight), "equity_text": percent_text(row.equity),
        "ev_text": number_text(row.ev), "eqr_text": percent_text(row.eqr),
        "frequencies_text": [percent_text(share) for share in row.frequencies or ()],
    }  # fmt: skip
