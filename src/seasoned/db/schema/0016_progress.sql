-- Whether an agent gets better: calls, mistakes, corrections and lessons, counted by day.

CREATE TABLE progress (
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  day BIGINT NOT NULL, -- since 1970
  measure TEXT NOT NULL,
  amount BIGINT NOT NULL,
  PRIMARY KEY (tenant, project, day, measure)
) /* keyed */;
