"""While some processes add, reword, retire and erase, others find exactly what is there."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.embedding_service import eventually

from seasoned import Seasoned

from .recall_workers import LEAST_CHECKS, Board

WORKERS = Path(__file__).parent / "recall_workers.py"
SECONDS = 4.0
TENANTS = ("acme", "globex")


def test_readers_find_what_is_there_and_never_what_is_gone(
    database_url: str, opened: Callable[..., Seasoned], tmp_path: Path
) -> None:
    board = Board(tmp_path / "board")
    board.folder.mkdir()
    everybody = opened(database_url)
    patient = {**os.environ, "SEASONED_KNOWLEDGE__DEADLINE_SECONDS": "60"}
    processes = [
        subprocess.Popen(
            [sys.executable, str(WORKERS), role, database_url, str(board.folder), tenant],
            env=patient,
            stderr=subprocess.PIPE,
            text=True,
        )
        for role in ("write", "read")
        for tenant in TENANTS
    ]
    assert eventually(lambda: all(board.states(tenant) for tenant in TENANTS), 60)
    time.sleep(SECONDS)
    (board.folder / "over").touch()
    problems = [process.communicate(timeout=90)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, "\n".join(problems)
    for tenant in TENANTS:
        ((_, checks),) = board.told(f"reader-{tenant}")
        assert int(checks) >= LEAST_CHECKS
        all_that_is_there_has_its_vector(opened(database_url, tenant=tenant), board, tenant)
    nothing_is_left_over(everybody, board)
    assert everybody.verify_audit().intact


def all_that_is_there_has_its_vector(s: Seasoned, board: Board, tenant: str) -> None:
    assert eventually(lambda: s.status()["embedding"]["waiting"] == 0, 60)
    states = board.states(tenant)
    there = [word for word, state in states.items() if state == "there"]
    assert len(there) >= 8
    for word in there:
        best = s.search(word, limit=3)[0]
        assert best.lesson.trigger == f"about {word}"
        assert best.match.likeness is not None
    gone = [word for word, state in states.items() if state == "gone"]
    for word in gone[-20:]:
        assert all(hit.lesson.trigger != f"about {word}" for hit in s.search(word))


def nothing_is_left_over(s: Seasoned, board: Board) -> None:
    """Check that the indexes have one row per lesson, and no other."""
    there = sum(state == "there" for tenant in TENANTS for state in board.states(tenant).values())
    db = s.inner.app.db
    tables = ["lesson_vectors", "lessons_text"]
    tables += ["lesson_embeddings"] if db.dialect == "sqlite" else []

    async def counted() -> list[int]:
        async with db.read() as tx:
            rows = [await tx.fetch_one(f"SELECT count(*) FROM {table}") for table in tables]
            return [row[0] for row in rows if row]

    assert db.run(counted()) == [there] * len(tables)
