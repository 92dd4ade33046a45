"""Run jobs: the worker, what it can do, and what it does for the installation."""
