-- What search reads stands together: rules that always hold in the order in which they are wanted;
-- on Postgres also each text's group and length beside its words.

DROP INDEX lessons_standing;
CREATE INDEX lessons_standing ON lessons (trigger, kind, status, created_at, id) WHERE trigger = '';
