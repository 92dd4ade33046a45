-- Changes are judged by contrast: each repaired failure keeps what worked and what was different.

ALTER TABLE episodes ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
ALTER TABLE episodes ADD COLUMN worked TEXT; -- the parameters of the call that worked
ALTER TABLE episodes ADD COLUMN changes TEXT; -- single changes, as JSON; null if nothing repaired it
CREATE INDEX episodes_repaired ON episodes (error_id, opened_at) WHERE changes IS NOT NULL;

ALTER TABLE lesson_fixes ADD COLUMN waits TEXT NOT NULL DEFAULT ''; -- why an operator must accept it
CREATE INDEX lesson_fixes_by_tool ON lesson_fixes (tool);
