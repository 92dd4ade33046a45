-- Conversations that pass by: what was inserted into each message, so that it is inserted again.

CREATE TABLE wire_sessions (
  id TEXT PRIMARY KEY, -- digest of its scope
  beginning TEXT NOT NULL, -- digest of the scope and of how the conversation begins
  session TEXT NOT NULL, -- its name
  standing TEXT NOT NULL DEFAULT '', -- rules in the system prompt; JSON, empty before the first turn
  notes TEXT NOT NULL DEFAULT '', -- of tools; JSON
  seen_at BIGINT NOT NULL
) /* keyed */;
CREATE INDEX wire_sessions_beginning ON wire_sessions (beginning, seen_at);
CREATE INDEX wire_sessions_age ON wire_sessions (seen_at);

CREATE TABLE wire_messages (
  session_id TEXT NOT NULL,
  message TEXT NOT NULL, -- digest of what it says
  inserted TEXT NOT NULL DEFAULT '', -- by place; JSON
  PRIMARY KEY (session_id, message)
) /* keyed */;

CREATE TABLE wire_replies ( -- replies and responses that tell which conversation a request continues
  id TEXT PRIMARY KEY, -- digest of the scope and the reply
  session_id TEXT NOT NULL,
  session TEXT NOT NULL,
  seen_at BIGINT NOT NULL
) /* keyed */;
CREATE INDEX wire_replies_age ON wire_replies (seen_at);
