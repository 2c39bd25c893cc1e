"""How fast the solver is, measured: run ``python -m benchmarks``."""
