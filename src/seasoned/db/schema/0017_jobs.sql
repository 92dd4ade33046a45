-- Jobs: schedules, their runs and background tasks, and the finished steps of workflows.

CREATE TABLE job_schedules (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  user_id TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '',
  handler TEXT NOT NULL,
  input TEXT NOT NULL, -- JSON
  kind TEXT NOT NULL, -- cron, every or at
  rule TEXT NOT NULL,
  timezone TEXT NOT NULL,
  catch_up TEXT NOT NULL, -- skip, once or all
  deliver TEXT NOT NULL,
  retries BIGINT NOT NULL,
  limit_seconds BIGINT NOT NULL,
  is_system BIGINT NOT NULL,
  paused BIGINT NOT NULL DEFAULT 0,
  next_at BIGINT NOT NULL, -- 0: never again
  made_at BIGINT NOT NULL,
  UNIQUE (tenant, project, user_id, name)
);
CREATE INDEX job_schedules_due ON job_schedules (paused, next_at);

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  queue TEXT NOT NULL, -- cron, background or workflow: each has its own limit
  name TEXT NOT NULL,
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  user_id TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '',
  handler TEXT NOT NULL,
  input TEXT NOT NULL, -- JSON
  deliver TEXT NOT NULL,
  retries BIGINT NOT NULL,
  limit_seconds BIGINT NOT NULL,
  is_system BIGINT NOT NULL,
  schedule TEXT NOT NULL DEFAULT '',
  due_at BIGINT NOT NULL,
  status TEXT NOT NULL, -- waiting, running, done, failed or cancelled
  worker TEXT NOT NULL DEFAULT '',
  claims BIGINT NOT NULL DEFAULT 0, -- the fence: a worker that lost its claim writes nothing
  claimed_until BIGINT NOT NULL DEFAULT 0,
  tries BIGINT NOT NULL DEFAULT 0,
  deaths BIGINT NOT NULL DEFAULT 0, -- of workers that ran it
  cancelling BIGINT NOT NULL DEFAULT 0,
  made_at BIGINT NOT NULL,
  started_at BIGINT NOT NULL DEFAULT 0,
  ended_at BIGINT NOT NULL DEFAULT 0,
  result TEXT NOT NULL DEFAULT '',
  error TEXT NOT NULL DEFAULT '',
  deliveries BIGINT NOT NULL DEFAULT 0, -- tries to hand the result over
  delivered_at BIGINT NOT NULL DEFAULT 0, -- 0: not yet
  delivery_error TEXT NOT NULL DEFAULT ''
);
CREATE INDEX jobs_due ON jobs (queue, status, due_at);
CREATE INDEX jobs_undelivered ON jobs (claimed_until)
  WHERE delivered_at = 0 AND status IN ('done', 'failed');
CREATE INDEX jobs_of_schedule ON jobs (schedule, made_at);

CREATE TABLE job_steps (
  job TEXT NOT NULL,
  step TEXT NOT NULL,
  result TEXT NOT NULL,
  ended_at BIGINT NOT NULL,
  PRIMARY KEY (job, step)
) /* keyed */;
