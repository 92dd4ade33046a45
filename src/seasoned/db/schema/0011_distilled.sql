-- A model words fixes: which change it has read. Empty: it is still to be asked.

ALTER TABLE lesson_fixes ADD COLUMN distilled TEXT NOT NULL DEFAULT ''; -- digest of that change
CREATE INDEX lesson_fixes_undistilled ON lesson_fixes (lesson_id) WHERE distilled = '';
