"""Full-width methods: the engine, and one CFR variant a file."""
