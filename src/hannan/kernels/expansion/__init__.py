"""Kernels that walk rules and fold trees: counting, recording, sequence-form entries, reach of histories."""
