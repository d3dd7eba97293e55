"""Environments of PettingZoo and Gymnasium with discrete actions: black boxes or, if states can be copied, rules."""
