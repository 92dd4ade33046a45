"""Open and close the two kinds of Seasoned alike."""

from pathlib import Path

from seasoned import AsyncSeasoned, Seasoned

Learner = Seasoned | AsyncSeasoned
KINDS = [Seasoned, AsyncSeasoned]


async def close(s: Learner) -> None:
    """Let its workers finish, so that the next session finds what was learned."""
    if isinstance(s, AsyncSeasoned):
        await s.close()
    else:
        s.close()


def opened(kind: type[Learner], folder: Path) -> Learner:
    return kind(folder / "seasoned.db")
