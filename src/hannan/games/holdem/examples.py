"""Spots with known solutions and speeds from another solver: postflop-solver by b-inary."""

from __future__ import annotations

from typing import Any

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
WIDE_OOP = (
    "AA,KK,QQ,JJ,TT,99:0.75,88:0.75,77:0.5,66:0.25,55:0.25,AK,AQs,AQo:0.75,AJs,AJo:0.5,ATs:0.75,A6s:0.25,"
    "A5s:0.75,A4s:0.75,A3s:0.5,A2s:0.5,KQs,KQo:0.5,KJs,KTs:0.75,K5s:0.25,K4s:0.25,QJs:0.75,QTs:0.75,"
    "Q9s:0.5,JTs:0.75,J9s:0.75,J8s:0.75,T9s:0.75,T8s:0.75,T7s:0.75,98s:0.75,97s:0.75,96s:0.5,87s:0.75,"
    "86s:0.5,85s:0.5,76s:0.75,75s:0.5,65s:0.75,64s:0.5,54s:0.75,53s:0.5,43s:0.5"
)
WIDE_IP = (
    "QQ:0.5,JJ:0.75,TT,99,88,77,66,55,44,33,22,AKo:0.25,AQs,AQo:0.75,AJs,AJo:0.75,ATs,ATo:0.75,A9s,A8s,"
    "A7s,A6s,A5s,A4s,A3s,A2s,KQ,KJ,KTs,KTo:0.5,K9s,K8s,K7s,K6s,K5s,K4s:0.5,K3s:0.5,K2s:0.5,QJ,QTs,Q9s,Q8s,"
    "Q7s,JTs,JTo:0.5,J9s,J8s,T9s,T8s,T7s,98s,97s,96s,87s,86s,76s,75s,65s,64s,54s,53s,43s"
)

_SIZES = {"bets": "60%,e,a", "raises": "2.5x", "river_donks": "50%", "add_allin": 1.5, "force_allin": 0.15}

SPOTS: dict[str, dict[str, Any]] = {
    "river_range": {"board": "Td9d6hQc2s", "oop": OOP, "ip": IP, "pot": 200, "stack": 900, "merging": 0.1, **_SIZES},
    "turn_basic": {"board": "Td9d6hQc", "oop": OOP, "ip": IP, "pot": 200, "stack": 900, "merging": 0.1, **_SIZES},
    "flop_small": {
        "board": "Td9d6h", "oop": OOP, "ip": IP, "pot": 200, "stack": 600, "force_allin": 0.15, "flop_bets": "50%",
        "flop_raises": "3x", "turn_bets": "75%", "river_bets": "75%",
    },
    "flop_texasbench": {
        "board": "QsJh2h", "oop": WIDE_OOP, "ip": WIDE_IP, "pot": 10, "stack": 95, "bets": "100%,a",
        "raises": "50%,a", "turn_ip_bets": "100%", "turn_ip_raises": "50%",
    },
}  # fmt: skip
"""Parameters of `holdem`, by the names that these spots have in benchmarks."""
