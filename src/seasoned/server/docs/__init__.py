"""The server's description of itself: an OpenAPI document, and a page to read and try it."""
