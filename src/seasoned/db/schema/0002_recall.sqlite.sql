-- What search knows of each lesson that may be recalled. A key is never used again, and stands for
-- one wording: a lesson that is reworded gets a new one. So what was read of a key stays true.
-- `space` 0 means: not embedded yet. A lesson without a vector is the embedder's queue.

CREATE TABLE lesson_vectors (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL,
  length INTEGER NOT NULL, -- in words
  space INTEGER NOT NULL DEFAULT 0,
  code BLOB -- the signs of the vector: a bit a dimension
);
CREATE INDEX lesson_vectors_by_space ON lesson_vectors (space);
CREATE TABLE lesson_embeddings (
  key INTEGER PRIMARY KEY, space INTEGER NOT NULL, vector BLOB NOT NULL
);
CREATE TABLE lesson_vector_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL);

CREATE TRIGGER lesson_vector_added AFTER INSERT ON lesson_vectors
BEGIN INSERT INTO lesson_vector_changes (key) VALUES (new.key); END;
CREATE TRIGGER lesson_vector_changed AFTER UPDATE ON lesson_vectors
BEGIN INSERT INTO lesson_vector_changes (key) VALUES (new.key); END;
CREATE TRIGGER lesson_vector_removed AFTER DELETE ON lesson_vectors
BEGIN
  DELETE FROM lesson_embeddings WHERE key = old.key;
  INSERT INTO lesson_vector_changes (key) VALUES (old.key);
END;

CREATE TABLE error_vectors (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL,
  length INTEGER NOT NULL,
  space INTEGER NOT NULL DEFAULT 0,
  code BLOB
);
CREATE INDEX error_vectors_by_space ON error_vectors (space);
CREATE INDEX error_vectors_by_group ON error_vectors (group_id);
CREATE TABLE error_embeddings (
  key INTEGER PRIMARY KEY, space INTEGER NOT NULL, vector BLOB NOT NULL
);
CREATE TABLE error_vector_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL);

CREATE TRIGGER error_vector_added AFTER INSERT ON error_vectors
BEGIN INSERT INTO error_vector_changes (key) VALUES (new.key); END;
CREATE TRIGGER error_vector_changed AFTER UPDATE ON error_vectors
BEGIN INSERT INTO error_vector_changes (key) VALUES (new.key); END;
CREATE TRIGGER error_vector_removed AFTER DELETE ON error_vectors
BEGIN
  DELETE FROM error_embeddings WHERE key = old.key;
  INSERT INTO error_vector_changes (key) VALUES (old.key);
END;

-- Words come in stemmed already, so that both databases and the ranking agree on them.
DROP TABLE lessons_text;
CREATE VIRTUAL TABLE lessons_text USING fts5 (
  trigger, content, near, far, tokenize = "unicode61 remove_diacritics 0"
);
