"""A simulator for tests: a coin that chance tosses, a guess, and faults on demand.

Words on the command line: a fault, and a file in which it writes down every start. Faults hit once a start is new, or
(with the word `always`) every time, at playthroughs whose seed is divisible by `EVERY`.
"""

import json
import os
import sys
import time
from typing import Any

EVERY = 4

fault, where = (*sys.argv[1:], "none", "")[:2]
always = "always" in sys.argv


def show(**view: Any) -> None:
    print(json.dumps(view), flush=True)


def struck(seed: int, place: str) -> bool:
    """Whether the fault is due: at the first time that this seed is met, or always."""
    if fault == "none" or place not in fault or seed % EVERY:
        return False
    if always:
        return True
    mark = f"{where}.{seed}"
    if os.path.exists(mark):
        return False
    open(mark, "w").close()
    return True


def fail() -> bool:
    if "crash" in fault:
        os.kill(os.getpid(), 9)
    if "hang" in fault:
        time.sleep(600)
    if "babble" in fault:
        print("what is this?", flush=True)
        return True
    return False


if "silent" not in fault:
    show(hannan=1, players=1, name="coin", seeded="unseeded" not in fault, bounds=[[0, 1]])
seed, tossed, step = 0, 0, 0
for line in sys.stdin:
    request = json.loads(line)
    if "reset" in request:
        seed, step = int(request["reset"], 16), 0
        tossed = (seed >> 7) & 1
        if "forgetful" in fault and os.path.exists(f"{where}.{seed}"):
            tossed = 1 - tossed
        show(gains=[0], draw={"outcome": tossed, "outcomes": [0, 1]})
        continue
    step += 1
    if step == 1:
        if struck(seed, "draw") and fail():
            continue
        show(gains=[0], movers=[0], actions=[["heads", "tails"]], observations=["guess"])
    else:
        if struck(seed, "move") and fail():
            continue
        if "wrong" in fault:
            show(gains=[7])
            continue
        show(gains=[float(request["step"][0] == tossed)])
