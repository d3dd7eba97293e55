"""DREAM: outcome sampling with learned baselines.

E. Steinberger, A. Lerer, N. Brown (2020), DREAM: deep regret minimization with advantage baselines and model-free
learning. The traverser takes one action (or `actions`), drawn uniformly; what it came to is corrected by what a network
guesses of all of them, and so is every move of the others. The average is played from stored networks, as in SD-CFR.
"""

from __future__ import annotations

from hannan.neural.history_values import Guessing


class DREAM(Guessing):
    """Deep regret minimization with advantage baselines."""

    method = "dream"
