"""The gateway: everything that Seasoned does, on one port, for agents in any language."""
