"""Many traversals of compiled rules that advance together, step by step: what networks are asked about all at once."""
