CREATE TABLE lessons_text (
  rowid BIGINT PRIMARY KEY,
  trigger TEXT NOT NULL,
  content TEXT NOT NULL,
  document tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('english', trigger), 'A') || setweight(to_tsvector('english', content), 'B')
  ) STORED
);
CREATE INDEX lessons_text_document ON lessons_text USING gin (document);

CREATE TABLE errors_text (
  rowid BIGINT PRIMARY KEY,
  template TEXT NOT NULL,
  document tsvector GENERATED ALWAYS AS (to_tsvector('english', template)) STORED
);
CREATE INDEX errors_text_document ON errors_text USING gin (document);

CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the audit is append-only'; END $$;

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OR DELETE ON audit
FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
