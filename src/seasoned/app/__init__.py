"""The composition root: builds every part once, in the order in which they need one another."""

from seasoned.app.app import App
from seasoned.app.building import build

__all__ = ["App", "build"]
