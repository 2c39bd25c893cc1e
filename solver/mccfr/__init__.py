"""Five players and more: Monte Carlo CFR on what matters of the cards."""
