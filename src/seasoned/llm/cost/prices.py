"""List prices of model tokens, and the cautious guess for models that are not on the list."""

import re
from dataclasses import dataclass

MILLION = 1_000_000

# US dollars for a million tokens, in and out, as the providers listed them in autumn 2026. A name
# covers itself and its dated versions only: the next model may cost ten times as much.
LIST_PRICES = {
    "openai:gpt-4.1": (2.00, 8.00),
    "openai:gpt-4.1-mini": (0.40, 1.60),
    "openai:gpt-4.1-nano": (0.10, 0.40),
    "openai:gpt-4o": (2.50, 10.00),
    "openai:gpt-4o-mini": (0.15, 0.60),
    "openai:gpt-5": (1.25, 10.00),
    "openai:gpt-5-mini": (0.25, 2.00),
    "openai:gpt-5-nano": (0.05, 0.40),
    "openai:gpt-5.4": (2.50, 15.00),
    "openai:gpt-5.4-mini": (0.75, 4.50),
    "openai:gpt-5.4-nano": (0.20, 1.25),
    "openai:gpt-5.5": (5.00, 30.00),
    "anthropic:claude-haiku-4-5": (1.00, 5.00),
    "anthropic:claude-sonnet-4-5": (3.00, 15.00),
    "anthropic:claude-sonnet-4-6": (3.00, 15.00),
    "anthropic:claude-sonnet-5": (2.00, 10.00),
    "anthropic:claude-sonnet-5-5": (2.00, 10.00),
    "anthropic:claude-opus-4-8": (5.00, 25.00),
    "anthropic:claude-opus-5": (5.00, 25.00),
    "anthropic:claude-opus-5-5": (4.00, 20.00),
    "anthropic:claude-fable-5": (10.00, 50.00),
    "anthropic:claude-fable-5-1": (10.00, 50.00),
    "gemini:gemini-2.5-pro": (1.25, 10.00),
    "gemini:gemini-2.5-flash": (0.30, 2.50),
    "gemini:gemini-2.5-flash-lite": (0.10, 0.40),
    "gemini:gemini-3.1-pro": (2.00, 12.00),
    "gemini:gemini-3.5-flash": (1.50, 9.00),
}
CAUTIOUS = (10.00, 50.00)  # as the dearest of the list
VERSION = re.compile(r"(?:-(?:latest|preview|\d[\d-]{3,}))*")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; `known` is False for a cautious guess."""

    input_usd: float
    output_usd: float
    known: bool = True

    def usd(self, input_tokens: int, output_tokens: int) -> float:
        """
        >>> Price(1.0, 5.0).usd(2_000, 400)
        0.004
        """
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / MILLION

    @property
    def free(self) -> bool:
        return self.known and not (self.input_usd or self.output_usd)

    def __str__(self) -> str:
        if self.free:
            return "free"
        told = f"${self.input_usd:g} in, ${self.output_usd:g} out for a million tokens"
        return told if self.known else f"unknown; counted as {told}"


def unlisted_price() -> Price:
    """Return a high price: it is better to stop too early than to run up a bill."""
    return Price(*CAUTIOUS, known=False)


def listed_price(model: str) -> tuple[float, float] | None:
    """
    >>> listed_price("anthropic:claude-haiku-4-5-20251001")
    (1.0, 5.0)
    >>> listed_price("anthropic:claude-opus-5-7") is None
    True
    """
    for name, price in LIST_PRICES.items():
        if model.startswith(name) and VERSION.fullmatch(model[len(name) :]):
            return price
    return None
