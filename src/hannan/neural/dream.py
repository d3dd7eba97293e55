"""DREAM: outcome sampling with learned baselines.

E. Steinberger, A. Lerer, N. Brown (2020), DREAM: deep regret minimization with advantage baselines and model-free
learning. The traverser takes one action (or `actions`), drawn uniformly. A network's estimates of the values of all
actions are the baseline that corrects the sampled value, here and at the other players' nodes. The average is played
from stored networks, as in SD-CFR.
"""

from __future__ import annotations

from hannan.neural.history_values import Guessing


class DREAM(Guessing):
    """Deep regret minimization with advantage baselines."""

    method = "dream"
