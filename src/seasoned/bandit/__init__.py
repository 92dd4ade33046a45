"""Chooses between variants by what they earned, and says what a choice would have earned."""
