"""Fill a store with as many lessons and observed calls as the benchmark of the desk asks for.

The rows are written by SQLite itself, from numbers: learning a million calls would take an hour,
and the desk reads the same tables. The digests of the audit are not a chain.
"""

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

from seasoned import Seasoned

DAY = 86_400_000_000
PER_SESSION = 50  # calls, and observations of its memory
SUBJECTS = ("invoice", "booking", "parcel", "refund", "deployment", "ticket", "report", "voucher")
VERBS = ("Check", "Send", "Write", "Sort", "Close", "Open", "Count", "Sign")
ENDS = ("before noon", "in euros", "with its number", "by hand", "in German", "for the archive")


@dataclass(frozen=True, slots=True)
class Size:
    """How much a store holds."""

    lessons: int
    observations: int

    @property
    def sessions(self) -> int:
        return max(1, self.observations // PER_SESSION)


def load(path: Path, size: Size, environment: dict[str, str]) -> float:
    """Make a store of this size; return the seconds that it took."""
    began = time.perf_counter()
    with Seasoned(path, environment=environment) as s:
        s.status()
    if size.lessons:
        with sqlite3.connect(path) as base:
            base.execute("PRAGMA foreign_keys = off")
            base.execute("PRAGMA synchronous = off")
            for statement in statements(size, time.time_ns() // 1000):
                base.execute(statement)
        base.execute("ANALYZE")
        base.close()
    return time.perf_counter() - began


def statements(size: Size, now: int) -> list[str]:
    """Return the statements that write all tables the desk reads."""
    month = 30 * DAY
    calls, sessions, lessons = size.observations, size.sessions, size.lessons
    errors = max(10, lessons // 50)
    at = f"({now} - {month} + (n * {month // 1000} / ? ) * 1000)"

    def moment(many: int) -> str:
        return at.replace("?", str(many))

    kind = "CASE n % 10 WHEN 0 THEN 'rule' WHEN 1 THEN 'rule' WHEN 2 THEN 'fact' ELSE 'fix' END"
    status = "CASE n % 50 WHEN 0 THEN 'candidate' WHEN 1 THEN 'retired' ELSE 'active' END"
    content = (
        f"{word(VERBS, 'n')} || ' the ' || {word(SUBJECTS, 'n / 8')} || ' ' || "
        f"{word(ENDS, 'n / 64')} || ', no. ' || (n % 9973) || '.'"
    )
    fix = f"FROM numbers WHERE {kind} = 'fix'"
    rule = f"FROM numbers WHERE {kind} = 'rule'"
    error = f"printf('%024d', n % {errors})"
    tool = "'tool' || (n % 40)"
    detail = (
        """'{"ms":' || (n % 900) || ',"params":{"id":' || n || '},"session":"s","tool":"tool"}'"""
    )
    return [
        f"""{to(errors)} INSERT INTO errors (id, key, tool, template, shape, category, seen,
            first_seen_at, last_seen_at, graphed) SELECT printf('%024d', n), n, {tool},
            'field ' || n || ' is missing', 'field * is missing ' || n, 'general', 9,
            {moment(errors)}, {now}, 1 FROM numbers""",
        f"""{to(lessons)} INSERT INTO lessons (id, key, kind, status, trigger, content, worked,
            failed, source, trust, fingerprint, created_at, updated_at, graphed)
            SELECT printf('l%011d', n), n + 1, {kind}, {status}, 'situation ' || n, {content},
            8, 1, CASE WHEN {kind} = 'fix' THEN 'episode' ELSE 'user' END, 'environment',
            printf('%024d', n), {moment(lessons)}, {moment(lessons)}, 1 FROM numbers""",
        f"""{to(lessons)} INSERT INTO lesson_fixes (lesson_id, tool, error_id, distilled)
            SELECT printf('l%011d', n), {tool}, {error}, 'x' {fix}""",
        f"""{to(lessons)} INSERT INTO lesson_rules (lesson_id, rule_type)
            SELECT printf('l%011d', n), 'preference' {rule}""",
        f"""{to(lessons)} INSERT INTO lesson_versions (lesson_id, words, trigger, content, at)
            SELECT printf('l%011d', n), printf('%024d', n), 'situation ' || n, {content},
            {moment(lessons)} FROM numbers""",
        f"""{to(lessons)} INSERT INTO lessons_text (rowid, trigger, content, near, far)
            SELECT n + 1, 'situation ' || n, lower({content}), '', '' FROM numbers""",
        f"""{to(calls)} INSERT INTO audit (seq, at, kind, subject, detail, digest)
            SELECT n + 1, {moment(calls)}, CASE n % 10 WHEN 0 THEN 'lesson.learned' ELSE
            'tool.succeeded' END, CASE n % 10 WHEN 0 THEN printf('l%011d', n % {lessons}) ELSE ''
            END, {detail}, printf('%064d', n) FROM numbers""",
        f"INSERT OR REPLACE INTO audit_head VALUES (1, {calls}, printf('%064d', {calls - 1}))",
        f"""{to(calls // 10)} INSERT INTO evidence (lesson_id, at, reason, worked, failed, session,
            quote) SELECT printf('l%011d', n % {lessons}), {moment(calls // 10)},
            'worked in an episode', 1, 0, 'session ' || (n % {sessions}), 'field is missing'
            FROM numbers""",
        f"""{to(calls // 10)} INSERT INTO episodes (session, tool, error_id, message, params,
            outcome, lesson_id, opened_at, closed_at, graphed, worked, changes)
            SELECT 'session ' || (n % {sessions}), {tool}, {error}, 'field is missing',
            '{{"id":1}}', 'resolved', printf('l%011d', n % {lessons}), {moment(calls // 10)},
            {now}, 1, '{{"id":1,"field":2}}', '[]' FROM numbers""",
        f"""{to(calls // 10)} INSERT INTO occurrences SELECT {error}, {moment(calls // 10)},
            'session ' || (n % {sessions}), 'field is missing', '{{}}' FROM numbers""",
        f"""{to(calls // 10)} INSERT OR IGNORE INTO lesson_uses (lesson_id, session, times,
            first_at, last_at) SELECT printf('l%011d', n % {lessons}), 'session ' || (n %
            {sessions}), 1, {moment(calls // 10)}, {moment(calls // 10)} FROM numbers""",
        f"""{to(sessions)} INSERT INTO sessions (key, name, title, started_at, active_at, ended_at,
            turns, last_seq, analysed_to, observed_to, learned_to, distilled_to, asked_turn)
            SELECT n + 1, 'session ' || n, {content}, {moment(sessions)}, {moment(sessions)},
            {moment(sessions)}, 3, 6, 6, 6, 6, 6, 3 FROM numbers""",
        f"""{to(sessions * 6)} INSERT INTO session_messages SELECT n / 6 + 1, n % 6 + 1,
            n % 6 / 2 + 1, CASE n % 2 WHEN 0 THEN 'user' ELSE 'assistant' END, {content}, 12,
            {moment(sessions * 6)}, '{{}}' FROM numbers""",
        f"""{to(sessions * 3)} INSERT INTO session_turns (session_key, turn, status, started_at,
            ended_at) SELECT n / 3 + 1, n % 3 + 1, 'done', {now}, {now} FROM numbers""",
        f"""{to(calls)} INSERT INTO observations (id, session_key, from_seq, to_seq, kind, text,
            tokens, at, made_by, reflection_id) SELECT printf('o%011d', n), n / {PER_SESSION} + 1,
            n % 6 + 1, n % 6 + 1, 'fact', {content}, 12, {moment(calls)}, 'plain', 'r'
            FROM numbers""",
        f"""{to(calls // 2)} INSERT INTO triples (subject, predicate, object, source, at)
            SELECT 'error:tool:' || {error}, 'inSession', 'session:session ' || n, 'engine', {now}
            FROM numbers""",
        f"""{to(errors)} INSERT INTO triples (subject, predicate, object, source, at)
            SELECT 'error:tool:' || {error}, 'causedBy', 'tool:' || {tool}, 'engine', {now}
            FROM numbers""",
        f"""{to(40)} INSERT INTO tools SELECT '', '', {tool}, {calls // 40}, {calls // 400},
            {calls // 40}, {calls}.0, {now} FROM numbers""",
        f"""{to(30)} INSERT INTO progress SELECT '', '', {now // DAY} - n, 'calls', {calls // 30}
            FROM numbers""",
    ]


def to(many: int) -> str:
    """Return a table of the numbers below this one."""
    return (
        f"WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers "
        f"WHERE n + 1 < {many})"
    )


def word(words: tuple[str, ...], number: str) -> str:
    """Return SQL for one of the words."""
    cases = " ".join(f"WHEN {place} THEN '{one}'" for place, one in enumerate(words))
    return f"CASE ({number}) % {len(words)} {cases} END"
