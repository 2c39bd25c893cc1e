"""Two players: payoffs, CFR, the linear program, best responses and bounds."""
