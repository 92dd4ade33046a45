"""Adapters: one import and one line for each framework and SDK."""
