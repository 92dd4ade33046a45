"""Connecting: what each assistant's settings get, written with care, and taken out again."""
