"""Play where equilibrium never goes: what it answers, and what it may lose."""
