DROP INDEX lessons_text_document;
ALTER TABLE lessons_text ADD COLUMN group_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE lessons_text ADD COLUMN length BIGINT NOT NULL DEFAULT 1; -- in words
UPDATE lessons_text t SET group_id = v.group_id, length = v.length
FROM lesson_vectors v WHERE v.key = t.rowid;
CREATE INDEX lessons_text_by_group ON lessons_text (group_id);

-- A new text goes into the index at once: those that wait beside it would be read by every query.
CREATE INDEX lessons_text_document ON lessons_text USING gin (document) WITH (fastupdate = off);

CREATE FUNCTION lesson_text_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE lessons_text SET group_id = new.group_id WHERE rowid = new.key;
  RETURN new;
END $$;
CREATE TRIGGER lesson_regrouped AFTER UPDATE OF group_id ON lesson_vectors
FOR EACH ROW WHEN (old.group_id <> new.group_id) EXECUTE FUNCTION lesson_text_follows();
