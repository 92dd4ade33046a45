"""The MCP server: what was learned, for any assistant that speaks the Model Context Protocol."""
