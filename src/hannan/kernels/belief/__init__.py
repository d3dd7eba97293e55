"""Looking ahead from what one player knows: particles for what the others hide, and simulated plays from them."""
