"""Pay for web pages that answer HTTP 402, within limits, and keep a ledger (x402)."""
