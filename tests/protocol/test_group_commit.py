"""Group commits: concurrent messages share a transaction; each gets its own answer."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.serving import feedback

from seasoned import Seasoned
from seasoned.core.errors import BadInput
from seasoned.protocol.host.group_commit import GroupCommit
from seasoned.protocol.host.host import Host


def test_concurrent_messages_share_one_commit() -> None:
    batches: list[list[int]] = []

    async def work(items: Sequence[int]) -> Sequence[int]:
        batches.append(list(items))
        await asyncio.sleep(0)
        return [item * 2 for item in items]

    async def run() -> list[int]:
        commit = GroupCommit(work, weight=lambda item: item, most=10)
        first = await asyncio.gather(*(commit(n) for n in (1, 2, 3)))
        return first + await asyncio.gather(*(commit(n) for n in (6, 6, 50, 1)))

    assert asyncio.run(run()) == [2, 4, 6, 12, 12, 100, 2]
    assert batches == [[1, 2, 3], [6], [6], [50], [1]]


def test_one_failing_message_does_not_affect_the_others() -> None:
    async def work(items: Sequence[int]) -> Sequence[int]:
        if 2 in items:
            raise BadInput("two")
        return items

    async def run() -> list[Any]:
        commit = GroupCommit(work)
        return await asyncio.gather(*(commit(n) for n in (1, 2, 3)), return_exceptions=True)

    one, two, three = asyncio.run(run())
    assert (one, three) == (1, 3)
    assert isinstance(two, BadInput)


def test_each_message_of_a_group_gets_its_own_answer(
    opened: Callable[..., Seasoned], tmp_path: Path
) -> None:
    s = opened(tmp_path / "x.db")
    host: Host = s.inner.app.learn_host(s.inner.scope)

    async def run() -> list[Any]:
        import json

        session = host.sessions.open()
        messages = [
            feedback("a", feedback_id="same", score=1.0, dimension="tone"),
            feedback("b", feedback_id="same", score=1.0, dimension="tone"),
            feedback("c", feedback_id="other", score=7.0, dimension="safety"),
        ]
        raws = [json.dumps(each).encode() for each in messages]
        replies = await asyncio.gather(*(host.answer(session, raw) for raw in raws))
        return [json.loads(reply or b"") for reply in replies]

    first, second, third = asyncio.run(run())
    assert [each["recorded"] for each in (first, second, third)] == [1, 0, 1]
    assert first["scores_by_dimension"] == {"tone": 1.0}
    assert first["note"] == ""
    assert third["scores_by_dimension"] == {"safety": 1.0}
    assert third["note"] == "other: score 7 clamped to 1.0"
    batches = [row for row in _audited(s) if row[0] == "feedback.recorded"]
    assert len(batches) == 1  # one transaction for all three


def _audited(s: Seasoned) -> list[Any]:
    async def rows() -> list[Any]:
        async with s.inner.app.db.read() as tx:
            return await tx.fetch("SELECT kind FROM audit")

    return s.inner.app.db.run(rows())


@pytest.mark.parametrize("given", ["", "not-a-plugin"])
def test_a_plugin_that_cannot_be_loaded_is_left_out(
    given: str, caplog: pytest.LogCaptureFixture
) -> None:
    from importlib.metadata import EntryPoint

    from seasoned.protocol.plugin import GROUP, installed_plugins

    value = "no_such_module:Plugin" if not given else "builtins:dict"
    assert installed_plugins([EntryPoint("odd", value, GROUP)]) == []
    assert "the learn plugin odd" in caplog.text
