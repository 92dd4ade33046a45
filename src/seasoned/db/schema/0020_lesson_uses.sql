-- Where a lesson was given: the latest sessions that read it.

CREATE TABLE lesson_uses (
  lesson_id TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  user_id TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL,
  times BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  PRIMARY KEY (lesson_id, tenant, project, user_id, session)
) /* keyed */;
CREATE INDEX lesson_uses_by_session ON lesson_uses (tenant, project, user_id, session);
