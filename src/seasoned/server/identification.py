"""What a request shows to say who sends it: a bearer token, our own header, a subprotocol.

`auth.identification` decides who that is; the parts behind it only ask `Gateway.for_request`.
"""

from seasoned.server.asgi import AsgiScope, header

TOKEN_HEADER = b"x-seasoned-token"
SUBPROTOCOL = "seasoned.token."  # a browser cannot give a WebSocket headers


def shown_tokens(scope: AsgiScope) -> list[str]:
    """Return what a request shows, our own header first: a bearer token may be for a provider."""
    kind, _, bearer = header(scope, b"authorization").partition(" ")
    found = [header(scope, TOKEN_HEADER).strip()]
    found += [bearer.strip()] if kind.lower() == "bearer" else []
    if scope["type"] == "websocket":
        offered = (one.strip() for one in header(scope, b"sec-websocket-protocol").split(","))
        found += [one.removeprefix(SUBPROTOCOL) for one in offered if one.startswith(SUBPROTOCOL)]
    return [one for one in found if one]
