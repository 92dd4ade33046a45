-- Who may call the gateway: API keys and browser logins. Both are stored as digests only.

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY, -- the public part of the key
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  user_id TEXT NOT NULL DEFAULT '',
  digest TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL DEFAULT 0, -- 0: never
  revoked_at BIGINT NOT NULL DEFAULT 0,
  used_at BIGINT NOT NULL DEFAULT 0 -- to the nearest minutes
);
CREATE INDEX api_keys_by_tenant ON api_keys (tenant, created_at);

CREATE TABLE login_sessions (
  digest TEXT PRIMARY KEY, -- of the cookie
  key_id TEXT NOT NULL DEFAULT '', -- of a login with a key, which ends with the key
  subject TEXT NOT NULL DEFAULT '', -- of a login with an identity provider
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  user_id TEXT NOT NULL DEFAULT '',
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
) /* keyed */;
CREATE INDEX login_sessions_by_end ON login_sessions (expires_at);
