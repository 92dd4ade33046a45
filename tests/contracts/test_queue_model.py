"""Any sequence of operations gives the same answers as two plain lists."""

import itertools
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from seasoned.core.errors import BadInput, NotFound
from seasoned.db.queue.queue import QueueDepth, QueueItem

from .conftest import Place

IDS = st.sampled_from(("a", "ab", "abc", "b", "é", "x y"))
CAP = 2
LEASE = 20
numbers = itertools.count()


class Model:
    """The expected queue: two lists, oldest first."""

    def __init__(self) -> None:
        self.pending: list[QueueItem] = []
        self.archived: list[QueueItem] = []
        self.evicted = 0

    def there(self, item_id: str) -> QueueItem | None:
        return next((one for one in self.pending + self.archived if one.id == item_id), None)

    def begins(self, name: str) -> list[str]:
        all_ids = [one.id for one in self.pending + self.archived]
        return [name] if name in all_ids else [one for one in all_ids if one.startswith(name)]

    def change(self, item_id: str, **fields: object) -> None:
        for items in (self.pending, self.archived):
            items[:] = [replace(i, **fields) if i.id == item_id else i for i in items]

    def remove(self, item_id: str) -> bool:
        was_there = self.there(item_id) is not None
        for items in (self.pending, self.archived):
            items[:] = [one for one in items if one.id != item_id]
        return was_there

    def push(self, item_id: str, body: str, now: int) -> int:
        if self.there(item_id):
            return 0
        self.pending.append(QueueItem(item_id, body, now, now))
        gone = self.pending[: max(0, len(self.pending) - CAP)]
        del self.pending[: len(gone)]
        self.archived += [replace(one, archived=True) for one in gone]
        self.evicted += len(gone)
        return len(gone)

    def claim(self, most: int, now: int) -> list[QueueItem]:
        free = [i for i in self.pending if i.due_at <= now and i.claimed_until <= now][:most]
        for one in free:
            self.change(one.id, claimed_until=now + LEASE)
        return [replace(one, claimed_until=now + LEASE) for one in free]

    def retry_all(self, now: int) -> int:
        failed = [i for i in self.pending if i.attempts and i.claimed_until <= now]
        for one in failed:
            self.change(one.id, due_at=now)
        return len(failed)

    def retry(self, item_id: str, now: int) -> int:
        item = self.there(item_id)
        assert item is not None
        self.change(item_id, due_at=now)
        if item.archived:
            if len(self.pending) >= CAP:
                self.change(item_id, due_at=item.due_at)
                raise BadInput("full")
            self.remove(item_id)
            self.pending.append(replace(item, archived=False, due_at=now, claimed_until=0))
        return 1

    def depth(self, now: int) -> QueueDepth:
        return QueueDepth(
            len(self.pending),
            sum(one.attempts > 0 for one in self.pending),
            sum(one.claimed_until > now for one in self.pending),
            len(self.archived),
            min((one.added_at for one in self.pending), default=None),
            self.evicted,
        )


class Machine(RuleBasedStateMachine):
    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.queue = place.queue(CAP, f"queue{next(numbers)}")
        self.model = Model()
        self.now = 1_700_000_000_000_000

    @initialize(first=st.lists(IDS, min_size=2, max_size=6, unique=True), most=st.integers(0, 3))
    def begin(self, first: list[str], most: int) -> None:
        for item_id in first[:2]:
            self.push(item_id)
        self.claim(most)
        for item_id in first[2:]:
            self.push(item_id)

    @rule(item_id=IDS)
    def push(self, item_id: str) -> None:
        body = f'{{"id": "{item_id}", "at": {self.now}}}'
        evicted = self.place.run(self.queue.push(item_id, body, self.now))
        assert evicted == self.model.push(item_id, body, self.now)

    @rule(most=st.integers(0, 5))
    def claim(self, most: int) -> None:
        claimed = self.place.run(self.queue.claim(most, self.now, LEASE))
        assert claimed == self.model.claim(most, self.now)

    @rule(item_id=IDS)
    def finish(self, item_id: str) -> None:
        assert self.place.run(self.queue.finish(item_id)) == self.model.remove(item_id)

    @rule(item_id=IDS, later=st.integers(0, 50))
    def fail(self, item_id: str, later: int) -> None:
        item, due_at = self.model.there(item_id), self.now + later
        assert self.place.run(self.queue.fail(item_id, f"in {later}", due_at)) == bool(item)
        if item:
            fields = {"error": f"in {later}", "due_at": due_at, "claimed_until": 0}
            self.model.change(item_id, attempts=item.attempts + 1, **fields)

    @rule()
    def retry_all(self) -> None:
        assert self.place.run(self.queue.retry(None, self.now)) == self.model.retry_all(self.now)

    @rule(name=IDS)
    def retry(self, name: str) -> None:
        found = self.model.begins(name)
        if len(found) != 1:
            with pytest.raises(BadInput if found else NotFound):
                self.place.run(self.queue.retry(name, self.now))
            return
        try:
            wanted = self.model.retry(found[0], self.now)
        except BadInput:
            with pytest.raises(BadInput, match="stays in the archive"):
                self.place.run(self.queue.retry(name, self.now))
        else:
            assert self.place.run(self.queue.retry(name, self.now)) == wanted

    @rule(name=IDS)
    def clear(self, name: str) -> None:
        found = self.model.begins(name)
        if len(found) == 1:
            assert self.place.run(self.queue.clear(name)) == 1
            self.model.remove(found[0])

    @rule(archived=st.booleans())
    def clear_all(self, archived: bool) -> None:
        items = self.model.archived if archived else self.model.pending
        assert self.place.run(self.queue.clear(archived=archived)) == len(items)
        items.clear()

    @rule(passed=st.integers(1, 30))
    def wait(self, passed: int) -> None:
        self.now += passed

    @invariant()
    def says_the_same(self) -> None:
        for archived, items in ((False, self.model.pending), (True, self.model.archived)):
            assert self.place.run(self.queue.list(archived=archived, limit=99)) == items[::-1]
        assert self.place.run(self.queue.depth(self.now)) == self.model.depth(self.now)


def test_a_queue_says_what_two_lists_would_say(place: Place) -> None:
    run_state_machine_as_test(
        cast("type[Machine]", lambda: Machine(place)),
        settings=settings(
            max_examples=100,
            stateful_step_count=20,
            deadline=None,
        ),
    )
