#!/usr/bin/env python3
"""Kuhn poker as a simulator for hannan: JSON lines over standard input and output."""

import json
import random
import sys
from typing import Any

CARDS = ["J", "Q", "K"]


def show(**view: Any) -> None:
    """Answer with one line."""
    print(json.dumps(view), flush=True)


def state(cards: list[str], bets: str) -> str | None:
    """What there is to see after these cards and bets."""
    if len(cards) < 2:  # chance deals the next card; the outcome follows
        left = [card for card in CARDS if card not in cards]
        drawn = random.choice(left)
        show(gains=[0, 0], draw={"outcome": drawn, "outcomes": left})
        return drawn
    if bets in ("", "p", "b", "pb"):
        player = len(bets) % 2
        seen = [cards[player], bets]  # all that the mover has learnt, as one list
        show(gains=[0, 0], movers=[player], actions=[["p", "b"]], observations=[seen])
        return None
    if bets.endswith("bp"):  # somebody has folded
        winner, pot = (len(bets) - 2) % 2, 1
    else:
        winner, pot = (0 if CARDS.index(cards[0]) > CARDS.index(cards[1]) else 1), 2 if bets.endswith("bb") else 1
    show(gains=[pot, -pot] if winner == 0 else [-pot, pot])
    return None


print(json.dumps({"hannan": 1, "players": 2, "name": "kuhn", "bounds": [[-2, 2], [-2, 2]]}), flush=True)
cards: list[str] = []
bets, drawn = "", None
for line in sys.stdin:
    request = json.loads(line)
    if "reset" in request:
        random.seed(int(request["reset"], 16))
        cards, bets = [], ""
    elif drawn is not None:  # chance has drawn: take the card
        cards.append(drawn)
    else:
        bets += "pb"[request["step"][0]]
    drawn = state(cards, bets)
