-- One absurd number in a sum spoils it for good: such sums start again, all time from its sane days.
-- 3.2e10 ms are a year; a comparison with the sum also finds infinity.

UPDATE tools SET timed_calls = 0, duration_ms = 0 WHERE duration_ms > timed_calls * 3.2e10;

UPDATE performance SET timed = 0, duration_ms = 0, durations = ''
WHERE duration_ms > timed * 3.2e10;

UPDATE performance SET scored = 0, score = 0 WHERE abs(score) > scored * 1e100;

UPDATE performance SET
  timed = (SELECT coalesce(sum(d.timed), 0) FROM performance d
    WHERE d.tenant = performance.tenant AND d.project = performance.project
    AND d.kind = performance.kind AND d.name = performance.name AND d.day >= 0),
  duration_ms = (SELECT coalesce(sum(d.duration_ms), 0) FROM performance d
    WHERE d.tenant = performance.tenant AND d.project = performance.project
    AND d.kind = performance.kind AND d.name = performance.name AND d.day >= 0)
WHERE day = -1 AND timed = 0;
