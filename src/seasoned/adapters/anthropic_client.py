"""Let the `anthropic` SDK's clients learn: messages, streaming or not.

from seasoned.adapters.anthropic_client import learning

client = learning(Anthropic(), s)
"""

from typing import TypeVar

from seasoned.adapters.http_transport import learning_client
from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.seasoned import Seasoned

Client = TypeVar("Client")


def learning(client: Client, s: Seasoned | AsyncSeasoned, *, session: str = "") -> Client:
    """Return a client like this one that learns from its conversations.

    `client` is an `Anthropic`, an `AsyncAnthropic`, or one of their kin. Conversations are told
    apart by how they begin, unless `session` names the one that all requests belong to; a request
    names its own in the header `X-Seasoned-Session`.
    """
    return learning_client(client, s, "anthropic", session)
