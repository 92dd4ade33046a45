"""Coding assistants: their hooks, the local service behind them, and what connects them."""
