"""Which wire format the requests at a path carry."""

import re
from collections.abc import Mapping

from seasoned.wire import anthropic, gemini, openai_chat, openai_responses
from seasoned.wire.companion import WireFormat

FORMATS: Mapping[str, tuple[tuple[re.Pattern[str], WireFormat], ...]] = {
    "openai": (
        (re.compile(r"/chat/completions/?$"), openai_chat),
        (re.compile(r"/responses/?$"), openai_responses),
    ),
    "anthropic": ((re.compile(r"/v1/messages/?$"), anthropic),),
    "gemini": ((re.compile(r"/[^/:]+:(?:generateContent|streamGenerateContent)$"), gemini),),
}


def format_of(provider: str, path: str) -> WireFormat | None:
    """Return the format of the conversations at a path; None where there is nothing to learn.

    >>> format_of("anthropic", "/v1/messages").name, format_of("anthropic", "/v1/messages/batches")
    ('anthropic', None)
    """
    return next((wire for pattern, wire in FORMATS[provider] if pattern.search(path)), None)
