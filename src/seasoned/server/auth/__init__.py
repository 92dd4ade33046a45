"""Who may call the gateway, and what they may do: keys, logins, roles, limits."""
