-- One row a rule, with the exchange it comes from; operators may write the views by SQL.

ALTER TABLE corrections ADD COLUMN holds BIGINT NOT NULL DEFAULT 0; -- its rule holds in the whole session
CREATE INDEX corrections_holding ON corrections (session) WHERE holds = 1;
CREATE INDEX lessons_superseded ON lessons (superseded_by) WHERE superseded_by IS NOT NULL;
