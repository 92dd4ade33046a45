"""The composition root: builds the services that the settings ask for, and runs the workers."""

from seasoned.app.app import App

__all__ = ["App"]
