CREATE VIRTUAL TABLE lessons_text USING fts5 (trigger, content, tokenize = 'porter unicode61');
INSERT INTO lessons_text (lessons_text, rank) VALUES ('rank', 'bm25(2.0, 1.0)');

CREATE VIRTUAL TABLE errors_text USING fts5 (template, tokenize = 'porter unicode61');

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

CREATE TRIGGER audit_is_never_shortened BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
