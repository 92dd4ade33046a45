-- What both databases share. Times are microseconds since 1970; an empty scope field means "any".

CREATE TABLE lessons (
  id TEXT PRIMARY KEY,
  key BIGINT NOT NULL UNIQUE, -- the id as a number: what text and vector indexes point at
  kind TEXT NOT NULL CHECK (kind IN
    ('fix', 'rule', 'fact', 'pattern', 'correction', 'preference', 'example')),
  status TEXT NOT NULL CHECK (status IN
    ('candidate', 'active', 'suspended', 'superseded', 'retired')),
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  user_id TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '',
  trigger TEXT NOT NULL, -- when it matters: an error pattern, a situation, a subject
  content TEXT NOT NULL, -- what enters the prompt
  worked DOUBLE PRECISION NOT NULL CHECK (worked >= 0),
  failed DOUBLE PRECISION NOT NULL CHECK (failed >= 0),
  source TEXT NOT NULL CHECK (source IN ('operator', 'user', 'episode', 'model', 'document')),
  trust TEXT NOT NULL CHECK (trust IN ('operator', 'user', 'environment', 'self')),
  fingerprint TEXT NOT NULL UNIQUE, -- scope and content: the same lesson is never stored twice
  superseded_by TEXT REFERENCES lessons (id) ON DELETE SET NULL,
  times_given BIGINT NOT NULL DEFAULT 0,
  last_given_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX lessons_by_age ON lessons (created_at);
CREATE INDEX lessons_by_kind ON lessons (kind, status);

CREATE TABLE errors (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  tool TEXT NOT NULL, -- '' for an error that was taught for any tool
  template TEXT NOT NULL,
  shape TEXT NOT NULL, -- only errors of one shape may turn out to be the same
  category TEXT NOT NULL,
  seen BIGINT NOT NULL DEFAULT 0,
  first_seen_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL
);
CREATE INDEX errors_by_shape ON errors (tenant, project, tool, shape);
CREATE INDEX errors_by_count ON errors (seen);

CREATE TABLE error_aliases ( -- each pattern ever met, and the error it belongs to
  digest TEXT PRIMARY KEY,
  error_id TEXT NOT NULL REFERENCES errors (id) ON DELETE CASCADE
);
CREATE INDEX error_aliases_by_error ON error_aliases (error_id);

CREATE TABLE occurrences (
  error_id TEXT NOT NULL REFERENCES errors (id) ON DELETE CASCADE,
  at BIGINT NOT NULL,
  session TEXT NOT NULL,
  message TEXT NOT NULL, -- redacted and shortened
  params TEXT NOT NULL
);
CREATE INDEX occurrences_by_error ON occurrences (error_id, at);

CREATE TABLE lesson_fixes (
  lesson_id TEXT PRIMARY KEY REFERENCES lessons (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  error_id TEXT NOT NULL REFERENCES errors (id) ON DELETE CASCADE,
  change TEXT -- what was different when it worked, as JSON; null for a fix told in words
);
CREATE INDEX lesson_fixes_by_error ON lesson_fixes (error_id);

CREATE TABLE lesson_rules (
  lesson_id TEXT PRIMARY KEY REFERENCES lessons (id) ON DELETE CASCADE,
  rule_type TEXT NOT NULL CHECK (rule_type IN
    ('refusal', 'hallucination', 'wrong_skill', 'missing_context', 'preference')),
  poison TEXT,
  fewshot_user TEXT,
  fewshot_assistant TEXT,
  source_exchange TEXT
);

CREATE TABLE lesson_examples (
  lesson_id TEXT PRIMARY KEY REFERENCES lessons (id) ON DELETE CASCADE,
  polarity TEXT NOT NULL CHECK (polarity IN ('positive', 'negative')),
  request TEXT NOT NULL,
  reply TEXT NOT NULL
);

CREATE TABLE evidence ( -- why a lesson is believed as much as it is
  lesson_id TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
  at BIGINT NOT NULL,
  reason TEXT NOT NULL,
  worked DOUBLE PRECISION NOT NULL,
  failed DOUBLE PRECISION NOT NULL,
  session TEXT NOT NULL DEFAULT '',
  quote TEXT NOT NULL DEFAULT ''
);
CREATE INDEX evidence_by_lesson ON evidence (lesson_id, at);

CREATE TABLE episodes ( -- a failure, and how the session came out of it
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL,
  tool TEXT NOT NULL,
  error_id TEXT NOT NULL REFERENCES errors (id) ON DELETE CASCADE,
  message TEXT NOT NULL,
  params TEXT NOT NULL,
  steps TEXT NOT NULL DEFAULT '[]', -- what succeeded in the session since
  calls_since BIGINT NOT NULL DEFAULT 0,
  attempts BIGINT NOT NULL DEFAULT 1,
  hint TEXT, -- the lesson that was given
  hint_failed BIGINT NOT NULL DEFAULT 0,
  outcome TEXT NOT NULL DEFAULT 'open' CHECK (outcome IN ('open', 'resolved', 'abandoned')),
  lesson_id TEXT, -- the fix that resolved it
  opened_at BIGINT NOT NULL,
  closed_at BIGINT
);
CREATE INDEX episodes_open ON episodes (session, tenant, project) WHERE outcome = 'open';
CREATE INDEX episodes_by_error ON episodes (error_id, opened_at);
CREATE INDEX episodes_by_lesson ON episodes (lesson_id) WHERE lesson_id IS NOT NULL;

CREATE TABLE tools (
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL,
  calls BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  timed_calls BIGINT NOT NULL,
  duration_ms DOUBLE PRECISION NOT NULL,
  last_called_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, project, name)
);

CREATE TABLE triples (
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  subject TEXT NOT NULL,
  predicate TEXT NOT NULL,
  object TEXT NOT NULL,
  weight DOUBLE PRECISION NOT NULL DEFAULT 1,
  source TEXT NOT NULL DEFAULT '',
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, project, subject, predicate, object)
);
CREATE INDEX triples_pos ON triples (tenant, project, predicate, object, subject);
CREATE INDEX triples_osp ON triples (tenant, project, object, subject, predicate);

CREATE TABLE learned_calls ( -- calls learned from transcripts, so that none counts twice
  id TEXT PRIMARY KEY
);

CREATE TABLE learned_files ( -- files learned to their end, so that a second run can pass them by
  digest TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  calls BIGINT NOT NULL,
  at BIGINT NOT NULL
);

CREATE TABLE audit (
  seq BIGINT PRIMARY KEY,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL,
  digest TEXT NOT NULL -- covers this event and the digest before it
);
CREATE INDEX audit_by_subject ON audit (subject, seq) WHERE subject <> '';

CREATE TABLE audit_head ( -- where the chain ends, so that a cut-off tail is noticed
  one BIGINT PRIMARY KEY CHECK (one = 1),
  seq BIGINT NOT NULL,
  digest TEXT NOT NULL
);
INSERT INTO audit_head (one, seq, digest) VALUES (1, 0, '');

-- The same rows under the names that operators of the source systems know.

CREATE VIEW learnings AS
SELECT l.id, l.trigger, e.template AS error_pattern, e.category, l.content AS fix, f.tool,
  l.worked / (l.worked + l.failed) AS confidence, l.status, l.source, e.seen AS occurrences,
  l.times_given, l.created_at, l.updated_at
FROM lessons l
LEFT JOIN lesson_fixes f ON f.lesson_id = l.id
LEFT JOIN errors e ON e.id = f.error_id
WHERE l.kind <> 'rule' AND l.kind <> 'example';

CREATE VIEW behavioral_rules AS
SELECT l.id, r.rule_type, l.content AS description, r.poison AS skill_poison, r.fewshot_user,
  r.fewshot_assistant, r.source_exchange, l.worked / (l.worked + l.failed) AS confidence,
  CASE WHEN l.status = 'active' THEN 1 ELSE 0 END AS active, l.times_given AS times_applied,
  l.created_at
FROM lessons l
JOIN lesson_rules r ON r.lesson_id = l.id;

CREATE VIEW learning_examples AS
SELECT l.id, x.polarity, x.request AS user_message, x.reply AS assistant_message,
  l.worked / (l.worked + l.failed) AS confidence, l.times_given AS use_count, l.created_at
FROM lessons l
JOIN lesson_examples x ON x.lesson_id = l.id;
