"""Networks in place of tables: batched traversals, Deep CFR and its relatives. Torch is imported here alone."""
