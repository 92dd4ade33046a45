-- So that the newest that wait for a vector are found without a sort of all that do.
DROP INDEX lesson_vectors_by_space;
CREATE INDEX lesson_vectors_by_space ON lesson_vectors (space, key);
DROP INDEX error_vectors_by_space;
CREATE INDEX error_vectors_by_space ON error_vectors (space, key);
