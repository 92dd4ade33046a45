-- What search reads stands together: rules that always hold in the order in which they are wanted;
-- on Postgres also each text's group and length beside its words.

DROP INDEX lessons_standing;
-- The age is turned round so that no other index offers itself: Postgres takes the one by age
-- alone, and reads all lessons, because it cannot know that few rules are tied to no situation.
CREATE INDEX lessons_standing ON lessons (trigger, kind, status, (-created_at), id DESC)
WHERE trigger = '';
