"""The strength of poker hands, from sets of ranks as bits."""
