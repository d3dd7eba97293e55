"""CUDA cards: a sequence form in slices, the program that iterates on it, and the back end that runs it."""
