"""Environments of PettingZoo and Gymnasium with discrete actions: black boxes or, where states can be copied, rules."""
