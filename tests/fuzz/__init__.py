"""A fuzzer that stays: files, addresses, command lines and rules that somebody broke, and faults at every step."""
