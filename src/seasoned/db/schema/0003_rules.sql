-- Corrections become rules: the queue, what came of each correction, contradictions, spending.

ALTER TABLE lesson_rules ADD COLUMN provisional_of TEXT; -- stands for this correction until it is analysed
ALTER TABLE lesson_rules ADD COLUMN guard TEXT; -- what a reply must not hold; only an operator sets it
ALTER TABLE lesson_rules ADD COLUMN guard_kind TEXT CHECK (guard_kind IN ('text', 'pattern'));
CREATE INDEX lesson_rules_provisional ON lesson_rules (provisional_of) WHERE provisional_of IS NOT NULL;
ALTER TABLE lesson_examples ADD COLUMN note TEXT NOT NULL DEFAULT ''; -- why it is good, or bad
ALTER TABLE lesson_examples ADD COLUMN rule_id TEXT; -- the rule that says so: they stand and fall together
CREATE INDEX lesson_examples_by_rule ON lesson_examples (rule_id) WHERE rule_id IS NOT NULL;

CREATE TABLE queue_items ( -- work that waits, the newest first; what a cap evicts is archived
  queue TEXT NOT NULL,
  id TEXT NOT NULL,
  seq BIGINT NOT NULL, -- the order of arrival
  body TEXT NOT NULL,
  added_at BIGINT NOT NULL,
  due_at BIGINT NOT NULL, -- not to be tried before
  claimed_until BIGINT NOT NULL DEFAULT 0, -- someone is at it, unless this has passed
  attempts BIGINT NOT NULL DEFAULT 0,
  error TEXT NOT NULL DEFAULT '',
  archived_at BIGINT,
  PRIMARY KEY (queue, id)
);
CREATE INDEX queue_items_in_order ON queue_items (queue, seq) WHERE archived_at IS NULL;

CREATE TABLE queues ( -- whoever pushes holds its row: so the cap holds, however many push
  name TEXT PRIMARY KEY,
  seq BIGINT NOT NULL DEFAULT 0, -- of the last that came
  evicted BIGINT NOT NULL DEFAULT 0 -- how many the cap has ever sent to the archive
) /* keyed */;

CREATE TABLE corrections ( -- each that was analysed, and what came of it: none counts twice
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  user_id TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '',
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  message TEXT NOT NULL,
  body TEXT NOT NULL, -- the whole case, as JSON
  outcome TEXT NOT NULL CHECK (outcome IN ('learned', 'strengthened', 'no rule')),
  lesson_id TEXT REFERENCES lessons (id) ON DELETE SET NULL,
  analysed_by TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  analysed_at BIGINT NOT NULL
);
CREATE INDEX corrections_by_age ON corrections (at);
CREATE INDEX corrections_by_lesson ON corrections (lesson_id) WHERE lesson_id IS NOT NULL;

CREATE TABLE rule_conflicts ( -- two rules that cannot both be followed; both are kept
  id TEXT PRIMARY KEY,
  earlier_id TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
  later_id TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
  winner_id TEXT, -- the one that is given meanwhile; null when both may be
  reason TEXT NOT NULL,
  found_at BIGINT NOT NULL,
  resolved_at BIGINT,
  resolution TEXT NOT NULL DEFAULT '',
  UNIQUE (earlier_id, later_id)
);
CREATE INDEX rule_conflicts_by_later ON rule_conflicts (later_id);
CREATE INDEX rule_conflicts_open ON rule_conflicts (found_at) WHERE resolved_at IS NULL;

CREATE TABLE exchanges ( -- the last one of each session: what the next message may correct
  tenant TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  user_id TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL,
  at BIGINT NOT NULL,
  request TEXT NOT NULL,
  reply TEXT NOT NULL,
  tool_calls TEXT NOT NULL DEFAULT '[]',
  rules TEXT NOT NULL DEFAULT '[]', -- the ids of those that were given
  PRIMARY KEY (tenant, project, user_id, session)
) /* keyed */;

CREATE TABLE model_spending ( -- what background learning asked of models, a day and a purpose a row
  day TEXT NOT NULL, -- in UTC, as 2026-11-16
  purpose TEXT NOT NULL,
  model TEXT NOT NULL,
  calls BIGINT NOT NULL DEFAULT 0,
  input_tokens BIGINT NOT NULL DEFAULT 0,
  output_tokens BIGINT NOT NULL DEFAULT 0,
  usd DOUBLE PRECISION NOT NULL DEFAULT 0,
  PRIMARY KEY (day, purpose, model)
) /* keyed */;

-- The trigger stands in it, so that SQLite's planner sees that it is the better of two.
DROP INDEX lessons_standing;
CREATE INDEX lessons_standing ON lessons (trigger, kind, status, created_at) WHERE trigger = '';
