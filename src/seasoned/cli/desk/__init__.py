"""`seasoned desk` and `seasoned demo --serve`: the way to the desk, and weeks that fill it."""
