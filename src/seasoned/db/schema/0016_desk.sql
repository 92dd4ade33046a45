-- The desk: whether an agent gets better, by day; and decisions that can be taken back.

CREATE TABLE progress (
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  day BIGINT NOT NULL, -- since 1970
  measure TEXT NOT NULL,
  amount BIGINT NOT NULL,
  PRIMARY KEY (tenant, project, day, measure)
) /* keyed */;

CREATE TABLE decisions ( -- an operator's last decision on a lesson or conflict, to take it back
  id TEXT PRIMARY KEY, -- of the lesson or conflict
  at BIGINT NOT NULL,
  before TEXT NOT NULL -- JSON: the lessons as they were, without their words
);
