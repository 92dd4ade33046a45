"""Worker processes: writers add, reword, retire and erase lessons while readers search.

Each writer keeps a log of what is committed, so that a reader knows for sure what it must find,
and what it must not. Run as: recall_workers.py write|read DATABASE BOARD TENANT
"""

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from seasoned import Seasoned
from seasoned.db.database import Connection
from seasoned.db.unit import Change
from seasoned.lessons.lesson import Lesson

LEAST_CHECKS = 60
PLAIN = "the nightly job of team north restarts its server before lunch".split()


class Board:
    """Log files by which the processes tell each other what they did."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def is_over(self) -> bool:
        return (self.folder / "over").exists()

    def tell(self, tenant: str, *words: str) -> None:
        """Append one line atomically."""
        with (self.folder / f"{tenant}.log").open("a", encoding="utf-8") as log:
            log.write(" ".join(words) + "\n")

    def told(self, tenant: str) -> Iterator[list[str]]:
        path = self.folder / f"{tenant}.log"
        if path.exists():
            *lines, _ = path.read_text("utf-8").split("\n")  # the last line may be incomplete
            yield from (line.split() for line in lines)

    def states(self, tenant: str) -> dict[str, str]:
        """Return the state of each word: there, leaving or gone."""
        return {word: state for state, word in self.told(tenant)}


def write(s: Seasoned, board: Board, tenant: str) -> None:
    rng, known = random.Random(tenant), list[tuple[Lesson, str]]()
    number = 0
    while not board.is_over():
        number += 1
        word = f"{tenant}x{number}"
        lesson = s.teach(f"about {word}", fact=f"{word} {' '.join(rng.sample(PLAIN, 6))}.")
        board.tell(tenant, "there", word)
        known.append((lesson, word))
        if len(known) > 8:
            lesson, word = known.pop(rng.randrange(len(known)))
            board.tell(tenant, "leaving", word)
            if number % 3 == 0:
                known.append(reworded(s, board, tenant, lesson, f"{word}new"))
            else:
                s.forget(lesson.id, erase=number % 3 == 1)
            board.tell(tenant, "gone", word)
        time.sleep(0.005)


def reworded(
    s: Seasoned, board: Board, tenant: str, lesson: Lesson, word: str
) -> tuple[Lesson, str]:
    app = s.inner.app

    async def done() -> Lesson:
        async with app.db.write() as tx:
            return await said_otherwise(tx)

    async def said_otherwise(tx: Connection) -> Lesson:
        content = f"{word} {' '.join(PLAIN[:6])}."
        change = Change(tx, app.clock.now())
        return await app.lessons.reword(change, lesson, f"about {word}", content, "", None)

    changed = app.db.run(done())
    app.nudge("embedding")
    board.tell(tenant, "there", word)
    return changed, word


def read(s: Seasoned, board: Board, tenant: str) -> int:
    """Return the number of right answers; raise at the first wrong one."""
    rng, checks = random.Random(tenant), 0
    while not board.is_over() or checks < LEAST_CHECKS:
        before = board.states(tenant)
        if not before:
            time.sleep(0.01)
            continue
        word = rng.choice(list(before)[-60:])
        found = [hit.lesson for hit in s.search(word, limit=5)]
        found += [one.lesson for one in s.recall(f"tell me about {word}").lessons]
        after = board.states(tenant)
        said = [f"about {word}" == lesson.trigger for lesson in found]
        if before[word] == "gone":
            assert not any(said), f"{word} is gone, and was found"
        if before[word] == after[word] == "there":
            assert any(said), f"{word} is there, and was not found: {found}"
        for lesson in found:
            assert lesson.scope.tenant in ("", tenant), f"{lesson.id} is another tenant's"
            assert lesson.content, f"{lesson.id} was erased"
            assert lesson.status == "active", f"{lesson.id} is {lesson.status}"
        checks += 1
    return checks


def main(role: str, database: str, folder: str, tenant: str) -> None:
    board = Board(Path(folder))
    with Seasoned(database, tenant=tenant) as s:
        if role == "write":
            write(s, board, tenant)
        else:
            board.tell(f"reader-{tenant}", "checks", str(read(s, board, tenant)))


if __name__ == "__main__":
    main(*sys.argv[1:])
