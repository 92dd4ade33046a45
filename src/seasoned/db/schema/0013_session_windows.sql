-- Windows in which a person has a session open; what a session planned is done in its own window.

CREATE TABLE session_windows (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  user_id TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL,
  open_until BIGINT NOT NULL -- unless it says again that it is open
);

CREATE INDEX session_windows_session ON session_windows (session);
